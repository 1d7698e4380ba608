/** The route of an attempt, which the stage `route` makes. */
import type { Vendor } from '../../dialects/hub/extras.ts';
import type { Reasoning } from '../../dialects/hub/thinking/reasoning.ts';
import type { Price } from '../../domain/pricing/price.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { Permit } from '../../store/kv/kv.ts';
import type { RoutePlan } from './route-plan.ts';

export interface NamedThinking {
  readonly reasoning: Reasoning;
  readonly maxTokens?: number;
}

/** Where an attempt goes, and what follows from that. */
export interface Route {
  readonly channel: ChannelEntry | undefined;
  /** The channel key that is used; 0 = none. */
  readonly keyId: number;
  /** Permit of the channel's caps. */
  readonly channelPermit: Permit | undefined;
  readonly plan: RoutePlan | undefined;
  readonly upstreamModel: string;
  /** Thinking settings from the suffix of the model name (`-thinking`). */
  readonly named: NamedThinking | undefined;
  /** Sent without this vendor's thinking in the history, because the upstream refused it. */
  readonly dropsThinkingOf: Vendor | undefined;
  readonly price: Price | undefined;
  readonly groupRatio: number;
}

/** Of a call before its first attempt. */
export const NO_ROUTE: Route = {
  channel: undefined,
  keyId: 0,
  channelPermit: undefined,
  plan: undefined,
  upstreamModel: '',
  named: undefined,
  dropsThinkingOf: undefined,
  price: undefined,
  groupRatio: 1,
};

/** The route of a request that can be built and charged. */
export interface FoundRoute extends Route {
  readonly channel: ChannelEntry;
  readonly plan: RoutePlan;
  readonly price: Price;
}
