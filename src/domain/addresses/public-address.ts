/**
 * Decides which addresses a user may have the server connect to: public internet addresses only,
 * never the host itself, its network or ranges that reach them by translation (IANA special-purpose
 * registries).
 */

import ipaddr from 'ipaddr.js';
import type { ErrorReason } from '../errors/error-reasons.ts';
import { parsedUrl } from './parsed-url.ts';

/** Global unicast (RFC 4291, 2.4): addresses outside it are special-purpose or unassigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
const MAX_URL_LENGTH = 2_048;
/** Characters that browsers strip from a URL or rewrite (`\`), and that could hide its target. */
const DECEPTIVE = /[\s\\\p{Cc}]/u;

/** True for a public internet address in the form that resolvers return. */
export function isPublicAddress(text: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(text))
    return ipaddr.IPv4.parse(text).range() === 'unicast';
  if (!ipaddr.IPv6.isValid(text)) return false;
  const address = ipaddr.IPv6.parse(text);
  return address.match(GLOBAL_UNICAST) && address.range() === 'unicast';
}

export type UrlProblem = Extract<ErrorReason, `${'not_web' | 'not_https' | 'url'}_${string}`>;

/**
 * Parses an absolute http(s) URL entered by a user. Forms that hide the target are rejected:
 * credentials before the host; IPv4 addresses written as one number, in octal or in hex; a host
 * ending in a dot.
 */
export function readWebUrl(
  text: string,
  { https = false }: { readonly https?: boolean } = {},
): URL | UrlProblem {
  if (text.length > MAX_URL_LENGTH || DECEPTIVE.test(text) || !/^https?:\/\//i.test(text))
    return 'not_web_url';
  const url = parsedUrl(text);
  if (url === undefined) return 'not_web_url';
  if (https && url.protocol !== 'https:') return 'not_https_url';
  if (url.username !== '' || url.password !== '' || authorityOf(text).includes('@'))
    return 'url_credentials';
  if (url.hostname.endsWith('.')) return 'url_host_dot';
  if (isFourPart(url.hostname) && url.hostname !== authorityOf(text).replace(/:\d*$/, ''))
    return 'url_odd_address';
  return url;
}

/** Returns the host if it is an IP address, without the brackets of IPv6; otherwise undefined. */
export function addressIn(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isFourPart(host) || ipaddr.IPv6.isValid(host) ? host : undefined;
}

function isFourPart(host: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(host);
}

/** Host and port as entered. */
function authorityOf(text: string): string {
  return /^https?:\/\/([^/?#]*)/i.exec(text)?.[1] ?? '';
}
