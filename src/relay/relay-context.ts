/** What the stages of a model call share. Built once per process, in `relay/create.ts`. */
import type { Context } from '../context.ts';
import type { PriceTables } from '../domain/pricing.ts';
import type { Outcomes } from '../services/channel-outcomes.ts';
import type { FailedCalls } from '../services/failed-calls.ts';
import type { TokenCounter } from '../services/token-counter/counter.ts';
import type { Callers } from '../services/views/callers.ts';
import type { Credit } from '../services/views/credit.ts';
import type { Routing } from '../services/views/routing.ts';
import type { Affinity } from './affinity.ts';
import type { BodyBudget } from './body-budget.ts';
import type { Breakers } from './breaker.ts';
import type { Chooser } from './choose.ts';
import type { Sessions } from './realtime/sessions.ts';
import type { SensitiveWords } from './sensitive-words.ts';
import type { OpenShares } from './shares.ts';
import type { UpstreamPools } from './upstreams.ts';

export interface Relay {
  readonly ctx: Context;
  readonly callers: Callers;
  readonly credit: Credit;
  readonly routing: Routing;
  readonly breakers: Breakers;
  readonly chooser: Chooser;
  readonly affinity: Affinity;
  readonly shares: OpenShares;
  readonly bodies: BodyBudget;
  readonly pools: UpstreamPools;
  readonly counter: TokenCounter;
  readonly outcomes: Outcomes;
  readonly failedCalls: FailedCalls;
  readonly prices: () => PriceTables;
  readonly words: () => SensitiveWords;
  readonly sessions: Sessions;
  /** Calls that are not settled yet; shutdown waits for them. */
  readonly inFlight: Set<Promise<unknown>>;
}
