/**
 * Services shared by the stages of a model call, built once per process by `create-relay.ts`. Those
 * of a folder of the relay are declared by that folder, so that this one imports none.
 */
import type { Context } from '../../context.ts';
import type { PriceTables } from '../../domain/pricing/price-tables.ts';
import type { Budgets } from '../../services/cache/budget-cache.ts';
import type { Callers } from '../../services/cache/caller-cache.ts';
import type { Credit } from '../../services/cache/credit-cache.ts';
import type { Routing } from '../../services/cache/routing-cache.ts';
import type { OutcomeBuffer } from '../../services/channels/channel-outcomes.ts';
import type { FailedCallBuffer } from '../../services/logs/failed-calls.ts';
import type { TokenCounter } from '../../services/token-counter/counter.ts';
import type { BodyBudget } from '../body/body-budget.ts';

export interface Relay {
  readonly ctx: Context;
  readonly callers: Callers;
  readonly credit: Credit;
  readonly budgets: Budgets;
  readonly routing: Routing;
  readonly bodies: BodyBudget;
  readonly counter: TokenCounter;
  readonly outcomes: OutcomeBuffer;
  readonly failedCalls: FailedCallBuffer;
  readonly prices: () => PriceTables;
}

/** The services that a function uses itself or through the functions it calls. */
export type Ports<Names extends keyof Relay> = Pick<Relay, Names>;
