/**
 * The counters in Redis: a list of event times per key, newest first, updated by one script so that
 * two nodes cannot both take the last place. Times come from Redis, so node clocks may differ.
 * While Redis does not respond, limits are counted per process, so calls continue and are still
 * limited; or limited model calls are rejected, if the operator prefers. Sign-ins are never
 * rejected.
 */
import { AppError } from '../../domain/errors/errors.ts';
import type { Logger } from '../../log.ts';
import { type Kv, MAX_TEXT_CHARS, type RateWindow } from './kv.ts';
import { createMemoryKv } from './memory.ts';
import {
  commandDialer,
  messageDialer,
  parseRedisUrl,
  type RedisAddress,
  type RedisCommands,
  type RedisSubscriber,
} from './redis-address.ts';
import { openRedisConnection, type RedisConnection } from './redis-connection.ts';
import { createRedisOutages, type RedisOutages } from './redis-outages.ts';
import { createRedisPermits } from './redis-permits.ts';

/** ARGV: limit, window in ms, mode (`take`, `peek`, `record`). Returns the milliseconds to wait. */
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
if ARGV[4] ~= 'left' then return wait end
local from, to = 0, math.min(limit, redis.call('LLEN', KEYS[1]))
while from < to do
  local middle = math.floor((from + to) / 2)
  if now - tonumber(redis.call('LINDEX', KEYS[1], middle)) < window then from = middle + 1
  else to = middle end
end
return {wait, limit - from}
`;

const DEGRADED_MODE = {
  count: 'limits are counted per process',
  refuse: 'limited calls are refused',
} as const;

export interface RedisSettings {
  readonly url: string;
  /** Separates sites that share one Redis; the same on every node of a site. */
  readonly site: string;
  /** While Redis is unavailable: count per process (default), or reject limited model calls. */
  readonly onLoss?: 'count' | 'refuse';
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * Redis may be unavailable at first: it is used as soon as it responds.
 * @throws AppError `config_invalid` for errors that only the operator can fix: an invalid address,
 * a password that Redis rejects, a server of another kind than the address states.
 */
export async function connectRedisKv(settings: RedisSettings): Promise<Kv> {
  const { url, site, onLoss = 'count', now, log } = settings;
  const prefix = `gateway:${site}:`;
  const address = parseRedisUrl(url);
  const topics = new Map<string, ((text: string) => void)[]>();
  const outages = createRedisOutages(log, DEGRADED_MODE[onLoss]);
  const { commands, messages } = await openConnections(address, outages, topics);
  const fallback = createMemoryKv(now);

  const evalWindow = (
    { key, limit, windowMs }: RateWindow,
    mode: string,
    answer: 'wait' | 'left',
  ) =>
    commands.run((client) =>
      client.eval(SCRIPT, {
        keys: [`${prefix}${key}`],
        arguments: [String(limit), String(windowMs), mode, answer],
      }),
    );

  const throwIfRefusing = (
    error: unknown,
    { isModelCall }: RateWindow,
    mode: 'take' | 'peek' | 'record',
  ): void => {
    if (onLoss === 'refuse' && isModelCall && mode !== 'record')
      throw new AppError('limits_unavailable', {}, { cause: error, retryAfterSec: 1 });
  };

  const run = async (window: RateWindow, mode: 'take' | 'peek' | 'record'): Promise<number> => {
    try {
      return Number(await evalWindow(window, mode, 'wait'));
    } catch (error) {
      throwIfRefusing(error, window, mode);
      if (mode === 'record') await fallback.record(window);
      return mode === 'record' ? 0 : fallback[mode](window);
    }
  };

  return {
    kind: 'redis',
    isUp: () => commands.isUp() && messages.isUp(),
    redis: { topology: address.topology, timeouts: outages.timeouts },
    ...createRedisPermits({
      run: (script, given) => commands.run((client) => client.eval(script, given)),
      prefix,
      fallback: onLoss === 'count' ? fallback : undefined,
    }),
    take: (window) => run(window, 'take'),
    peek: (window) => run(window, 'peek'),
    async windowState(window, how) {
      try {
        const answer = await evalWindow(window, how, 'left');
        const [waitMs = 0, left = 0] = Array.isArray(answer) ? answer.map(Number) : [];
        return { waitMs, left };
      } catch (error) {
        throwIfRefusing(error, window, how);
        return fallback.windowState(window, how);
      }
    },
    async record(window) {
      await run(window, 'record');
    },
    async clear(key) {
      await fallback.clear(key);
      await commands.run((client) => client.del(`${prefix}${key}`)).catch(ignoreError);
    },
    ...textStore(commands, prefix),
    async publish(topic, text) {
      // A lost message only delays the other nodes until their next poll.
      await commands.run((client) => client.publish(`${prefix}${topic}`, text)).catch(ignoreError);
    },
    async subscribe(topic, onMessage) {
      const name = `${prefix}${topic}`;
      topics.set(name, [...(topics.get(name) ?? []), onMessage]);
      // Without the subscription, nodes still poll; a replaced connection subscribes by itself.
      await messages.run((client) => client.subscribe(name, onMessage)).catch(ignoreError);
    },
    async close() {
      await Promise.allSettled([commands, messages, fallback].map((one) => one.close()));
      outages.close();
    },
  };
}

/** For `catch`: the error is already logged (redis-outages.ts). */
function ignoreError(): undefined {
  return undefined;
}

function textStore(
  commands: RedisConnection<RedisCommands>,
  prefix: string,
): Pick<Kv, 'put' | 'read'> {
  return {
    async put(key, text, lifetimeMs) {
      if (text.length > MAX_TEXT_CHARS) return;
      const expiration = { type: 'PX', value: lifetimeMs } as const;
      await commands
        .run((client) => client.set(`${prefix}${key}`, text, { expiration }))
        .catch(ignoreError);
    },
    async read(keys) {
      if (keys.length === 0) return [];
      // Separate but pipelined commands: in a cluster the keys are on several servers.
      const found = await commands
        .run((client) => Promise.all(keys.map((key) => client.get(`${prefix}${key}`))))
        .catch(ignoreError);
      return keys.map((_, at) => found?.[at] ?? undefined);
    },
  };
}

const PING_INTERVAL_MS = 3_000;

/** One connection for commands, one for subscriptions. */
async function openConnections(
  address: RedisAddress,
  outages: RedisOutages,
  topics: ReadonlyMap<string, readonly ((text: string) => void)[]>,
) {
  const opening = [
    openRedisConnection({ dial: commandDialer(address), outages }),
    openRedisConnection({
      dial: messageDialer(address),
      outages,
      onOpen: (client) => subscribeAll(client, topics),
      ping: { everyMs: PING_INTERVAL_MS, send: (client) => client.ping() },
    }),
  ] as const;
  try {
    const [commands, messages] = await Promise.all(opening);
    return { commands, messages };
  } catch (error) {
    for (const one of await Promise.allSettled(opening))
      if (one.status === 'fulfilled') await one.value.close();
    outages.close();
    throw error;
  }
}

async function subscribeAll(
  client: RedisSubscriber,
  topics: ReadonlyMap<string, readonly ((text: string) => void)[]>,
): Promise<void> {
  for (const [name, listeners] of topics)
    for (const listener of listeners) await client.subscribe(name, listener);
}
