/**
 * The one writer of what calls cost. It collects holds, charges and log rows of all calls of this
 * process and commits them together (docs/decisions/0002-group-commit.md).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../domain/errors/errors.ts';
import type { Logger } from '../../log.ts';
import { NOTHING, type Observer } from '../../observe/observer.ts';
import type { Databases } from '../../store/connection/database.ts';
import { inTx } from '../../store/connection/transaction.ts';
import { GroupCommit } from '../../store/ledger/group-commit.ts';
import { applyBatch } from '../../store/ledger/ledger.ts';
import type {
  CloseOperation,
  HoldOperation,
  Operation,
  Outcome,
} from '../../store/ledger/ledger-operations.ts';
import { closeByScript } from '../../store/ledger/settlement-batch.ts';
import type { LogTable } from '../../store/logs/log-database.ts';
import { writeFaultOf } from '../../store/sql/sql-dialect.ts';
import { notWritable, WriteCheck } from '../cluster/write-check.ts';
import { ScriptWatch } from './settlement-fallbacks.ts';

export interface Books {
  /**
   * Reserves quota; `user_short` and `token_short` leave nothing behind.
   * @throws AppError `database_unreachable`, `database_not_writable`; what may have been reserved all the same is given back.
   */
  hold(operation: HoldOperation): Promise<Outcome>;
  /**
   * Ends a call: releases its hold, posts its charge and writes its logs, all or nothing. Tried
   * again for `CLOSE_PATIENCE_MS` while the database is away, as the answer may already be out;
   * after that only the hold is given back, as soon as that is possible.
   */
  close(operation: CloseOperation): Promise<Outcome>;
  /**
   * Those of these calls, all with holds of this process, whose end it does not owe any more: they
   * came to be by commits that arrived when the holds had been given up.
   */
  unowed(requestIds: readonly string[]): string[];
  /** Everything submitted so far is on disk. */
  flush(): Promise<void>;
  /** Operations that wait for the next commit. */
  waiting(): number;
  /** Whether the database takes writes: every commit tells it. */
  readonly writes: WriteCheck;
  /** Why commits are slower than they should be; undefined while they are not. */
  slowReason(): string | undefined;
  /**
   * Calls back after the commit that took a balance below its user's `warnBelow`: once, whichever
   * process charged what. Must return at once and not throw.
   */
  onCrossing(listener: (crossing: Crossing) => void): void;
}

export interface Crossing {
  readonly userId: number;
  /** Balance before and after the charges of one commit, in quota units. */
  readonly before: number;
  readonly after: number;
}

/** A hold older than this belongs to no living call, whatever its node says. */
export const HOLD_LIFETIME_SEC = 6 * 3600;

const SHARED_LOG = { table: 'logs', onCommit: () => undefined } as const;
const MAX_BATCH = 256;
const MAX_WAITING = 20_000;
const CLOSE_PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

export interface BooksOptions {
  /** Where log lines go, and what is told that some were committed. */
  readonly lines?: { readonly table: LogTable; readonly onCommit: () => void };
  readonly observer?: Observer;
}

export function createBooks(
  databases: Databases,
  log: Logger,
  { lines = SHARED_LOG, observer = NOTHING }: BooksOptions = {},
): Books {
  const listeners: ((crossing: Crossing) => void)[] = [];
  const scripts = new ScriptWatch(log, observer);
  const writes = new WriteCheck(databases, log);
  const commit = async (batch: readonly Operation[]): Promise<Outcome[]> => {
    // An empty batch asks whether the store is sound, and an empty transaction writes nothing.
    if (batch.length === 0) writes.require();
    const balances = new Map<number, number>();
    const outcomes = await watched(observer, batch.length, async () => {
      const end = await closeByScript(databases, batch, balances, lines.table);
      scripts.note(end);
      return end.kind === 'done'
        ? batch.map((): Outcome => 'done')
        : await inTx(databases, (tx) => applyBatch(tx.db, batch, balances, lines.table));
    }).catch((error: unknown) => {
      writes.failed(error);
      throw error;
    });
    writes.wrote();
    lines.onCommit();
    for (const crossing of crossingsIn(batch, outcomes, balances))
      for (const listener of listeners) listener(crossing);
    return outcomes;
  };
  const writer = new GroupCommit<Operation, Outcome>({
    commit,
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    onFull: () => unreachable(databases, new QueueFull()),
  });
  /** Calls with a hold and no end yet, and since when; in the order of their beginnings. */
  const owed = new Map<string, number>();
  const giveBack = async (operation: Operation): Promise<void> => {
    await giveBackSurely(writer, operation);
    owed.delete(operation.requestId);
  };
  return {
    async hold(operation) {
      const { requestId } = operation;
      owed.set(requestId, Date.now());
      try {
        const outcome = await writer.submit(operation);
        if (outcome === 'user_short' || outcome === 'token_short') owed.delete(requestId);
        return outcome;
      } catch (cause) {
        if (wasNeverSent(cause)) {
          owed.delete(requestId);
          throw cause;
        }
        log.error({ err: cause, request_id: requestId }, 'hold could not be written');
        // The connection may have broken after the commit: then the hold stands, and nobody knows.
        void giveBack(operation);
        throw unreachable(databases, cause);
      }
    },
    async close(operation) {
      try {
        const outcome = await closeSurely(writer, operation, log);
        owed.delete(operation.requestId);
        return outcome;
      } catch (error) {
        if (operation.hadHold) void giveBack(operation);
        throw error;
      }
    },
    unowed(requestIds) {
      for (const [requestId, sinceMs] of owed) {
        if (sinceMs > Date.now() - HOLD_LIFETIME_SEC * 1000) break;
        owed.delete(requestId); // what was handed over ends elsewhere
      }
      return requestIds.filter((requestId) => !owed.has(requestId));
    },
    flush: () => writer.flush(),
    waiting: () => writer.waiting,
    writes,
    slowReason: () => scripts.failing,
    onCrossing(listener) {
      listeners.push(listener);
    },
  };
}

