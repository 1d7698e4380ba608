/** Checks that links to the site work: e-mails, callbacks and snippets use its address. */
import { networkOptions } from '../options/rows/network.ts';
import { parsedUrl } from './parsed-url.ts';

const DEFAULT_SERVER_ADDRESS = networkOptions.ServerAddress.fallback;

/** The default of the option ServerAddress in a process that serves at `port`; 0 is any. */
export function localServerAddress(port: number | string): string {
  return Number(port) === 0 ? DEFAULT_SERVER_ADDRESS : `http://localhost:${port}`;
}

/**
 * False while `address` is still a default but the server listens on another port or for other
 * machines, where `localhost` would refer to the client itself.
 */
export function fitsListener(address: string, listener: string): boolean {
  const listening = parsedUrl(listener);
  const own = localServerAddress(listening?.port ?? 0);
  if (address !== own) return address !== DEFAULT_SERVER_ADDRESS;
  return isLoopbackName(listening?.hostname ?? '');
}

export function isLoopbackName(host: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(host);
}
