/** The details of a request that services may use. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Visit } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import type { AddressOf } from './client-address.ts';
import { cookieJar } from './cookies.ts';
import { managementLanguage } from './language.ts';

export function visitOf(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    ctx,
    addressOf,
    via,
  }: {
    readonly ctx: Pick<Context, 'options'>;
    readonly addressOf: AddressOf;
    readonly via: Visit['via'];
  },
): Visit {
  const proxy = proxyOf(request);
  return {
    address: addressOf(request),
    userAgent: String(request.headers['user-agent'] ?? ''),
    language: managementLanguage(ctx, request),
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
