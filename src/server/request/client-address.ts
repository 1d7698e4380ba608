/**
 * Determines the client's address: the socket's, unless the site is configured to be behind a proxy
 * and the socket belongs to a trusted one. Forged headers have no effect.
 */
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import {
  type AddressRange,
  addressRanges,
  isInRanges,
} from '../../domain/addresses/address-ranges.ts';
import type { ReverseProxy } from '../../domain/reverse-proxies.ts';

export type AddressOf = (request: FastifyRequest) => string;

export interface ProxyRule {
  readonly enabled: boolean;
  readonly provider: ReverseProxy;
  readonly trusts: (address: string) => boolean;
}

const MAPPED = '::ffff:';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export function clientAddress(socketAddress: string, headers: Headers, rule: ProxyRule): string {
  const socket = socketAddress.startsWith(MAPPED)
    ? socketAddress.slice(MAPPED.length)
    : socketAddress;
  if (!rule.enabled || !rule.trusts(socket)) return socket;
  if (rule.provider === 'cloudflare') return foreign(headers['cf-connecting-ip']) ?? socket;
  const reported = farthest(socket, headers['x-forwarded-for'], rule.trusts);
  // Only nginx sets X-Real-IP; the others pass on what the client wrote there.
  const real = rule.provider === 'nginx' ? foreign(headers['x-real-ip']) : undefined;
  if (real === undefined || rule.trusts(real)) return reported;
  // The configured nginx sets at least one of the two: if they differ, the client wrote the other.
  return headers['x-forwarded-for'] === undefined || real === reported ? real : socket;
}

/**
 * Each proxy appends the address that it saw, so entries count from the right, as long as a trusted
 * proxy wrote them. An entry that is not an address ends the chain at the proxy that wrote it.
 */
function farthest(socket: string, forwarded: HeaderValue, trusts: ProxyRule['trusts']): string {
  let farthest = socket;
  for (const entry of entriesOf(forwarded).reverse()) {
    const address = foreign(entry);
    if (address === undefined) return farthest;
    farthest = address;
    if (!trusts(address)) return farthest;
  }
  return farthest;
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

type HeaderValue = string | string[] | undefined;

function entriesOf(value: HeaderValue): string[] {
  return [value ?? []].flat().join(',').split(',');
}

/** Azure writes `address:port`, and IPv6 in brackets. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/;

/**
 * The address of a header in its usual form: IPv4-mapped IPv6 is the same host (RFC 4291 2.5.5.2).
 * Undefined for anything else, as old short IPv4 forms, and for addresses of no other machine.
 */
function foreign(value: HeaderValue): string | undefined {
  const text = String(value ?? '').trim();
  const match = WITH_PORT.exec(text);
  const bare = match?.[1] ?? match?.[2] ?? text;
  if (!ipaddr.IPv6.isValid(bare) && !ipaddr.IPv4.isValidFourPartDecimal(bare)) return undefined;
  const address = ipaddr.process(bare);
  const kind = address.range();
  return kind === 'loopback' || kind === 'unspecified' ? undefined : address.toString();
}
