/**
 * The only writer of call charges. Collects the holds, charges and log rows of all calls of this
 * process and commits them in batches (docs/decisions/0002-group-commit.md), or lets the parent
 * process commit them.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../domain/errors/errors.ts';
import type { Logger } from '../../log.ts';
import { NO_OP_OBSERVER, type Observer } from '../../observe/observer.ts';
import type { Databases } from '../../store/connection/database.ts';
import { GroupCommit } from '../../store/ledger/group-commit.ts';
import {
  type CloseOperation,
  HOLD_LIFETIME_SEC,
  type HoldOperation,
  isShort,
  type Operation,
  type Outcome,
  type ShrinkOperation,
} from '../../store/ledger/ledger-operations.ts';
import { probeSettlement } from '../../store/ledger/settlement-probe.ts';
import type { LogTable } from '../../store/logs/log-database.ts';
import { isTableMissing, writeFault } from '../../store/sql/sql-dialect.ts';
import { notWritable, WriteCheck } from '../cluster/write-check.ts';
import { createBatchCommit } from './commit-batch.ts';
import { commitByParent, type SharedCommits } from './shared-commits.ts';
import type { ThresholdCrossing } from './threshold-crossings.ts';

export interface LedgerWriter {
  /**
   * Reserves quota and room in budgets; a hold that is short reserves nothing.
   * @throws AppError `database_unreachable`, `database_not_writable`; a hold that may have been
   * written anyway is released.
   */
  hold(operation: HoldOperation): Promise<Outcome>;
  /** Lowers the amounts of a hold of this process. @throws as `hold`; the hold is then unchanged or lower. */
  shrink(operation: ShrinkOperation): Promise<void>;
  /**
   * Settles a call: releases its hold, posts its charge and writes its logs, all or nothing.
   * Retries for `CLOSE_TIMEOUT_MS` while the database is unavailable, as the response may already
   * be sent; after that only the hold is released, as soon as possible.
   * @throws AppError `database_unreachable`, `database_not_writable`; what the operation causes.
   */
  close(operation: CloseOperation): Promise<Outcome>;
  /**
   * Given calls with holds of this process, returns those that this process will not settle any
   * more: their commits arrived after the holds had been given up.
   */
  abandonedHolds(requestIds: readonly string[]): string[];
  /** Resolves when everything submitted so far is on disk. */
  flush(): Promise<void>;
  /** Number of operations waiting for the next commit. */
  waiting(): number;
  /** Whether the database accepts writes; updated by every commit. */
  readonly writes: WriteCheck;
  /** Why commits are slower than they should be; undefined while they are not. */
  slowReason(): string | undefined;
  /**
   * Registers a listener that runs after the commit that took a balance below its user's
   * `warnBelow`: once per crossing, across all processes. Must return at once and not throw.
   */
  onThresholdCrossed(listener: (crossing: ThresholdCrossing) => void): void;
}

const SHARED_LOG = { table: 'logs', onCommit: () => undefined } as const;
/** Of all processes that commit through one parent. */
const MAX_BATCH = 256;
const MAX_WAITING = 20_000;
const CLOSE_TIMEOUT_MS = 30_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

export interface LedgerWriterOptions {
  /** Table of the log entries, and a callback for committed ones. */
  readonly logEntries?: { readonly table: LogTable; readonly onCommit: () => void };
  readonly observer?: Observer;
  /** Commits through the parent process. */
  readonly shared?: SharedCommits | undefined;
}

