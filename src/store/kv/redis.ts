/**
 * The same counters in Redis: a list of event times per key, newest first, changed by one script so
 * that two nodes cannot both take the last place. Times come from Redis, so clocks may differ.
 * While Redis cannot be reached the limits are kept per process: calls go on, and are still limited.
 */
import { createClient } from 'redis';
import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../log.ts';
import type { Kv, Window } from './kv.ts';
import { createMemoryKv } from './memory.ts';

/** ARGV: limit, window in ms, mode (`take`, `peek`, `record`). Answers the milliseconds to wait. */
const SCRIPT = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local limit = tonumber(ARGV[1])
local window = tonumber(ARGV[2])
local oldest = redis.call('LINDEX', KEYS[1], limit - 1)
local wait = 0
if oldest and now - tonumber(oldest) < window then wait = window - (now - tonumber(oldest)) end
if ARGV[3] == 'record' or (ARGV[3] == 'take' and wait == 0) then
  redis.call('LPUSH', KEYS[1], now)
  redis.call('LTRIM', KEYS[1], 0, limit - 1)
  redis.call('PEXPIRE', KEYS[1], window)
end
return wait
`;
export interface RedisSettings {
  readonly url: string;
  /** Keeps apart the sites that share one Redis; the same on every node of a site. */
  readonly site: string;
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * @throws AppError `config_invalid` when nobody answers at `url`: a wrong address is told at start,
 * while a Redis that goes away later is waited for.
 */
export async function connectRedisKv({ url, site, now, log }: RedisSettings): Promise<Kv> {
  const prefix = `gateway:${site}:`;
  let isStarting = true;
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: {
      reconnectStrategy: (tries, cause) => (isStarting ? cause : Math.min(100 * 2 ** tries, 5000)),
    },
  });
  const subscriber = client.duplicate();
  const fallback = createMemoryKv(now);
  for (const side of [client, subscriber])
    side.on('error', (error: Error) => log.warn({ err: error }, 'redis is unreachable'));
  try {
    await Promise.all([client.connect(), subscriber.connect()]);
  } catch (cause) {
    for (const side of [client, subscriber]) side.destroy();
    await fallback.close();
    throw unreachable(cause);
  }
  isStarting = false;

  const run = async (window: Window, mode: 'take' | 'peek' | 'record'): Promise<number> => {
    try {
      const wait = await client.eval(SCRIPT, {
        keys: [`${prefix}${window.key}`],
        arguments: [String(window.limit), String(window.windowMs), mode],
      });
      return Number(wait);
    } catch (error) {
      log.warn({ err: error }, 'limits are kept per process while redis is unreachable');
      if (mode === 'record') await fallback.record(window);
      return mode === 'record' ? 0 : fallback[mode](window);
    }
  };

  return {
    kind: 'redis',
    take: (window) => run(window, 'take'),
    peek: (window) => run(window, 'peek'),
    async record(window) {
      await run(window, 'record');
    },
    async publish(topic, text) {
      // A lost message only delays the others until their next poll.
      await client
        .publish(`${prefix}${topic}`, text)
        .catch((error: Error) => log.warn({ err: error }, 'change not announced by redis'));
    },
    async subscribe(topic, onMessage) {
      await subscriber.subscribe(`${prefix}${topic}`, onMessage);
    },
    async close() {
      await Promise.allSettled([client.close(), subscriber.close(), fallback.close()]);
    },
  };
}

function unreachable(cause: unknown): AppError {
  const facts = { key: 'redisUrl', names: 'GATEWAY_REDIS or REDIS_URL', problem: 'no answer' };
  return new AppError('config_invalid', facts, { cause, param: 'redisUrl' });
}
