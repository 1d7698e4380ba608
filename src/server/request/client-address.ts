/**
 * Determines the client's address: the socket's, unless the site is configured to be behind a proxy
 * and the socket belongs to a trusted one. Forged headers have no effect.
 */
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { AddressRange } from '../../services/cache/caller-cache.ts';
import { addressRanges, isInRanges } from '../../services/cache/caller-cache.ts';

export type AddressOf = (request: FastifyRequest) => string;

export interface ProxyRule {
  readonly enabled: boolean;
  readonly provider: 'nginx' | 'cloudflare';
  readonly trusts: (address: string) => boolean;
}

const MAPPED = '::ffff:';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export function clientAddress(socketAddress: string, headers: Headers, rule: ProxyRule): string {
  const socket = socketAddress.startsWith(MAPPED)
    ? socketAddress.slice(MAPPED.length)
    : socketAddress;
  if (!rule.enabled || !rule.trusts(socket)) return socket;
  const claimed =
    rule.provider === 'cloudflare'
      ? [first(headers['cf-connecting-ip'])]
      : [first(headers['x-real-ip']), first(headers['x-forwarded-for'])];
  return claimed.map(plain).find(isForeign) ?? socket;
}

/** `names` as configured: addresses, CIDR ranges and the named ranges of RFC 6890. */
export function proxyTrust(names: string): (address: string) => boolean {
  const words = names
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const named = new Set(words.flatMap((word) => NAMED_RANGES.get(word.toLowerCase()) ?? []));
  const ranges: readonly AddressRange[] = addressRanges(
    words.filter((word) => !NAMED_RANGES.has(word.toLowerCase())).join('\n'),
  );
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const kind = ipaddr.process(address).range();
    return (
      named.has(kind) ||
      (kind === 'private' && named.has('uniqueLocal')) ||
      isInRanges(address, ranges)
    );
  };
}

const NAMED_RANGES: ReadonlyMap<string, string> = new Map([
  ['loopback', 'loopback'],
  ['linklocal', 'linkLocal'],
  ['uniquelocal', 'uniqueLocal'],
  ['private', 'private'],
]);

function first(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value)?.split(',')[0]?.trim() ?? '';
}

/** IPv4-mapped IPv6 is the same host (RFC 4291 2.5.5.2); old short IPv4 forms are invalid. */
function plain(address: string): string {
  const isAddress = ipaddr.IPv6.isValid(address) || ipaddr.IPv4.isValidFourPartDecimal(address);
  return isAddress ? ipaddr.process(address).toString() : '';
}

function isForeign(address: string): boolean {
  if (address === '') return false;
  const kind = ipaddr.process(address).range();
  return kind !== 'loopback' && kind !== 'unspecified';
}
