/**
 * Changes tables that are in use. A waiting exclusive lock blocks all later requests, so a single
 * long reader would stall the whole site. Here the wait is short, and the work is retried while
 * others continue.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isRetryable } from '../sql/sql-dialect.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 5_000;
/** For PostgreSQL; MySQL supports whole seconds only. */
export const LOCK_WAIT = '300ms';

export interface LockOptions {
  /** Time from the first attempt to the last. */
  readonly timeoutMs: number;
  /** Called once, if the first attempt was blocked. */
  readonly onWait?: (() => void) | undefined;
}

/** A PostgreSQL transaction that waits only briefly for locks, retried while others hold them. */
export function withShortLocks<T>(
  db: Knex,
  options: LockOptions,
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  return retryLocked(options, () =>
    db.transaction(async (trx) => {
      await trx.raw(`set local lock_timeout = '${LOCK_WAIT}'`);
      return work(trx);
    }),
  );
}

/** Repeats `work` after lock conflicts. @throws the error of the last attempt. */
export async function retryLocked<T>(
  { timeoutMs, onWait }: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const endsAtMs = performance.now() + timeoutMs;
  for (let pauseMs = FIRST_DELAY_MS; ; pauseMs = Math.min(MAX_DELAY_MS, pauseMs * 1.5)) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || performance.now() > endsAtMs) throw error;
      if (pauseMs === FIRST_DELAY_MS) onWait?.();
      await pause(pauseMs * (0.5 + Math.random()));
    }
  }
}
