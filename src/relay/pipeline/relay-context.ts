/**
 * Services shared by the stages of a model call. Built once per process, in
 * `relay/pipeline/create-relay.ts`.
 */
import type { Context } from '../../context.ts';
import type { PriceTables } from '../../domain/pricing/price-tables.ts';
import type { Callers } from '../../services/cache/caller-cache.ts';
import type { Credit } from '../../services/cache/credit-cache.ts';
import type { Routing } from '../../services/cache/routing-cache.ts';
import type { OutcomeBuffer } from '../../services/channels/channel-outcomes.ts';
import type { FailedCallBuffer } from '../../services/logs/failed-calls.ts';
import type { TokenCounter } from '../../services/token-counter/counter.ts';
import type { CapPermits } from '../admission/cap-permits.ts';
import type { SensitiveWords } from '../admission/sensitive-words.ts';
import type { BodyBudget } from '../body/body-budget.ts';
import type { UpstreamPools } from '../http/connection-pools.ts';
import type { Sessions } from '../realtime/open-sessions.ts';
import type { Affinity } from '../routing/affinity.ts';
import type { ChannelChooser } from '../routing/choose-channel.ts';
import type { CircuitBreakers } from '../routing/circuit-breaker.ts';
import type { InFlight } from './in-flight.ts';

export interface Relay {
  readonly ctx: Context;
  readonly callers: Callers;
  readonly credit: Credit;
  readonly routing: Routing;
  readonly breakers: CircuitBreakers;
  readonly chooser: ChannelChooser;
  readonly affinity: Affinity;
  readonly permits: CapPermits;
  readonly bodies: BodyBudget;
  readonly pools: UpstreamPools;
  readonly counter: TokenCounter;
  readonly outcomes: OutcomeBuffer;
  readonly failedCalls: FailedCallBuffer;
  readonly prices: () => PriceTables;
  readonly sensitiveWords: () => SensitiveWords;
  readonly sessions: Sessions;
  readonly inFlight: InFlight;
}

/** The services that a function uses itself or through the functions it calls. */
export type Ports<Names extends keyof Relay> = Pick<Relay, Names>;
