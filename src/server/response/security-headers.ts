/**
 * Security headers for browsers, in addition to `nosniff`, which every response has (app.ts). The
 * model API needs no others, because its clients are programs.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { imageSources } from '../image-sources.ts';

const ALWAYS = {
  'referrer-policy': 'same-origin',
  'x-frame-options': 'SAMEORIGIN',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Responses are data: they must not execute, be framed or be cached. */
export function apiHeaders(ctx: Context) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.headers({
      ...ALWAYS,
      ...secureTransport(ctx, request),
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
      'cache-control': 'no-store',
    });
  };
}

/**
 * The HSTS header (RFC 6797), which makes browsers use only https. Sent only if the operator has
 * declared that this host is reached by https. Browsers ignore it over http.
 */
export function secureTransport(
  { options }: Pick<Context, 'options'>,
  request: FastifyRequest,
): Readonly<Record<string, string>> {
  const { protocol, hostname } = new URL(options().get('ServerAddress'));
  if (protocol !== 'https:' || hostname !== request.hostname) return {};
  return { 'strict-transport-security': 'max-age=31536000' };
}

/** For a page without scripts. */
export const PLAIN_PAGE = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
} as const;

/**
 * For the console's page. Scripts run only with the page's nonce or when loaded by such a script;
 * an administrator's custom head gets the nonce too. Components need inline styles.
 */
export function pageHeaders(
  ctx: Pick<Context, 'options'>,
  nonce: string,
): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'self'",
    `script-src 'nonce-${nonce}' 'strict-dynamic' https: 'self'`,
    "style-src 'self' 'unsafe-inline' https:",
    `img-src ${imageSources(ctx)}`,
    "font-src 'self' data: https:",
    "media-src 'self' data: blob: https:",
    "connect-src 'self' https:",
    // Browsers block http: content in a page loaded by https: anyway.
    "frame-src 'self' https: http:",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'self'",
    "frame-ancestors 'self'",
  ];
  return {
    ...ALWAYS,
    'content-security-policy': policy.join('; '),
    // An embedded chat application may ask for camera and microphone; only the frame is allowed to.
    'permissions-policy': 'geolocation=(), payment=()',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
  };
}
