/** The details of a request that services may use. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Visit } from '../../api/call.ts';
import type { AddressOf } from './client-address.ts';
import { cookieJar } from './cookies.ts';
import { requestLanguage } from './language.ts';

export function visitOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { addressOf, via }: { readonly addressOf: AddressOf; readonly via: Visit['via'] },
): Visit {
  const proxy = proxyOf(request);
  return {
    address: addressOf(request),
    userAgent: String(request.headers['user-agent'] ?? ''),
    language: requestLanguage(request) ?? 'en',
    via,
    proxy,
    cookies: cookieJar(request, reply),
  };
}

/** The proxy that the headers point to; unverified, used only for a suggestion. */
function proxyOf({ headers }: FastifyRequest): Visit['proxy'] {
  if (headers['cf-connecting-ip'] !== undefined) return 'cloudflare';
  return headers['x-real-ip'] !== undefined || headers['x-forwarded-for'] !== undefined
    ? 'nginx'
    : undefined;
}
