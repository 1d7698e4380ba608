/**
 * The one writer of what calls cost. It collects holds, charges and log rows of all calls of this
 * process and commits them together (docs/decisions/0002-group-commit.md).
 */
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
  /** Reserves quota; `user_short` and `token_short` leave nothing behind. */
  hold(operation: HoldOperation): Promise<Outcome>;
  /**
   * Ends a call: releases its hold, posts its charge and writes its logs, all or nothing. Tried
   * again for `CLOSE_PATIENCE_MS` while the database is away, as the answer may already be out.
   */
  close(operation: CloseOperation): Promise<Outcome>;
  /** Everything submitted so far is on disk. */
  flush(): Promise<void>;
}

const MAX_BATCH = 256;
const MAX_WAITING = 20_000;
const CLOSE_PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 50;

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
        throw new AppError('database_unreachable', { location: databases.location }, { cause });
      }
    },
    close: (operation) => closeSurely(writer, operation, log),
    flush: () => writer.flush(),
  };
}

async function closeSurely(
  writer: GroupCommit<Operation, Outcome>,
  operation: CloseOperation,
  log: Logger,
): Promise<Outcome> {
  const giveUpAt = Date.now() + CLOSE_PATIENCE_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, 2000)) {
    try {
      return await writer.submit(operation);
    } catch (error) {
      log.error(
        { err: error, requestId: operation.requestId },
        'the end of a call could not be written',
      );
      if (Date.now() + pauseMs > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
