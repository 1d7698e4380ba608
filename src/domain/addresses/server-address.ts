/** Checks that links to the site work: e-mails, callbacks and snippets use its address. */
import { networkOptions } from '../options/rows/network.ts';
import { parsedUrl } from './parsed-url.ts';

export const DEFAULT_SERVER_ADDRESS = networkOptions.ServerAddress.fallback;

/**
 * False while `address` is still the default but the server listens on another port or for other
 * machines, where `localhost` would refer to the client itself.
 */
export function fitsListener(address: string, listener: string): boolean {
  if (address !== DEFAULT_SERVER_ADDRESS) return true;
  const listening = parsedUrl(listener);
  return listening?.port === new URL(address).port && isLoopbackName(listening.hostname);
}

export function isLoopbackName(host: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(host);
}
