/** The network of a client address, for limits per customer. */
import ipaddr from 'ipaddr.js';

/**
 * A customer usually has a whole IPv6 /64 (RFC 6177), which counts as one address. Invalid
 * addresses are returned unchanged.
 */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString();
}
