/** Builds the services that the stages of a model call share. */
import type { Context } from '../context.ts';
import { BudgetCache } from '../services/cache/budget-cache.ts';
import { createCallers } from '../services/cache/caller-cache.ts';
import { Credit } from '../services/cache/credit-cache.ts';
import { priceTables } from '../services/cache/effective-prices.ts';
import { createRouting } from '../services/cache/routing-cache.ts';
import { createOutcomeBuffer } from '../services/channels/channel-outcomes.ts';
import { createFailedCallBuffer } from '../services/logs/failed-calls.ts';
import { createTokenCounter } from '../services/token-counter/counter.ts';
import { CapPermits } from './admission/cap-permits.ts';
import { createBodyBudget } from './body/body-budget.ts';
import type { Relay } from './call/relay-ports.ts';
import { FEATURES } from './features/all.ts';
import { createFeatures } from './features/feature.ts';
import { createUpstreamPools } from './http/connection-pools.ts';
import { Sessions } from './realtime/open-sessions.ts';
import { Affinity } from './routing/affinity.ts';
import { ChannelChooser } from './routing/choose-channel.ts';
import { followKeyCooldowns } from './routing/key-cooldowns.ts';
import { sharedBreakers } from './routing/shared-circuit-breakers.ts';
import { InFlight } from './stages/in-flight.ts';

export interface RelayHandle {
  readonly relay: Relay;
  /** Waits until every call in flight is settled, at most `timeoutMs`; then closes the pools. */
  close(timeoutMs: number): Promise<void>;
}

export async function createRelay(ctx: Context): Promise<RelayHandle> {
  const routing = createRouting(ctx.reads, ctx.secrets, ctx.changes, ctx.log);
  await routing.load();
  const budgets = new BudgetCache(ctx);
  await budgets.load();
  const breakers = await sharedBreakers(ctx);
  await followKeyCooldowns(ctx, breakers);
  const pools = createUpstreamPools({
    connections: ctx.config.maxConnectionsPerUpstream,
    connectTimeoutMs: ctx.config.connectTimeoutMs,
  });
  const counter = createTokenCounter();
  const inFlight = new InFlight();
  const relay: Relay = {
    ctx,
    callers: createCallers(ctx.reads, ctx.secrets.hash, ctx.changes),
    credit: new Credit(ctx),
    budgets,
    routing,
    breakers,
    chooser: new ChannelChooser(breakers, Math.random),
    affinity: new Affinity(ctx),
    permits: new CapPermits(ctx.kv, ctx.now, ctx.log),
    features: createFeatures(Object.values(FEATURES)),
    bodies: createBodyBudget(ctx.config),
    pools,
    counter,
    outcomes: createOutcomeBuffer(ctx),
    failedCalls: createFailedCallBuffer(ctx),
    prices: () => priceTables(ctx.options()),
    // After the callers, whose cache must drop changed entries before a session reads them again.
    sessions: new Sessions(ctx.changes),
    inFlight,
  };
  return {
    relay,
    async close(timeoutMs) {
      await Promise.race([inFlight.settled(), pause(timeoutMs)]);
      relay.permits.close();
      await relay.credit.close();
      await Promise.allSettled([
        relay.outcomes.close(),
        relay.failedCalls.flush(),
        pools.close(),
        counter.close(),
      ]);
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
