/**
 * The same counters in Redis: a list of event times per key, newest first, changed by one script so
 * that two nodes cannot both take the last place. Times come from Redis, so clocks may differ.
 * While Redis does not answer the limits are kept per process: calls go on, and are still limited;
 * or, where the operator wants that, what is limited is refused.
 */
import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../log.ts';
import { type Kv, MAX_TEXT_CHARS, type Window } from './kv.ts';
import { createMemoryKv } from './memory.ts';
import { type Client, openRedisLine, type RedisLine } from './redis-line.ts';
import { createRedisShares } from './redis-shares.ts';

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
if ARGV[4] ~= 'left' then return wait end
local from, to = 0, math.min(limit, redis.call('LLEN', KEYS[1]))
while from < to do
  local middle = math.floor((from + to) / 2)
  if now - tonumber(redis.call('LINDEX', KEYS[1], middle)) < window then from = middle + 1
  else to = middle end
end
return {wait, limit - from}
`;

export interface RedisSettings {
  readonly url: string;
  /** Keeps apart the sites that share one Redis; the same on every node of a site. */
  readonly site: string;
  /** While Redis is away: count per process (default), or refuse what a limit would have to be asked for. */
  readonly onLoss?: 'count' | 'refuse';
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * @throws AppError `config_invalid` when nobody answers at `url`: a wrong address is told at start,
 * while a Redis that goes away later is waited for.
 */
export async function connectRedisKv(settings: RedisSettings): Promise<Kv> {
  const { url, site, onLoss = 'count', now, log } = settings;
  const prefix = `gateway:${site}:`;
  const fallback = createMemoryKv(now);
  const topics = new Map<string, ((text: string) => void)[]>();
  const { commands, messages } = await openLines(url, log, topics).catch(async (cause) => {
    await fallback.close();
    throw unreachable(cause);
  });

  const asked = ({ key, limit, windowMs }: Window, mode: string, answer: 'wait' | 'left') =>
    commands.ask((client) =>
      client.eval(SCRIPT, {
        keys: [`${prefix}${key}`],
        arguments: [String(limit), String(windowMs), mode, answer],
      }),
    );

  const lost = (error: unknown, mode: 'take' | 'peek' | 'record'): void => {
    log.warn({ err: error, onLoss }, 'limits cannot be asked of redis');
    if (onLoss === 'refuse' && mode !== 'record')
      throw new AppError('limits_unavailable', {}, { cause: error, retryAfterSec: 1 });
  };

  const run = async (window: Window, mode: 'take' | 'peek' | 'record'): Promise<number> => {
    try {
      return Number(await asked(window, mode, 'wait'));
    } catch (error) {
      lost(error, mode);
      if (mode === 'record') await fallback.record(window);
      return mode === 'record' ? 0 : fallback[mode](window);
    }
  };

  return {
    kind: 'redis',
    isUp: () => commands.isUp() && messages.isUp(),
    ...createRedisShares({
      run: (script, given) => commands.ask((client) => client.eval(script, given)),
      prefix,
      fallback: onLoss === 'count' ? fallback : undefined,
      log,
    }),
    take: (window) => run(window, 'take'),
    peek: (window) => run(window, 'peek'),
    async room(window, how) {
      try {
        const answer = await asked(window, how, 'left');
        const [waitMs = 0, left = 0] = Array.isArray(answer) ? answer.map(Number) : [];
        return { waitMs, left };
      } catch (error) {
        lost(error, how);
        return fallback.room(window, how);
      }
    },
    async record(window) {
      await run(window, 'record');
    },
    async clear(key) {
      await fallback.clear(key);
      await commands
        .ask((client) => client.del(`${prefix}${key}`))
        .catch((error: Error) => log.warn({ err: error }, 'a limit was not cleared in redis'));
    },
    ...textsOf(commands, prefix, log),
    async publish(topic, text) {
      // A lost message only delays the others until their next poll.
      await commands
        .ask((client) => client.publish(`${prefix}${topic}`, text))
        .catch((error: Error) => log.warn({ err: error }, 'change not announced by redis'));
    },
    async subscribe(topic, onMessage) {
      const name = `${prefix}${topic}`;
      topics.set(name, [...(topics.get(name) ?? []), onMessage]);
      // Whoever listens in vain still polls; a connection that is replaced listens by itself.
      await messages
        .ask((client) => client.subscribe(name, onMessage))
        .catch((error: Error) => log.warn({ err: error }, 'redis announces no changes yet'));
    },
    async close() {
      await Promise.allSettled([commands, messages, fallback].map((one) => one.close()));
    },
  };
}

function textsOf(commands: RedisLine, prefix: string, log: Logger): Pick<Kv, 'put' | 'read'> {
  return {
    async put(key, text, lifetimeMs) {
      if (text.length > MAX_TEXT_CHARS) return;
      const expiration = { type: 'PX', value: lifetimeMs } as const;
      await commands
        .ask((client) => client.set(`${prefix}${key}`, text, { expiration }))
        .catch((error: Error) => log.warn({ err: error }, 'a text was not kept in redis'));
    },
    async read(keys) {
      if (keys.length === 0) return [];
      try {
        const names = keys.map((key) => `${prefix}${key}`);
        const found = await commands.ask((client) => client.mGet(names));
        return found.map((text) => text ?? undefined);
      } catch (error) {
        log.warn({ err: error }, 'texts kept in redis cannot be read');
        return keys.map(() => undefined);
      }
    },
  };
}

const LISTEN_CHECK_MS = 3_000;

/** One for questions, one that only listens. */
async function openLines(
  url: string,
  log: Logger,
  topics: Parameters<typeof listenAll>[1],
): Promise<{ readonly commands: RedisLine; readonly messages: RedisLine }> {
  const commands = await openRedisLine({ url, log });
  try {
    const onOpen = (client: Client) => listenAll(client, topics);
    const messages = await openRedisLine({ url, log, onOpen, pingEveryMs: LISTEN_CHECK_MS });
    return { commands, messages };
  } catch (error) {
    await commands.close();
    throw error;
  }
}

async function listenAll(
  client: Client,
  topics: ReadonlyMap<string, readonly ((text: string) => void)[]>,
): Promise<void> {
  for (const [name, listeners] of topics)
    for (const listener of listeners) await client.subscribe(name, listener);
}

function unreachable(cause: unknown): AppError {
  const facts = { key: 'redisUrl', names: 'GATEWAY_REDIS or REDIS_URL', problem: 'no answer' };
  return new AppError('config_invalid', facts, { cause, param: 'redisUrl' });
}
