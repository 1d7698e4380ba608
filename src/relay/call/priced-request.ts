/**
 * The parts of a request that have a price. A service tier without rates, and fields that choose
 * other models, hosts or extras, have no known cost, so they are not sent to the upstream, which
 * then answers and is billed as usual.
 */
import type { HubRequest } from '../../dialects/hub/request/request.ts';
import { withChangedExtras } from '../../dialects/hub/request/service-tier.ts';
import { unpricedNames, withoutUnpriced } from '../../domain/pricing/unpriced-fields.ts';
import { isStandardTier, tierOf } from '../../domain/pricing/usage.ts';
import { hasTier } from '../../domain/pricing/variants.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { Admitted } from './admitted.ts';
import type { Endpoint } from './incoming-call.ts';

const NONE: readonly string[] = [];

/** Fields of the client's body that request a tier without a price. */
function unpricedTiers({ intent: { body }, route: { price } }: Admitted): readonly string[] {
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
  const [field] = unpricedTiers(call);
  return field === undefined ? undefined : String(call.intent.body[field]);
}

/** On other endpoints the same names have other meanings. */
const OF_TEXTS: ReadonlySet<Endpoint> = new Set(['chat', 'completions', 'embeddings', 'rerank']);

/** The client's fields that chose a model, a host or an extra, and were changed or removed. */
export function changedFields({ incoming, intent }: Admitted): readonly string[] {
  return OF_TEXTS.has(incoming.endpoint) ? unpricedNames(intent.body) : NONE;
}

function change(call: Admitted): (fields: JsonObject) => JsonObject {
  const tiers = unpricedTiers(call);
  const chooses = OF_TEXTS.has(call.incoming.endpoint);
  return (fields) => {
    const priced = chooses ? withoutUnpriced(fields) : fields;
    if (!tiers.some((name) => Object.hasOwn(priced, name))) return priced;
    return Object.fromEntries(Object.entries(priced).filter(([name]) => !tiers.includes(name)));
  };
}

/** The client's body without what has no price; the same object if all has one. */
export function pricedBody(call: Admitted): JsonObject {
  return change(call)(call.intent.body);
}

/** Like `pricedBody`, for the request in the hub's form. */
export function pricedRequest(call: Admitted, request: HubRequest): HubRequest {
  return withChangedExtras(request, change(call));
}
