/** Maps the requested service tier between vendors whose tiers have the same meaning. */
import type { JsonObject } from '../../../json/read-json.ts';
import { type Extras, extrasFor } from '../extras.ts';
import type { HubRequest } from './request.ts';

/** Anthropic's tiers refer to purchased capacity and have no equivalent. */
const SHARED: ReadonlySet<unknown> = new Set(['flex', 'priority']);

/** The name used by both OpenAI and Google; undefined for the standard tier. */
export function sharedTier(request: HubRequest): string | undefined {
  const candidates = [
    extrasFor('openai', request).service_tier,
    extrasFor('responses', request).service_tier,
    extrasFor('gemini', request).serviceTier,
    extrasFor('gemini', request).service_tier,
  ];
  return candidates.filter((tier) => typeof tier === 'string').find((tier) => SHARED.has(tier));
}

/** Changes the extras of all dialects. */
export function withChangedExtras(
  request: HubRequest,
  change: (fields: JsonObject) => JsonObject,
): HubRequest {
  if (request.extras === undefined) return request;
  const extras: Extras = Object.fromEntries(
    Object.entries(request.extras).map(([origin, fields]) => [origin, change(fields)]),
  );
  return { ...request, extras };
}