class QueueFull extends Error {}

/** Refused here: too much waits, or the database is known to be away, which was said when it was lost. */
function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  return error.cause === undefined || error.cause instanceof QueueFull;
}

/** Callers see it, so it does not say where the database is. */
function unreachable({ engine }: Databases, cause: unknown): AppError {
  if (cause instanceof AppError && cause.code === 'database_unreachable') return cause;
  if (writeFaultOf(cause) !== undefined) return notWritable(cause);
  return new AppError('database_unreachable', { location: engine }, { cause, retryAfterSec: 1 });
}

async function watched<T>(
  observer: Observer,
  operations: number,
  commit: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  let isDone = false;
  try {
    const answer = await commit();
    isDone = true;
    return answer;
  } finally {
    observer.committed(operations, performance.now() - startedAt, isDone);
  }
}

/**
 * Nearly every charge leaves the balance above the threshold: one comparison. Below it, what the
 * whole commit took from the user tells whether this was the charge that crossed.
 */
function crossingsIn(
  batch: readonly Operation[],
  outcomes: readonly Outcome[],
  balances: ReadonlyMap<number, number>,
): Crossing[] {
  const crossings = new Map<number, Crossing>();
  for (const [index, operation] of batch.entries()) {
    if (operation.kind === 'hold' || operation.charge === undefined) continue;
    const { warnBelow, charge } = operation;
    const after = balances.get(charge.userId);
    if (warnBelow === undefined || after === undefined || after >= warnBelow) continue;
    if (outcomes[index] !== 'done' || crossings.has(charge.userId)) continue;
    const before = after - movedIn(batch, outcomes, charge.userId);
    if (before >= warnBelow) crossings.set(charge.userId, { userId: charge.userId, before, after });
  }
  return [...crossings.values()];
}

function movedIn(
  batch: readonly Operation[],
  outcomes: readonly Outcome[],
  userId: number,
): number {
  let moved = 0;
  for (const [index, operation] of batch.entries())
    if (operation.kind === 'close' && operation.charge?.userId === userId)
      moved += outcomes[index] === 'done' ? operation.charge.userUnits : 0;
  return moved;
}

type Writer = GroupCommit<Operation, Outcome>;

async function closeSurely(
  writer: Writer,
  operation: CloseOperation,
  log: Logger,
): Promise<Outcome> {
  const giveUpAt = Date.now() + CLOSE_PATIENCE_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = nextPauseMs(pauseMs)) {
    try {
      return await writer.submit(operation);
    } catch (error) {
      // Once aloud: every call that ends while the database is away comes by here many times.
      const level = pauseMs === FIRST_PAUSE_MS ? 'error' : 'debug';
      log[level](
        { err: error, request_id: operation.requestId },
        'the end of a call could not be written',
      );
      if (Date.now() + pauseMs > giveUpAt) throw error;
      await pause(pauseMs);
    }
  }
}

/** Until it succeeds, the hold's own expiry comes first, or the process ends: then others release it. */
async function giveBackSurely(writer: Writer, { requestId }: Operation): Promise<void> {
  const endsAt = Date.now() + HOLD_LIFETIME_SEC * 1000;
  const release = { kind: 'close', requestId, hadHold: true, logs: [] } as const;
  for (let pauseMs = FIRST_PAUSE_MS; Date.now() < endsAt; pauseMs = nextPauseMs(pauseMs)) {
    try {
      await writer.submit(release);
      return;
    } catch {
      // That the database is away was logged when the call failed; waiting keeps no process from ending.
      await pause(pauseMs, undefined, { ref: false });
    }
  }
}

function nextPauseMs(pauseMs: number): number {
  return Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
}
