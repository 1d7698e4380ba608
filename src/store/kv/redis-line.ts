/**
 * One connection to Redis that is not waited for: what is not answered in `PATIENCE_MS` has failed, and
 * the connection, which may be dead without TCP knowing it, is replaced. Whatever ends a connection, the
 * next one is tried until it stands; meanwhile every question fails at once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ErrorReply } from 'redis';
import { AppError } from '../../domain/errors/errors.ts';
import { answeredInTime, Silence } from './in-time.ts';
import type { RedisNews } from './redis-news.ts';

const PATIENCE_MS = 500;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

interface Closable {
  /** Ends when what was asked is answered. */
  close(): Promise<unknown>;
  destroy(): void;
}

/**
 * Makes a connection that can be asked at once and never reconnects by itself: `onLost` is told instead.
 * @throws AppError for what only the operator can mend, any other error while Redis is away.
 */
export type Dial<C extends Closable> = (onLost: (error: Error) => void) => Promise<C>;

export interface RedisLine<C> {
  /** Rejects at once while Redis is away, and after `PATIENCE_MS` when it does not answer. */
  ask<T>(work: (client: C) => Promise<T>): Promise<T>;
  /** False while it does not answer, as far as is known. */
  isUp(): boolean;
  close(): Promise<void>;
}

export interface LineOptions<C extends Closable> {
  readonly dial: Dial<C>;
  readonly news: RedisNews;
  /** What every new connection is told before anybody asks. */
  readonly onOpen?: (client: C) => Promise<void>;
  /** For one that only listens: it would not notice that nobody speaks any more. */
  readonly ping?: { readonly everyMs: number; readonly ask: (client: C) => Promise<unknown> };
}

interface Connection<C> {
  readonly client: C;
  readonly lost: Promise<Error>;
  readonly drop: (error: Error) => void;
}

/**
 * Waits for the first attempt only, whatever comes of it.
 * @throws AppError where that attempt showed what only the operator can mend.
 */
export async function openRedisLine<C extends Closable>(
  options: LineOptions<C>,
): Promise<RedisLine<C>> {
  const { news, ping } = options;
  const closing = new AbortController();
  let current: Connection<C> | undefined;

  const attempt = async (): Promise<Connection<C> | Error> => {
    try {
      const made = await connect(options);
      if (!closing.signal.aborted) return made;
      made.client.destroy();
      return new Error('closed');
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };

  const keepConnected = async (first: Connection<C> | Error): Promise<void> => {
    let state = first;
    let pauseMs = FIRST_PAUSE_MS;
    while (!closing.signal.aborted) {
      if (!(state instanceof Error)) {
        current = state;
        news.isBack(options);
        pauseMs = FIRST_PAUSE_MS;
        const { client, lost } = state;
        state = await lost;
        current = undefined;
        client.destroy();
        if (closing.signal.aborted) return;
      }
      news.isAway(options, state);
      await pause(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(
        () => undefined,
      );
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      if (!closing.signal.aborted) state = await attempt();
    }
  };

  const first = await attempt();
  if (first instanceof AppError) throw first;
  if (!(first instanceof Error)) current = first;
  const kept = keepConnected(first);

  const ask: RedisLine<C>['ask'] = async (work) => {
    const asked = current;
    try {
      if (asked === undefined) throw new Error('redis is away');
      return await answeredInTime(work(asked.client), PATIENCE_MS);
    } catch (error) {
      news.isUnanswered(error);
      if (asked !== undefined && asked === current && endsConnection(error)) {
        current = undefined;
        asked.drop(error);
      }
      throw error;
    }
  };
  const pings =
    ping &&
    setInterval(() => {
      // One that is silent is replaced by now.
      if (current !== undefined) ask(ping.ask).catch(() => undefined);
    }, ping.everyMs).unref();

  return {
    ask,
    isUp: () => current !== undefined,
    async close() {
      clearInterval(pings);
      const last = current;
      current = undefined;
      closing.abort();
      // What is being answered may end.
      if (last !== undefined)
        await answeredInTime(last.client.close(), PATIENCE_MS).catch(() => undefined);
      last?.drop(new Error('closed'));
      if (last !== undefined) await kept;
    },
  };
}

async function connect<C extends Closable>({
  dial,
  onOpen,
}: LineOptions<C>): Promise<Connection<C>> {
  let drop: (error: Error) => void = () => undefined;
  const lost = new Promise<Error>((resolve) => {
    drop = resolve;
  });
  const client = await dial(drop);
  try {
    if (onOpen !== undefined) await answeredInTime(onOpen(client), PATIENCE_MS);
  } catch (error) {
    client.destroy();
    throw error;
  }
  return { client, lost, drop };
}

/** Silence, and a server that was made a replica while it was connected to. */
function endsConnection(error: unknown): error is Error {
  if (error instanceof Silence) return true;
  return error instanceof ErrorReply && error.message.startsWith('READONLY');
}
