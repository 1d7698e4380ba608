/** Keeps this node's circuit breakers in sync with the other nodes through kv messages. */
import type { Context } from '../../context.ts';
import { type BreakerEvent, CircuitBreakers } from './circuit-breaker.ts';

const TOPIC = 'breakers';

interface PublishedEvent {
  /** The publishing node; nodes ignore their own messages. */
  readonly from: string;
  readonly news: BreakerEvent;
}

export async function sharedBreakers({
  kv,
  node,
  now,
  log,
  changes,
}: Context): Promise<CircuitBreakers> {
  const breakers = new CircuitBreakers(now, (news) => {
    const message: PublishedEvent = { from: node, news };
    kv.publish(TOPIC, JSON.stringify(message)).catch((error: Error) =>
      log.warn({ err: error }, 'the state of a circuit breaker could not be announced'),
    );
  });
  await kv.subscribe(TOPIC, (text) => {
    const message: PublishedEvent = JSON.parse(text); // all nodes run the same version
    if (message.from !== node) breakers.apply(message.news);
  });
  changes.on('channels', (ids) => breakers.forget(ids));
  return breakers;
}
