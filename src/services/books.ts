/**
 * The one writer of what calls cost. It collects holds, charges and log rows of all calls of this
 * process and commits them together (docs/decisions/0002-group-commit.md).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import type { Logger } from '../log.ts';
import type { Databases } from '../store/db.ts';
import { GroupCommit } from '../store/group-commit.ts';
import {
  applyBatch,
  type CloseOperation,
  type HoldOperation,
  type Operation,
  type Outcome,
} from '../store/ledger.ts';
import { inTx } from '../store/tx.ts';

export interface Books {
  /**
   * Reserves quota; `user_short` and `token_short` leave nothing behind.
   * @throws AppError `database_unreachable`; what may have been reserved all the same is given back.
   */
  hold(operation: HoldOperation): Promise<Outcome>;
  /**
   * Ends a call: releases its hold, posts its charge and writes its logs, all or nothing. Tried
   * again for `CLOSE_PATIENCE_MS` while the database is away, as the answer may already be out;
   * after that only the hold is given back, as soon as that is possible.
   */
  close(operation: CloseOperation): Promise<Outcome>;
  /** Everything submitted so far is on disk. */
  flush(): Promise<void>;
}

/** A hold older than this belongs to no living call, whatever its node says. */
export const HOLD_LIFETIME_SEC = 6 * 3600;

const MAX_BATCH = 256;
const MAX_WAITING = 20_000;
const CLOSE_PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

export function createBooks(databases: Databases, log: Logger): Books {
  const writer = new GroupCommit<Operation, Outcome>({
    commit: (batch) => inTx(databases, (tx) => applyBatch(tx.db, batch)),
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    onFull: () => new AppError('database_unreachable', { location: databases.location }),
  });
  return {
    async hold(operation) {
      try {
        return await writer.submit(operation);
      } catch (cause) {
        if (cause instanceof AppError) throw cause;
        log.error({ err: cause, requestId: operation.requestId }, 'hold could not be written');
        // The connection may have broken after the commit: then the hold stands, and nobody knows.
        void giveBack(writer, operation);
        throw new AppError('database_unreachable', { location: databases.location }, { cause });
      }
    },
    close: (operation) => closeSurely(writer, operation, log),
    flush: () => writer.flush(),
  };
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
      log.error(
        { err: error, requestId: operation.requestId },
        'the end of a call could not be written',
      );
      if (Date.now() + pauseMs > giveUpAt) {
        if (operation.hadHold) void giveBack(writer, operation);
        throw error;
      }
      await pause(pauseMs);
    }
  }
}

/** Until it succeeds, the hold's own expiry comes first, or the process ends: then others release it. */
async function giveBack(writer: Writer, { requestId }: Operation): Promise<void> {
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
