/**
 * A Redis connection with a response timeout: a command without a response within `TIMEOUT_MS` has
 * failed, and the connection, which may be dead without TCP noticing, is replaced. After any loss
 * it reconnects until it succeeds; meanwhile every command fails at once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ErrorReply } from 'redis';
import { AppError } from '../../domain/errors/errors.ts';
import type { RedisOutages } from './redis-outages.ts';
import { RedisTimeout, withRedisTimeout } from './with-timeout.ts';

const TIMEOUT_MS = 500;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;

interface Closable {
  /** Closes after pending commands are answered. */
  close(): Promise<unknown>;
  destroy(): void;
}

/**
 * Opens a connection that is ready for use and never reconnects by itself: it calls `onLost`
 * instead.
 * @throws AppError for errors that only the operator can fix, any other error while Redis is
 * unavailable.
 */
export type RedisDialer<C extends Closable> = (onLost: (error: Error) => void) => Promise<C>;

export interface RedisConnection<C> {
  /** Rejects at once while Redis is unavailable, and after `TIMEOUT_MS` without a response. */
  run<T>(work: (client: C) => Promise<T>): Promise<T>;
  /** False while it is known not to respond. */
  isUp(): boolean;
  close(): Promise<void>;
}

export interface ConnectionOptions<C extends Closable> {
  readonly dial: RedisDialer<C>;
  readonly outages: RedisOutages;
  /** Runs on every new connection before any other command. */
  readonly onOpen?: (client: C) => Promise<void>;
  /** For a subscriber connection, which would not notice a dead peer otherwise. */
  readonly ping?: { readonly everyMs: number; readonly send: (client: C) => Promise<unknown> };
}

interface Connection<C> {
  readonly client: C;
  readonly lost: Promise<Error>;
  readonly drop: (error: Error) => void;
}

/**
 * Waits for the first attempt only, whatever its result.
 * @throws AppError if that attempt failed with an error that only the operator can fix.
 */
export async function openRedisConnection<C extends Closable>(
  options: ConnectionOptions<C>,
): Promise<RedisConnection<C>> {
  const { outages, ping } = options;
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
    let delayMs = FIRST_DELAY_MS;
    while (!closing.signal.aborted) {
      if (!(state instanceof Error)) {
        current = state;
        outages.connectionRestored(options);
        delayMs = FIRST_DELAY_MS;
        const { client, lost } = state;
        state = await lost;
        current = undefined;
        client.destroy();
        if (closing.signal.aborted) return;
      }
      outages.connectionLost(options, state);
      await pause(delayMs, undefined, { signal: closing.signal, ref: false }).catch(
        () => undefined,
      );
      delayMs = Math.min(2 * delayMs, MAX_DELAY_MS);
      if (!closing.signal.aborted) state = await attempt();
    }
  };

  const first = await attempt();
  if (first instanceof AppError) throw first;
  if (!(first instanceof Error)) current = first;
  const connectionLoop = keepConnected(first);

  const run: RedisConnection<C>['run'] = async (work) => {
    const answer = current;
    try {
      if (answer === undefined) throw new Error('Redis does not answer');
      return await withRedisTimeout(work(answer.client), TIMEOUT_MS);
    } catch (error) {
      outages.commandFailed(error);
      if (answer !== undefined && answer === current && endsConnection(error)) {
        current = undefined;
        answer.drop(error);
      }
      throw error;
    }
  };
  const pings =
    ping &&
    setInterval(() => {
      // An unresponsive connection is replaced by `run`.
      if (current !== undefined) run(ping.send).catch(() => undefined);
    }, ping.everyMs).unref();

  return {
    run,
    isUp: () => current !== undefined,
    async close() {
      clearInterval(pings);
      const last = current;
      current = undefined;
      closing.abort();
      // Lets pending responses finish.
      if (last !== undefined)
        await withRedisTimeout(last.client.close(), TIMEOUT_MS).catch(() => undefined);
      last?.drop(new Error('closed'));
      if (last !== undefined) await connectionLoop;
    },
  };
}

async function connect<C extends Closable>({
  dial,
  onOpen,
}: ConnectionOptions<C>): Promise<Connection<C>> {
  let drop: (error: Error) => void = () => undefined;
  const lost = new Promise<Error>((resolve) => {
    drop = resolve;
  });
  const client = await dial(drop);
  try {
    if (onOpen !== undefined) await withRedisTimeout(onOpen(client), TIMEOUT_MS);
  } catch (error) {
    client.destroy();
    throw error;
  }
  return { client, lost, drop };
}

/** A timeout, or a server that became a replica while connected. */
function endsConnection(error: unknown): error is Error {
  if (error instanceof RedisTimeout) return true;
  return error instanceof ErrorReply && error.message.startsWith('READONLY');
}
