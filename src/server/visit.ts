/** What a service may know of the request that a call came in. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Visit } from '../api/call.ts';
import type { AddressOf } from './client-address.ts';
import { cookieJar } from './cookies.ts';
import { languageOf } from './language.ts';

export function visitOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { addressOf, via }: { readonly addressOf: AddressOf; readonly via: Visit['via'] },
): Visit {
  const proxy = proxyOf(request);
  return {
    address: addressOf(request),
    userAgent: String(request.headers['user-agent'] ?? ''),
    language: languageOf(request) ?? 'en',
    via,
    isLocal: isOnThisMachine(request),
    proxy,
    cookies: cookieJar(request, reply),
  };
}

/**
 * The other end is on this machine, nothing stands between, and it asked for this machine: a page that
 * makes its own name lead here (DNS rebinding) still asks for that name.
 */
export function isOnThisMachine(request: FastifyRequest): boolean {
  const isNear = !carriesForwarding(request) && isLoopback(request.socket.remoteAddress ?? '');
  return isNear && (request.hostname === 'localhost' || isLoopback(bare(request.hostname)));
}

/** An IPv6 address stands in brackets in a host (RFC 3986 3.2.2). */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/u, '$1');
}

const FORWARDING = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'cf-connecting-ip',
  'forwarded',
  'via',
];

function carriesForwarding({ headers }: FastifyRequest): boolean {
  return FORWARDING.some((name) => headers[name] !== undefined);
}

/** Which proxy the headers speak of; a claim that only ever makes a suggestion. */
function proxyOf({ headers }: FastifyRequest): Visit['proxy'] {
  if (headers['cf-connecting-ip'] !== undefined) return 'cloudflare';
  return headers['x-real-ip'] !== undefined || headers['x-forwarded-for'] !== undefined
    ? 'nginx'
    : undefined;
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
