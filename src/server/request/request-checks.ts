/** Checks that run before a call is handled: rate-limit classes and the origin check. */

import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { clientNetwork } from '../../services/network/client-network.ts';
import { requireRateLimit } from '../../store/kv/rate-limit.ts';

export type LimitClass = 'api' | 'web' | 'critical';

/**
 * Counts a request of an address in a rate-limit class.
 * @throws AppError `rate_limited` with the seconds to wait.
 */
export type CountRequest = (limit: LimitClass, address: string) => Promise<void>;

export function addressRateLimits({ config, kv }: Context): CountRequest {
  const classes = {
    api: {
      isEnabled: config.apiRateLimitEnabled,
      prefix: 'GA',
      limit: config.apiRateLimit,
      windowMs: config.apiRateWindowMs,
    },
    web: {
      isEnabled: config.webRateLimitEnabled,
      prefix: 'GW',
      limit: config.webRateLimit,
      windowMs: config.webRateWindowMs,
    },
    critical: {
      isEnabled: config.criticalRateLimitEnabled,
      prefix: 'CT',
      limit: config.criticalRateLimit,
      windowMs: config.criticalRateWindowMs,
    },
  } as const satisfies Record<LimitClass, object>;
  return async (name, address) => {
    const { isEnabled, prefix, limit, windowMs } = classes[name];
    if (!isEnabled || limit === 0) return;
    await requireRateLimit(kv, { key: `${prefix}:${clientNetwork(address)}`, limit, windowMs });
  };
}

/**
 * Keeps other sites from using a visitor's cookies. Browsers state where a request comes from
 * (Sec-Fetch-Site, Origin: Fetch standard); programs that send neither header do not send cookies
 * on their own.
 * @throws AppError `origin_denied`.
 */
export function requireOwnOrigin(ctx: Context, { headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  // Scripts cannot set it. It also holds where a proxy changed the Host header.
  if (site === 'same-origin') return;
  const { origin, host: asked = '' } = headers;
  if (site !== undefined && site !== 'none') throw foreignOrigin(origin ?? site, asked);
  if (origin === undefined) return;
  const own = [
    headers.host,
    firstHeaderValue(headers['x-forwarded-host']),
    hostOf(ctx.options().get('ServerAddress')),
  ];
  const host = hostOf(origin);
  if (host === '' || !own.includes(host)) throw foreignOrigin(origin, asked);
}

/** Names both sides: a proxy that does not pass Host on is the usual reason on an own site. */
function foreignOrigin(origin: string, host: string): AppError {
  return new AppError('origin_denied', { origin: origin.slice(0, 200), host: host.slice(0, 200) });
}

function hostOf(url: string): string {
  return parsedUrl(url)?.host ?? '';
}

function firstHeaderValue(value: string | string[] | undefined): string | undefined {
  return (Array.isArray(value) ? value[0] : value)?.split(',')[0]?.trim();
}
