/** Anthropic's headers: version and betas of requests, rate limits of answers. */
import type { OptionValues } from '../../domain/options/registry.ts';
import type { ClientHeaders } from '../hub/capabilities.ts';
import type { LimitHeaders } from '../hub/limit-headers.ts';
import type { HubRequest } from '../hub/request/request.ts';

/** Without it the API refuses `compact_20260112`. */
const COMPACTION_BETA = 'compact-2026-01-12';

/** The client's version and betas, and the headers the operator configured for this model. */
export function anthropicRequestHeaders(
  options: OptionValues,
  model: string,
  sent: ClientHeaders = {},
  request?: HubRequest,
): Readonly<Record<string, string>> {
  const version = [sent['anthropic-version'] ?? []].flat()[0] ?? '';
  const own = options.get('claude.model_headers_settings')[model] ?? {};
  const set = Object.entries(own).map(([name, values]) => [name.toLowerCase(), values] as const);
  const { 'anthropic-beta': ownBetas = [], ...others } = Object.fromEntries(set);
  const sentBetas = [sent['anthropic-beta'] ?? []].flat();
  const neededBetas = request?.compaction === undefined ? [] : [COMPACTION_BETA];
  const betas = [...sentBetas, ...neededBetas, ...ownBetas].flatMap((list) => list.split(','));
  const named = new Set(betas.map((beta) => beta.trim()).filter((beta) => beta !== ''));
  return {
    ...(version === '' ? {} : { 'anthropic-version': version }),
    ...(named.size === 0 ? {} : { 'anthropic-beta': [...named].join(',') }),
    ...Object.fromEntries(Object.entries(others).map(([name, values]) => [name, values.join(',')])),
  };
}

export const anthropicLimitHeaders: LimitHeaders = ({ of, limit, left, resetMs }, nowMs) => ({
  [`anthropic-ratelimit-${of}-limit`]: String(limit),
  [`anthropic-ratelimit-${of}-remaining`]: String(left),
  [`anthropic-ratelimit-${of}-reset`]: resetTime(nowMs + resetMs),
});

/** Rounded up to a whole second, so that a client that retries at this time is accepted. */
function resetTime(atMs: number): string {
  return new Date(Math.ceil(atMs / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}
