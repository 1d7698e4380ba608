/**
 * The gateway's cookies: SameSite=Strict, HttpOnly, and `Secure` whenever the browser used https,
 * even through a proxy.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CookieJar, CookieName } from '../../api/call.ts';

const NAMES: Readonly<Record<CookieName, string>> = {
  session: 'gateway_session',
  sign_in: 'gateway_sign_in',
};

export function cookieJar(request: FastifyRequest, reply: FastifyReply): CookieJar {
  const attributes = {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: cameByHttps(request),
  } as const;
  return {
    get: (name) => cookieOf(request, name),
    set(name, value, maxAgeSec) {
      reply.setCookie(NAMES[name], value, { ...attributes, maxAge: maxAgeSec });
    },
    clear(name) {
      reply.clearCookie(NAMES[name], attributes);
    },
  };
}

export function cookieOf(request: FastifyRequest, name: CookieName): string | undefined {
  const value = request.cookies[NAMES[name]];
  return value === undefined || value === '' ? undefined : value;
}

/** Checks the browser's `Origin` and the proxy's headers. Forging them affects only the sender. */
function cameByHttps({ headers }: FastifyRequest): boolean {
  const forwarded = String(headers['x-forwarded-proto'] ?? '')
    .split(',')[0]
    ?.trim();
  return forwarded === 'https' || String(headers.origin ?? '').startsWith('https://');
}
