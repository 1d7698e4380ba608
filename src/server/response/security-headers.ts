/**
 * What tells a browser to be careful with an answer, beside `nosniff`, which every answer has (app.ts).
 * The model API has no more: programs read it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { imageSources } from '../image-sources.ts';

const ALWAYS = {
  'referrer-policy': 'same-origin',
  'x-frame-options': 'SAMEORIGIN',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Answers are data: nothing in them may run or be framed, and no cache may keep them. */
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
 * Browsers that came once by https never come by http again (RFC 6797), where the operator has said
 * that this very host is reached so. Told over http it means nothing to them.
 */
export function secureTransport(
  { options }: Pick<Context, 'options'>,
  request: FastifyRequest,
): Readonly<Record<string, string>> {
  const { protocol, hostname } = new URL(options().get('ServerAddress'));
  if (protocol !== 'https:' || hostname !== request.hostname) return {};
  return { 'strict-transport-security': 'max-age=31536000' };
}

/** A page without scripts. */
export const PLAIN_PAGE = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
} as const;

/**
 * For the console's page. Scripts run only with the page's own nonce, or loaded by one that did; an
 * admin's custom head gets the nonce too. Styles may stand inline: components set them.
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
    // Browsers themselves keep http: out of a page that came by https:.
    "frame-src 'self' https: http:",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'self'",
    "frame-ancestors 'self'",
  ];
  return {
    ...ALWAYS,
    'content-security-policy': policy.join('; '),
    // A chat program in a frame may ask for camera and microphone; the frame alone is allowed to.
    'permissions-policy': 'geolocation=(), payment=()',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
  };
}
