/**
 * The cookies of this product. Strict and out of reach of scripts; `Secure` whenever the browser came
 * by https, whatever stands between.
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

/** The browser's own `Origin` tells, and so does the proxy in front. A false claim harms nobody but its sender. */
function cameByHttps({ headers }: FastifyRequest): boolean {
  const forwarded = String(headers['x-forwarded-proto'] ?? '')
    .split(',')[0]
    ?.trim();
  return forwarded === 'https' || String(headers.origin ?? '').startsWith('https://');
}
