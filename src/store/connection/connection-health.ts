/**
 * Monitors whether the database server responds. A paused or disconnected server sends nothing, and
 * every query would wait for the TCP timeout of a quarter of an hour. While serving, a probe query
 * runs several times a second on a separate connection, unless another response arrived recently.
 * After `RESPONSE_TIMEOUT_MS` without any response the link is down: waiting work is rejected, all
 * connections are reset, and all work fails at once with `database_unreachable` until the server
 * responds again.
 */
import type { Socket } from 'node:net';
import knex, { type Knex } from 'knex';
import { AppError } from '../../domain/errors/errors.ts';
import { markKnown } from '../../known-outage.ts';
import type { Logger } from '../../log.ts';
import { isConnectionLoss, isTimeout } from '../sql/sql-dialect.ts';
import type { Engine } from './engine.ts';

/** Maximum silence of a healthy server. */
export const RESPONSE_TIMEOUT_MS = 1_500;
const CHECK_EVERY_MS = 250;
/** A response more recent than this makes a probe unnecessary. */
const FRESH_MS = 500;
/** If the process was blocked for this long, missing responses are its own fault. */
const STALL_TOLERANCE_MS = 500;
/** Of connections that are lost together, only one is logged. */
const LOSS_SHOWN_EVERY_MS = 10_000;

/** The methods of knex's (untyped) client that are wrapped. */
interface Client {
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<unknown>;
  _query(connection: unknown, query: unknown): Promise<unknown>;
}
type ClientClass = new (...config: unknown[]) => Client;

export class ConnectionHealth {
  readonly #engine: Engine;
  readonly #sockets = new Set<Socket>();
  /** Callbacks of callers waiting for a free connection. */
  readonly #waiting = new Set<() => void>();
  #isUp = true;
  #downSinceMs = 0;
  /** Statements that failed during the outage. */
  #failed = 0;
  /** When a lost connection was last left to the log although the server responds. */
  #lossShownAtMs = Number.NEGATIVE_INFINITY;
  lastResponseAtMs = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** knex's client for a driver; its work fails at once while the link is down. */
  clientFor(driver: 'pg' | 'mysql2'): typeof Knex.Client {
    const health = this;
    const plain: ClientClass = knex({ client: driver }).client.constructor;
    class MonitoredClient extends plain {
      override acquireConnection(): Promise<unknown> {
        return health.#acquire(this, () => super.acquireConnection());
      }
      override async _query(connection: unknown, query: unknown): Promise<unknown> {
        try {
          const answer = await super._query(connection, query);
          health.lastResponseAtMs = performance.now();
          return answer;
        } catch (error) {
          throw health.asUnreachable(error);
        }
      }
    }
    return MonitoredClient as unknown as typeof Knex.Client; // knex's class, two methods overridden
  }

  /** Registers a connection to reset when the link goes down. */
  track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** Probes with `probe`, a pool of one, until the returned function is called. */
  watch(probe: Knex, log: Logger): () => Promise<void> {
    let checkedAtMs = performance.now();
    let isProbing = false;
    /** Since when a response has been outstanding. */
    let pendingSinceMs: number | undefined;
    const runProbe = async (): Promise<void> => {
      isProbing = true;
      pendingSinceMs ??= performance.now();
      try {
        await probe.raw('select 1');
        pendingSinceMs = undefined;
        this.markUp(log);
      } catch (error) {
        // A connection timeout counts as silence, which is measured below.
        if (isConnectionLoss(error) && !isTimeout(error)) this.markDown(error, log);
      } finally {
        isProbing = false;
      }
    };
    const timer = setInterval(() => {
      const nowMs = performance.now();
      const wasStalled = nowMs - checkedAtMs > CHECK_EVERY_MS + STALL_TOLERANCE_MS;
      checkedAtMs = nowMs;
      // After a stall of this process, the silence is measured anew.
      if (wasStalled && pendingSinceMs !== undefined) pendingSinceMs = nowMs;
      const isFresh = this.#isUp && nowMs - this.lastResponseAtMs < FRESH_MS;
      if (!isProbing && !isFresh) void runProbe();
      if (pendingSinceMs === undefined) return;
      if (nowMs - Math.max(pendingSinceMs, this.lastResponseAtMs) <= RESPONSE_TIMEOUT_MS) return;
      this.markDown(new ResponseTimeout(), log);
      // The next attempt gets the same time, so that a slow server can recover.
      pendingSinceMs = nowMs;
    }, CHECK_EVERY_MS);
    timer.unref();
    return async () => {
      clearInterval(timer);
      await probe.destroy();
    };
  }

  markUp(log: Logger): void {
    this.lastResponseAtMs = performance.now();
    if (this.#isUp) return;
    this.#isUp = true;
    const seconds = Math.round((performance.now() - this.#downSinceMs) / 1000);
    log.info({ seconds, failed: this.#failed }, 'the database answers again');
    this.#failed = 0;
  }

  markDown(error: unknown, log: Logger): void {
    if (this.#isUp) {
      log.error({ err: error }, 'the database does not answer');
      this.#downSinceMs = performance.now();
    }
    this.#isUp = false;
    for (const rejectWaiting of this.#waiting) rejectWaiting();
    this.#waiting.clear();
    for (const socket of this.#sockets) resetSocket(socket);
  }

  async #acquire(client: Client, acquire: () => Promise<unknown>): Promise<unknown> {
    if (!this.#isUp) throw this.unreachable();
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(this.unreachable());
      this.#waiting.add(giveUp);
      acquire().then(
        (connection) => {
          if (this.#waiting.delete(giveUp)) resolve(connection);
          else void client.releaseConnection(connection);
        },
        (error: unknown) => {
          this.#waiting.delete(giveUp);
          reject(this.asUnreachable(error));
        },
      );
    });
  }

  asUnreachable(error: unknown): unknown {
    return isConnectionLoss(error) ? this.unreachable(error) : error;
  }

  /** Visible to callers, so it does not reveal the database's location. */
  unreachable(cause?: unknown): AppError {
    const unavailable = cause === undefined ? {} : { cause };
    const error = new AppError(
      'database_unreachable',
      { location: this.#engine },
      { ...unavailable, retryAfterSec: 1 },
    );
    this.#failed += 1;
    return this.#isLogged() ? markKnown(error) : error;
  }

  /** Whether the log has the begin of this outage, or of what may become one. */
  #isLogged(): boolean {
    if (!this.#isUp) return true;
    const nowMs = performance.now();
    if (nowMs - this.#lossShownAtMs < LOSS_SHOWN_EVERY_MS) return true;
    this.#lossShownAtMs = nowMs;
    return false;
  }
}

/**
 * Resets the connection instead of closing it: data still in the socket, perhaps a COMMIT, must not
 * arrive minutes later, when its work has been repeated or given up.
 */
function resetSocket(socket: Socket): void {
  try {
    socket.resetAndDestroy();
  } catch {
    // TLS and Unix sockets have no reset.
  }
  socket.destroy(new ResponseTimeout());
}

class ResponseTimeout extends Error {
  readonly code = 'ETIMEDOUT';
  constructor() {
    super(`no answer for ${RESPONSE_TIMEOUT_MS} ms`);
  }
}
