/** The tier of service a request asks for, where two vendors mean the same by it. */
import { type Extras, extrasFor } from './extras.ts';
import type { HubRequest } from './request.ts';

/** Anthropic's tiers are about capacity bought before: they have no twin. */
const SHARED: ReadonlySet<unknown> = new Set(['flex', 'priority']);

/** As OpenAI and Google both name it; undefined for the ordinary one. */
export function sharedTier(request: HubRequest): string | undefined {
  const said = [
    extrasFor('openai', request).service_tier,
    extrasFor('responses', request).service_tier,
    extrasFor('gemini', request).serviceTier,
    extrasFor('gemini', request).service_tier,
  ];
  return said.filter((tier) => typeof tier === 'string').find((tier) => SHARED.has(tier));
}

/** The request without these fields, in whatever dialect it was read from. */
export function withoutTierFields(request: HubRequest, fields: readonly string[]): HubRequest {
  const extras: Extras = Object.fromEntries(
    Object.entries(request.extras ?? {}).map(([origin, said]) => [
      origin,
      Object.fromEntries(Object.entries(said).filter(([name]) => !fields.includes(name))),
    ]),
  );
  return { ...request, extras };
}
