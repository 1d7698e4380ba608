/**
 * Changes of tables that are in use. Who waits for an exclusive lock keeps all others waiting that come
 * after, so behind one long reader the whole site would stand still. Here the wait is a moment, and the
 * work is tried again while others go on.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isRetryable } from '../sql/sql-dialect.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** PostgreSQL; MySQL counts whole seconds. */
export const LOCK_WAIT = '300ms';

export interface TableTurn {
  /** From the first try to the last. */
  readonly patienceMs: number;
  /** Called once, when others were in the way of the first try. */
  readonly onWait?: (() => void) | undefined;
}

/** One transaction of PostgreSQL that waits for locks a moment only, tried again while others have them. */
export function withShortLocks<T>(
  db: Knex,
  turn: TableTurn,
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  return retried(turn, () =>
    db.transaction(async (trx) => {
      await trx.raw(`set local lock_timeout = '${LOCK_WAIT}'`);
      return work(trx);
    }),
  );
}

/** Repeats `work` while the database gives way to others. @throws the error of the last try. */
export async function retried<T>(
  { patienceMs, onWait }: TableTurn,
  work: () => Promise<T>,
): Promise<T> {
  const endsAtMs = performance.now() + patienceMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5)) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || performance.now() > endsAtMs) throw error;
      if (pauseMs === FIRST_PAUSE_MS) onWait?.();
      await pause(pauseMs * (0.5 + Math.random()));
    }
  }
}
