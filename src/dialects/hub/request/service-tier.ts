/** Maps the requested service tier between vendors whose tiers have the same meaning. */
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

/** Removes these fields from the extras of all dialects. */
export function withoutTierFields(request: HubRequest, fields: readonly string[]): HubRequest {
  const extras: Extras = Object.fromEntries(
    Object.entries(request.extras ?? {}).map(([origin, candidates]) => [
      origin,
      Object.fromEntries(Object.entries(candidates).filter(([name]) => !fields.includes(name))),
    ]),
  );
  return { ...request, extras };
}
