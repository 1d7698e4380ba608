/** What the channel, the model, and the client's dialect and endpoint decide about an attempt. */
import type { DialectPair, UpstreamDialectName } from '../../dialects/hub/dialect.ts';
import { memoizePerObject } from '../../domain/memoize-per-object.ts';
import { type BodyShaper, bodyShaper } from '../../providers/requests/shape-body.ts';
import type { ProviderRow } from '../../providers/rows/provider-row.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import { providerFor } from './channel-provider.ts';
import { dialectPair } from './dialect-pair.ts';
import type { Endpoint, Incoming } from './incoming-call.ts';

export interface RoutePlan {
  readonly endpoint: Endpoint;
  /** The channel's provider, adjusted for the client's dialect. */
  readonly provider: ProviderRow;
  /** The dialect of the upstream request. */
  readonly dialect: UpstreamDialectName;
  /** Undefined for endpoints without a conversation, which have their own readers. */
  readonly pair: DialectPair | undefined;
  /** The upstream's name of the model. */
  readonly model: string;
  /** The provider's rules for request bodies; undefined if the dialect has none. */
  readonly shapeBody: BodyShaper | undefined;
}

/**
 * Plans per channel entry. Safe, because editing a channel creates a new entry. Bounded by
 * `MAX_KEPT` per channel, because clients name models.
 */
const plansOf = memoizePerObject((_channel: ChannelEntry) => new Map<string, RoutePlan>());
const MAX_KEPT = 500;

/** The same object for equal arguments, as long as it is kept. */
export function routePlan(
  channel: ChannelEntry,
  { endpoint, dialect: client }: Pick<Incoming, 'endpoint' | 'dialect'>,
  dialect: UpstreamDialectName,
  model: string,
): RoutePlan {
  const plans = plansOf(channel);
  const name = `${client} ${endpoint} ${dialect} ${model}`;
  const kept = plans.get(name);
  if (kept !== undefined) return kept;
  const provider = providerFor(channel, client);
  const pair = dialectPair({ endpoint, dialect: client }, dialect);
  const ruled = pair === undefined ? endpoint : pair.upstream.bodyRules;
  const isListed = channel.models.has(model);
  const shapeBody = ruled && bodyShaper(provider, ruled, { upstreamModel: model, isListed });
  const plan = { endpoint, provider, dialect, pair, model, shapeBody };
  if (plans.size >= MAX_KEPT) plans.clear();
  plans.set(name, plan);
  return plan;
}
