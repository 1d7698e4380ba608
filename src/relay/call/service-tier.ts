/**
 * Service tiers that clients request. A tier without rates in the call's price has no known
 * cost, so it is not requested from the upstream, which then answers and is billed at the standard
 * tier.
 */
import type { HubRequest } from '../../dialects/hub/request/request.ts';
import { withoutTierFields } from '../../dialects/hub/request/service-tier.ts';
import { isStandardTier, tierOf } from '../../domain/pricing/usage.ts';
import { hasTier } from '../../domain/pricing/variants.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { Admitted } from './call-stages.ts';

const NONE: readonly string[] = [];

/** Fields of the client's body that request a tier without a price. */
function unpricedFields({ intent: { body }, price }: Admitted): readonly string[] {
  const { service_tier, serviceTier, speed } = body;
  if (service_tier === undefined && serviceTier === undefined && speed === undefined) return NONE;
  const isUnpriced = (declared: unknown) =>
    typeof declared === 'string' &&
    !isStandardTier(declared) &&
    !(price?.kind === 'per_token' && hasTier(price, declared));
  const fields = Object.entries({ service_tier, serviceTier })
    .filter(([, declared]) => isUnpriced(declared))
    .map(([name]) => name);
  // `speed` may also be a voice's speed; only a tier name counts.
  return tierOf(speed) !== undefined && isUnpriced(speed) ? [...fields, 'speed'] : fields;
}

/** The tier that the client requested and the gateway removed. */
export function ignoredTier(call: Admitted): string | undefined {
  const [field] = unpricedFields(call);
  return field === undefined ? undefined : String(call.intent.body[field]);
}

/** The client's body without tiers that have no price. */
export function pricedBody(call: Admitted): JsonObject {
  const { body } = call.intent;
  const fields = unpricedFields(call);
  if (fields.length === 0) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !fields.includes(name)));
}

/** Like `pricedBody`, for the request in the hub's form. */
export function pricedRequest(call: Admitted, request: HubRequest): HubRequest {
  const fields = unpricedFields(call);
  return fields.length === 0 ? request : withoutTierFields(request, fields);
}
