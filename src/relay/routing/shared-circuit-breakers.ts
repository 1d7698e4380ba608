/** Keeps this node's circuit breakers in sync with the other nodes through kv messages. */
import type { Context } from '../../context.ts';
import { type BreakerNews, Breakers } from './circuit-breaker.ts';

const TOPIC = 'breakers';

interface Told {
  /** The publishing node; nodes ignore their own messages. */
  readonly from: string;
  readonly news: BreakerNews;
}

export async function sharedBreakers({ kv, node, now, log, changes }: Context): Promise<Breakers> {
  const breakers = new Breakers(now, (news) => {
    const told: Told = { from: node, news };
    kv.publish(TOPIC, JSON.stringify(told)).catch((error: Error) =>
      log.warn({ err: error }, 'the state of a circuit breaker could not be announced'),
    );
  });
  await kv.subscribe(TOPIC, (text) => {
    const told: Told = JSON.parse(text); // all nodes run the same version
    if (told.from !== node) breakers.hear(told.news);
  });
  changes.on('channels', (ids) => breakers.forget(ids));
  return breakers;
}
