/** Builds what the stages of a model call share. */
import type { Context } from '../context.ts';
import { priceTables } from '../services/prices.ts';
import { createTokenCounter } from '../services/token-counter/counter.ts';
import { createCallers } from '../services/views/callers.ts';
import { createCredit } from '../services/views/credit.ts';
import { createRouting } from '../services/views/routing.ts';
import { Breakers } from './breaker.ts';
import { Chooser } from './choose.ts';
import type { Relay } from './relay-context.ts';
import { compileWords, type SensitiveWords } from './sensitive-words.ts';
import { createUpstreamPools } from './upstreams.ts';

export interface RelayHandle {
  readonly relay: Relay;
  /** Waits until every call in flight is settled, at most `patienceMs`; then closes the pools. */
  close(patienceMs: number): Promise<void>;
}

export async function createRelay(ctx: Context): Promise<RelayHandle> {
  const routing = createRouting(ctx.reads, ctx.secrets, ctx.changes, ctx.log);
  await routing.load();
  const breakers = new Breakers(ctx.now);
  const pools = createUpstreamPools({
    connections: ctx.config.maxConnectionsPerUpstream,
    connectTimeoutMs: ctx.config.connectTimeoutMs,
  });
  const counter = createTokenCounter();
  const inFlight = new Set<Promise<unknown>>();
  const relay: Relay = {
    ctx,
    callers: createCallers(ctx.reads, ctx.secrets.hash, ctx.changes),
    credit: createCredit(ctx.reads, ctx.now, ctx.log),
    routing,
    breakers,
    chooser: new Chooser(breakers, Math.random),
    pools,
    counter,
    prices: () => priceTables(ctx.options()),
    words: wordsOf(ctx),
    inFlight,
  };
  return {
    relay,
    async close(patienceMs) {
      await Promise.race([settled(inFlight), pause(patienceMs)]);
      await Promise.allSettled([pools.close(), counter.close()]);
    },
  };
}

/** Compiled once per word list. */
function wordsOf(ctx: Context): () => SensitiveWords {
  let lines: readonly string[] | undefined;
  let compiled = compileWords([], ctx.log);
  return () => {
    const current = ctx.options().get('SensitiveWords');
    if (current !== lines) {
      compiled = compileWords(current, ctx.log);
      lines = current;
    }
    return compiled;
  };
}

async function settled(inFlight: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (inFlight.size > 0) await Promise.allSettled(inFlight);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
