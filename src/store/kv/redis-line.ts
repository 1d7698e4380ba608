/**
 * One connection to Redis that is not waited for. A Redis that is paused or cut off says nothing, and
 * its client would wait as long as TCP does: so what is not answered in `PATIENCE_MS` has failed, and
 * the connection, which may be dead, is replaced. Between two such waits nothing is asked for a while.
 */
import { createClient, type RedisClientOptions } from 'redis';
import type { Logger } from '../../log.ts';

const PATIENCE_MS = 500;
const REST_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
const LONGEST_PAUSE_MS = 2_000;

export type Client = ReturnType<typeof open>;

export interface RedisLine {
  /** Rejects at once while Redis is away, and after `PATIENCE_MS` when it does not answer. */
  ask<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** False while it does not answer, as far as is known. */
  isUp(): boolean;
  close(): Promise<void>;
}

export interface LineOptions {
  readonly url: string;
  readonly log: Logger;
  /** What every new connection is told before anybody asks. */
  readonly onOpen?: (client: Client) => Promise<void>;
  /** For one that only listens: it would not notice that nobody speaks any more. */
  readonly pingEveryMs?: number;
}

/** Rejects when nobody answers at first; a Redis that goes away later is waited for. */
export async function openRedisLine(options: LineOptions): Promise<RedisLine> {
  const { url, log, onOpen, pingEveryMs } = options;
  const isStarting = { now: true };
  let client = open({ url }, isStarting, log);
  let restsUntilMs = 0;
  try {
    await client.connect();
    await onOpen?.(client);
  } catch (error) {
    client.destroy();
    throw error;
  }
  isStarting.now = false;

  const replace = (): void => {
    restsUntilMs = performance.now() + REST_MS;
    client.destroy();
    client = open({ url }, isStarting, log);
    const fresh = client;
    fresh
      .connect()
      .then(() => onOpen?.(fresh))
      // Destroyed meanwhile, or silent again: the next question finds out.
      .catch((error: Error) => log.debug({ err: error }, 'redis is not back yet'));
  };

  const ask: RedisLine['ask'] = async (work) => {
    if (performance.now() < restsUntilMs) throw new Error('redis does not answer');
    const asked = client;
    try {
      return await answeredInTime(work(asked));
    } catch (error) {
      if (error instanceof Silence && asked === client) replace();
      throw error;
    }
  };
  const ping = () => {
    ask((client) => client.ping()).catch(() => undefined); // if it was silent, it is replaced by now
  };
  const pings = pingEveryMs === undefined ? undefined : setInterval(ping, pingEveryMs).unref();

  return {
    ask,
    isUp: () => client.isReady && performance.now() >= restsUntilMs,
    async close() {
      clearInterval(pings);
      restsUntilMs = Number.POSITIVE_INFINITY;
      // What is being answered may end.
      await answeredInTime(client.close()).catch(() => undefined);
      client.destroy();
    },
  };
}

function open(
  options: Pick<RedisClientOptions, 'url'>,
  isStarting: { readonly now: boolean },
  log: Logger,
) {
  const client = createClient({
    ...options,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (tries, cause) =>
        isStarting.now ? cause : Math.min(100 * 2 ** tries, LONGEST_PAUSE_MS),
    },
  });
  client.on('error', (error: Error) => log.warn({ err: error }, 'redis is unreachable'));
  return client;
}

class Silence extends Error {
  constructor() {
    super(`redis did not answer within ${PATIENCE_MS} ms`);
  }
}

function answeredInTime<T>(asked: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // An answer that lay there while this process was busy is read before the immediate.
    const timer = setTimeout(() => setImmediate(() => reject(new Silence())), PATIENCE_MS);
    asked.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
