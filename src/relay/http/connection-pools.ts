/** Keeps one connection pool per upstream origin and proxy. */

import { type Dispatcher, Pool, ProxyAgent, Socks5ProxyAgent } from 'undici';
import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import { unusableChannel } from '../../domain/errors/field-errors.ts';

declare module '../call/relay-ports.ts' {
  interface Relay {
    readonly pools: UpstreamPools;
  }
}

export interface UpstreamPools {
  /**
   * `proxyUrl` is empty, or an `http:`, `https:` or `socks5:` URL.
   * @throws AppError `channel_unusable` for any other.
   */
  poolFor(origin: string, proxyUrl: string): Dispatcher;
  /** Totals over all pools, excluding connections through a proxy. */
  connections(): UpstreamConnections;
  close(): Promise<void>;
}

export interface UpstreamConnections {
  readonly connected: number;
  readonly idle: number;
  /** Requests in progress, and requests waiting for a connection. */
  readonly running: number;
  readonly waiting: number;
}

export interface PoolSettings {
  readonly connections: number;
  readonly connectTimeoutMs: number;
}

export function createUpstreamPools(settings: PoolSettings): UpstreamPools {
  const pools = new Map<string, Dispatcher>();
  // The relay's own timers bound each wait, because long reasoning exceeds the library's defaults.
  const waits = {
    connections: settings.connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 10_000,
  };
  const direct = { ...waits, connect: { timeout: settings.connectTimeoutMs } };
  const open = (origin: string, proxyUrl: string): Dispatcher => {
    if (proxyUrl === '') return new Pool(origin, direct);
    const scheme = proxyScheme(proxyUrl);
    return scheme === 'socks5:'
      ? new Socks5ProxyAgent(proxyUrl, waits)
      : new ProxyAgent({ uri: proxyUrl, ...waits });
  };
  return {
    poolFor(origin, proxyUrl) {
      const name = proxyUrl === '' ? origin : `${proxyUrl} ${origin}`;
      const kept = pools.get(name);
      if (kept !== undefined) return kept;
      const pool = open(origin, proxyUrl);
      pools.set(name, pool);
      return pool;
    },
    connections() {
      const all = { connected: 0, idle: 0, running: 0, waiting: 0 };
      for (const pool of pools.values()) {
        if (!(pool instanceof Pool)) continue;
        const { connected, free, running, queued } = pool.stats;
        all.connected += connected;
        all.idle += free;
        all.running += running;
        all.waiting += queued;
      }
      return all;
    },
    async close() {
      await Promise.allSettled([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

/** @throws AppError `channel_unusable`. */
export function proxyScheme(proxyUrl: string): string {
  const scheme = parsedUrl(proxyUrl)?.protocol ?? '';
  if (scheme === 'http:' || scheme === 'https:' || scheme === 'socks5:') return scheme;
  throw unusableChannel('proxy_invalid');
}