export function createLedgerWriter(
  databases: Databases,
  log: Logger,
  { logEntries = SHARED_LOG, observer = NO_OP_OBSERVER, shared }: LedgerWriterOptions = {},
): LedgerWriter {
  const listeners: ((crossing: ThresholdCrossing) => void)[] = [];
  const listener = {
    commitEnded: observer.commitEnded,
    batchFellBack: observer.batchFellBack,
    thresholdCrossed(crossing: ThresholdCrossing) {
      for (const onCrossing of listeners) onCrossing(crossing);
    },
  };
  const own = createBatchCommit(databases, log, { logTable: logEntries.table, listener });
  const commits = shared === undefined ? own : commitByParent(shared.channel, own, listener);
  const writes = new WriteCheck(databases, log, (failed) =>
    probeSettlement(databases, logEntries.table, failed),
  );
  const commit = async (batch: readonly Operation[]): Promise<readonly Outcome[]> => {
    // An empty batch is a health check of the store, and an empty transaction writes nothing.
    if (batch.length === 0) writes.require();
    const outcomes = await commits.commit(batch).catch(async (error: unknown) => {
      await writes.settlementFailed(error, batch);
      throw error;
    });
    writes.wrote();
    logEntries.onCommit();
    return outcomes;
  };
  const writer = new GroupCommit<Operation, Outcome>({
    commit,
    maxBatch: partOf(MAX_BATCH, shared),
    maxWaiting: partOf(MAX_WAITING, shared),
    onFull: () => unreachable(databases, new QueueFull()),
  });
  /** Start times of calls with a hold and no settlement yet, in start order. */
  const pendingHolds = new Map<string, number>();
  const releaseHold = async (operation: HoldOperation | CloseOperation): Promise<void> => {
    await releaseWithRetry(writer, operation);
    pendingHolds.delete(operation.requestId);
  };
  return {
    async hold(operation) {
      const { requestId } = operation;
      pendingHolds.set(requestId, Date.now());
      try {
        const outcome = await writer.submit(operation);
        if (isShort(outcome)) pendingHolds.delete(requestId);
        return outcome;
      } catch (cause) {
        if (wasNeverSent(cause)) {
          pendingHolds.delete(requestId);
          throw cause;
        }
        log.error({ err: cause, request_id: requestId }, 'a hold could not be written');
        // The connection may have broken after the commit, so the hold may exist.
        void releaseHold(operation);
        throw writes.fault === undefined ? unreachable(databases, cause) : notWritable(cause);
      }
    },
    shrink: async (operation) => void (await writer.submit(operation)),
    async close(operation) {
      try {
        const outcome = await closeWithRetry(writer, operation, log);
        pendingHolds.delete(operation.requestId);
        return outcome;
      } catch (error) {
        if (operation.hold !== undefined) void releaseHold(operation);
        throw writes.fault === undefined || error instanceof AppError ? error : notWritable(error);
      }
    },
    abandonedHolds(requestIds) {
      for (const [requestId, sinceMs] of pendingHolds) {
        if (sinceMs > Date.now() - HOLD_LIFETIME_SEC * 1000) break;
        pendingHolds.delete(requestId); // settled elsewhere if handed over
      }
      return requestIds.filter((requestId) => !pendingHolds.has(requestId));
    },
    flush: () => writer.flush(),
    waiting: () => writer.waiting,
    writes,
    slowReason: () => commits.slowReason(),
    onThresholdCrossed: (listener) => void listeners.push(listener),
  };
}

/** What one worker has of a limit of all that commit through one parent. */
function partOf(limit: number, shared: SharedCommits | undefined): number {
  return Math.ceil(limit / (shared?.workers ?? 1));
}

class QueueFull extends Error {}

/**
 * Rejected before sending: the queue is full, or the database is known to be unavailable, which was
 * logged when the connection was lost.
 */
function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  return error.cause === undefined || error.cause instanceof QueueFull;
}

/** Omits the database's location, as clients see this error. */
function unreachable({ engine }: Databases, cause: unknown): AppError {
  if (cause instanceof AppError && cause.code === 'database_unreachable') return cause;
  if (writeFault(cause) !== undefined) return notWritable(cause);
  return new AppError('database_unreachable', { location: engine }, { cause, retryAfterSec: 1 });
}

type Writer = GroupCommit<Operation, Outcome>;

async function closeWithRetry(
  writer: Writer,
  operation: CloseOperation,
  log: Logger,
): Promise<Outcome> {
  const giveUpAt = Date.now() + CLOSE_TIMEOUT_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = nextPauseMs(pauseMs)) {
    try {
      return await writer.submit(operation);
    } catch (error) {
      // Logged as an error only once: every pending settlement passes here repeatedly while the
      // database is unavailable.
      const level = pauseMs === FIRST_PAUSE_MS ? 'error' : 'debug';
      log[level](
        { err: error, request_id: operation.requestId },
        'the end of a call could not be written',
      );
      // A table does not come back while a call waits.
      if (isTableMissing(error) || Date.now() + pauseMs > giveUpAt) throw error;
      await pause(pauseMs);
    }
  }
}

/** Retries until it succeeds, the hold expires, or the process ends and others release it. */
async function releaseWithRetry(
  writer: Writer,
  operation: HoldOperation | CloseOperation,
): Promise<void> {
  const endsAt = Date.now() + HOLD_LIFETIME_SEC * 1000;
  const { requestId } = operation;
  const hold = operation.kind === 'hold' ? operation : operation.hold;
  const release = { kind: 'close', requestId, hold, logs: [] } as const;
  for (let pauseMs = FIRST_PAUSE_MS; Date.now() < endsAt; pauseMs = nextPauseMs(pauseMs)) {
    try {
      await writer.submit(release);
      return;
    } catch {
      // The outage was logged when the call failed; the timer does not keep the process alive.
      await pause(pauseMs, undefined, { ref: false });
    }
  }
}

function nextPauseMs(pauseMs: number): number {
  return Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
}
