/**
 * Which addresses a user may make the server talk to: those of the open internet, and nothing of the
 * machine, its network or the ranges that lead there by translation (IANA special-purpose registries).
 */

import ipaddr from 'ipaddr.js';
import type { InputProblem } from '../errors/input-problems.ts';
import { parsedUrl } from './parsed-url.ts';

/** Global unicast (RFC 4291, 2.4): whatever lies outside is special or not given out. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
const LONGEST_URL = 2_048;
/** What browsers cut out of a URL, and so could hide where it leads; and the backslash they turn. */
const DECEPTIVE = /[\s\\\p{Cc}]/u;

/** True for one address of the open internet in a form that resolvers give. */
export function isPublicAddress(text: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(text))
    return ipaddr.IPv4.parse(text).range() === 'unicast';
  if (!ipaddr.IPv6.isValid(text)) return false;
  const address = ipaddr.IPv6.parse(text);
  return address.match(GLOBAL_UNICAST) && address.range() === 'unicast';
}

export type UrlProblem = Extract<InputProblem, `${'not_web' | 'not_https' | 'url'}_${string}`>;

/**
 * Reads an absolute http(s) URL that somebody typed. Refused are forms that hide where they lead:
 * credentials before the host, IPv4 addresses in one number, octal or hex, a host ending in a dot.
 */
export function readWebUrl(
  text: string,
  { https = false }: { readonly https?: boolean } = {},
): URL | UrlProblem {
  if (text.length > LONGEST_URL || DECEPTIVE.test(text) || !/^https?:\/\//i.test(text))
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

/** The host's address where it is one, without the brackets of IPv6. */
export function addressIn(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isFourPart(host) || ipaddr.IPv6.isValid(host) ? host : undefined;
}

function isFourPart(host: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(host);
}

/** Host and port as they were typed. */
function authorityOf(text: string): string {
  return /^https?:\/\/([^/?#]*)/i.exec(text)?.[1] ?? '';
}
