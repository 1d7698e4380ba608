/** The gateway's public address: the configured one, else the origin of this page. */
import { useStatus } from './status.ts';

/** Without a trailing slash. */
export function useBaseUrl(): string {
  return baseUrl(useStatus()?.server_address ?? '', window.location.origin);
}

/** The default address of a fresh installation is valid on its own machine only. */
export function baseUrl(configured: string, origin: string): string {
  const isUseless = !URL.canParse(configured) || isLoopback(new URL(configured).hostname);
  return (isUseless ? origin : configured).replace(/\/+$/, '');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}
