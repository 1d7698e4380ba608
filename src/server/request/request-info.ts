/** The details of a request that services may use. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Visit } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import type { ReverseProxy } from '../../domain/reverse-proxies.ts';
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

/** Headers by which a proxy is recognized, the most specific first. */
const SIGNS: readonly (readonly [header: string, proxy: ReverseProxy])[] = [
  ['cf-connecting-ip', 'cloudflare'],
  ['x-amzn-trace-id', 'alb'],
  ['x-appgw-trace-id', 'azure'],
  ['x-azure-ref', 'azure'],
  ['x-real-ip', 'nginx'],
];

/** The proxy that the headers point to; unverified, used only for a suggestion. */
function proxyOf({ headers }: FastifyRequest): Visit['proxy'] {
  const sign = SIGNS.find(([header]) => headers[header] !== undefined);
  if (sign !== undefined || headers['x-forwarded-for'] === undefined) return sign?.[1];
  return headers['x-forwarded-host'] === undefined ? 'nginx' : 'caddy';
}
