/** Ranges of IP addresses, as administrators and owners of API tokens type them. */
import ipaddr from 'ipaddr.js';

export type AddressRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** One address or CIDR range per line; ignores spaces and commas; invalid lines match nothing. */
export function addressRanges(text: string): AddressRange[] {
  return text
    .split('\n')
    .map((line) => line.replaceAll(/[\s,]/g, ''))
    .filter((line) => line !== '')
    .map(addressRange);
}

function addressRange(line: string): AddressRange {
  if (ipaddr.isValidCIDR(line)) return ipaddr.parseCIDR(line);
  if (!ipaddr.isValid(line)) return NO_ADDRESS;
  const address = ipaddr.process(line);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/**
 * Contains no client (RFC 5737 documentation block): an all-invalid list must not admit everyone.
 */
const NO_ADDRESS: AddressRange = [ipaddr.IPv4.parse('192.0.2.255'), 32];

export function isInRanges(address: string, ranges: readonly AddressRange[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some(([base, bits]) => parsed.kind() === base.kind() && parsed.match(base, bits));
}
