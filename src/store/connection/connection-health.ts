/**
 * Whether the database server answers. A server that is paused or cut off says nothing: without this
 * every query would wait as long as TCP does, a quarter of an hour. While a site serves, a question
 * goes out several times a second on a connection of its own, unless other answers came lately. After
 * `SILENCE_MS` without any the link is down: what waits fails, every connection is broken, and all
 * work fails at once with `database_unreachable` until the server answers again.
 */
import type { Socket } from 'node:net';
import knex, { type Knex } from 'knex';
import { AppError } from '../../domain/errors/errors.ts';
import type { Logger } from '../../log.ts';
import { isConnectionLoss, isTimeout } from '../sql/sql-dialect.ts';
import type { Engine } from './engine.ts';

/** Longest silence of a server that lives. */
export const SILENCE_MS = 1_500;
const LOOK_EVERY_MS = 250;
/** An answer this young spares the question. */
const FRESH_MS = 500;
/** A process that was kept from looking for this long has heard nothing by its own fault. */
const STALL_MS = 500;

/** The members of knex's (untyped) client that are led through the link. */
interface Client {
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<unknown>;
  _query(connection: unknown, query: unknown): Promise<unknown>;
}
type ClientClass = new (...config: unknown[]) => Client;

export class Link {
  readonly #engine: Engine;
  readonly #sockets = new Set<Socket>();
  /** Those who wait for a free connection. */
  readonly #waiting = new Set<() => void>();
  #isUp = true;
  #heardAtMs = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** knex's client for a driver, whose work fails at once while the link is down. */
  clientFor(driver: 'pg' | 'mysql2'): typeof Knex.Client {
    const link = this;
    const plain: ClientClass = knex({ client: driver }).client.constructor;
    class LinkedClient extends plain {
      override acquireConnection(): Promise<unknown> {
        return link.#acquire(this, () => super.acquireConnection());
      }
      override async _query(connection: unknown, query: unknown): Promise<unknown> {
        try {
          const answer = await super._query(connection, query);
          link.#heardAtMs = performance.now();
          return answer;
        } catch (error) {
          throw link.#told(error);
        }
      }
    }
    return LinkedClient as unknown as typeof Knex.Client; // knex's own class with two methods more
  }

  /** Connections that are broken when the link goes down. */
  track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** Asks by `probe`, a pool of one, until the function it returns is called. */
  watch(probe: Knex, log: Logger): () => Promise<void> {
    let lookedAtMs = performance.now();
    let isAsking = false;
    /** Since when an answer is owed. */
    let owedSinceMs: number | undefined;
    const ask = async (): Promise<void> => {
      isAsking = true;
      owedSinceMs ??= performance.now();
      try {
        await probe.raw('select 1');
        owedSinceMs = undefined;
        this.#rise(log);
      } catch (error) {
        // A connection that took too long is silence, which is measured below.
        if (isConnectionLoss(error) && !isTimeout(error)) this.#fall(error, log);
      } finally {
        isAsking = false;
      }
    };
    const timer = setInterval(() => {
      const nowMs = performance.now();
      const wasStalled = nowMs - lookedAtMs > LOOK_EVERY_MS + STALL_MS;
      lookedAtMs = nowMs;
      // Who did not listen cannot say that nobody spoke.
      if (wasStalled && owedSinceMs !== undefined) owedSinceMs = nowMs;
      const isFresh = this.#isUp && nowMs - this.#heardAtMs < FRESH_MS;
      if (!isAsking && !isFresh) void ask();
      if (owedSinceMs === undefined) return;
      if (nowMs - Math.max(owedSinceMs, this.#heardAtMs) <= SILENCE_MS) return;
      this.#fall(new Silence(), log);
      // The next try has as long: a slow server must have the time to come back.
      owedSinceMs = nowMs;
    }, LOOK_EVERY_MS);
    timer.unref();
    return async () => {
      clearInterval(timer);
      await probe.destroy();
    };
  }

  #rise(log: Logger): void {
    this.#heardAtMs = performance.now();
    if (this.#isUp) return;
    this.#isUp = true;
    log.info('the database answers again');
  }

  #fall(error: unknown, log: Logger): void {
    if (this.#isUp) log.error({ err: error }, 'the database does not answer');
    this.#isUp = false;
    for (const giveUp of this.#waiting) giveUp();
    this.#waiting.clear();
    for (const socket of this.#sockets) breakOff(socket);
  }

  async #acquire(client: Client, acquire: () => Promise<unknown>): Promise<unknown> {
    if (!this.#isUp) throw this.#refusal();
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(this.#refusal());
      this.#waiting.add(giveUp);
      acquire().then(
        (connection) => {
          if (this.#waiting.delete(giveUp)) resolve(connection);
          else void client.releaseConnection(connection);
        },
        (error: unknown) => {
          this.#waiting.delete(giveUp);
          reject(this.#told(error));
        },
      );
    });
  }

  #told(error: unknown): unknown {
    return isConnectionLoss(error) ? this.#refusal(error) : error;
  }

  /** Callers may see it, so it does not say where the database is. */
  #refusal(cause?: unknown): AppError {
    const told = cause === undefined ? {} : { cause };
    return new AppError(
      'database_unreachable',
      { location: this.#engine },
      { ...told, retryAfterSec: 1 },
    );
  }
}

/**
 * Not closed but reset: what is still in the socket, perhaps a COMMIT, should not arrive minutes later,
 * when its work has been done anew or given up.
 */
function breakOff(socket: Socket): void {
  try {
    socket.resetAndDestroy();
  } catch {
    // TLS and Unix sockets have no reset.
  }
  socket.destroy(new Silence());
}

class Silence extends Error {
  readonly code = 'ETIMEDOUT';
  constructor() {
    super(`no answer for ${SILENCE_MS} ms`);
  }
}
