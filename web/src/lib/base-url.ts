/** Where programs reach the gateway: what the operator said, else where this page came from. */
import { useStatus } from './status.ts';

/** Without a slash at the end. */
export function useBaseUrl(): string {
  return baseUrl(useStatus()?.server_address ?? '', window.location.origin);
}

/** The address that a fresh installation comes with is right for its own machine only. */
export function baseUrl(configured: string, origin: string): string {
  const isUseless = !URL.canParse(configured) || isLoopback(new URL(configured).hostname);
  return (isUseless ? origin : configured).replace(/\/+$/, '');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}
