/** The network an address stands for where limits are kept per customer. */
import ipaddr from 'ipaddr.js';

/** One customer has a whole IPv6 /64 (RFC 6177): it counts as one address. Other texts stay. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString();
}
