/**
 * Removes log entries. Their totals stay in the aggregates: entries not counted yet are counted in
 * the transaction that removes them.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Actor } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { LogFigures } from '../../domain/logs/log-hours.ts';
import { ROLES } from '../../domain/roles.ts';
import { lockLogProgress, logProgress, saveLogProgress } from '../../store/logs/log-hours.ts';
import { detachPartition, partitionsOf } from '../../store/logs/log-partitions.ts';
import { countedEntries, deleteLogs, oldestLogs } from '../../store/logs/log-rows.ts';
import { isRetryable } from '../../store/sql/sql-dialect.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { requireRole } from './audit.ts';
import { addAggregates } from './hourly-aggregates.ts';
import { inLogTransaction } from './log-transaction.ts';

/**
 * The time before which the actor may delete entries.
 * @throws AppError `permission_denied` for an admin when only super admins may.
 */
export function requireClearTime(ctx: Context, actor: Actor, before = 0): number {
  if (ctx.options().get('LogClearRootOnly')) requireRole(actor, ROLES.super_admin);
  if (before <= 0) throw invalidInput('before', 'time_missing');
  return before;
}

const BATCH_ENTRIES = 1_000;
/** A month with more uncounted entries than this is not detached as a whole. */
const MAX_UNCOUNTED = 10_000;

/**
 * Stops sums from using the hourly aggregates before this time. Call before deleting any of their
 * entries.
 */
export async function ignoreAggregatesBefore(
  ctx: Context,
  requestedBeforeSec: number,
): Promise<number> {
  // A future time would make sums ignore aggregates of hours that are still to be counted.
  const beforeSec = Math.min(requestedBeforeSec, nowSec(ctx) + 1);
  await inLogTransaction(ctx, async (ctx) => {
    const progress = await lockLogProgress(ctx.db);
    const clearedBeforeSec = Math.max(progress.clearedBeforeSec, beforeSec);
    if (clearedBeforeSec !== progress.clearedBeforeSec)
      await saveLogProgress(ctx.db, { ...progress, clearedBeforeSec });
  });
  return beforeSec;
}

/**
 * Deletes entries older than a time in batches, until none are left or `isOver`. Passes the size of
 * each batch to `onDeleted`. Returns whether all are deleted.
 */
export async function deleteInBatches(
  ctx: Context,
  beforeSec: number,
  isOver: () => boolean,
  onDeleted: (entries: number) => void,
): Promise<boolean> {
  // Each batch goes on where the last one ended. From the beginning, PostgreSQL would pass every
  // deleted row again while a reader, such as a backup, may still see it.
  let sinceSec = 0;
  while (!isOver()) {
    const startedMs = performance.now();
    const { deleted, newestSec } = await inLogTransaction(ctx, async (ctx) => {
      await lockLogProgress(ctx.db);
      const { ids, newestSec } = await oldestLogs(ctx.db, { sinceSec, beforeSec }, BATCH_ENTRIES);
      const span = { sinceSec, untilSec: newestSec };
      return { deleted: await deleteEntries(ctx, ids, span), newestSec };
    });
    onDeleted(deleted);
    if (deleted < BATCH_ENTRIES) {
      if (sinceSec === 0) return true;
      sinceSec = 0; // older entries may have arrived meanwhile
    } else sinceSec = newestSec;
    await pauseAfterBatch(startedMs);
  }
  return false;
}

/** Pauses as long as a batch took (at most 1 s), as calls wait to post charges meanwhile. */
export function pauseAfterBatch(startedMs: number): Promise<void> {
  return pause(Math.min(performance.now() - startedMs, 1_000));
}

/** Deletes entries by id within a time span; the ids need not exist. */
async function deleteEntries(
  ctx: TxContext,
  ids: readonly number[],
  span: { readonly sinceSec?: number; readonly untilSec: number },
): Promise<number> {
  const progress = await lockLogProgress(ctx.db);
  const uncounted = ids.filter((id) => id > progress.countedId);
  if (uncounted.length > 0) {
    const entries = await countedEntries(ctx.db, { ids: uncounted, ...span });
    await addAggregates(ctx, new LogFigures().add(entries));
    await saveLogProgress(ctx.db, progress);
  }
  return deleteLogs(ctx.db, ids, span);
}

/**
 * Detaches months that end before the time from a partitioned log. Their entries are hidden from
 * then on, in tables of their own.
 */
export async function detachMonths(
  ctx: Context,
  beforeSec: number,
  isOver: () => boolean,
): Promise<void> {
  const { db } = ctx.logDatabase;
  for (const { name, untilSec } of (await partitionsOf(db)) ?? []) {
    if (untilSec > beforeSec || isOver()) return;
    try {
      await detachMonth(ctx, name);
    } catch (error) {
      if (!isRetryable(error)) throw error;
      // For example, a backup reads the log for long. Its entries can still be deleted one by one.
      ctx.log.info(
        { err: error, partition: name },
        'a partition of the usage log is in use and was kept',
      );
    }
  }
}

/**
 * All or nothing: the month is detached and its entries counted, or neither. Skipped if too many
 * entries are uncounted; the batches delete them.
 */
async function detachMonth(ctx: Context, name: string): Promise<void> {
  const { db, reads } = ctx.logDatabase;
  const { countedId } = await logProgress(reads);
  const uncounted = await countedEntries(reads, { afterId: countedId }, MAX_UNCOUNTED + 1, name);
  if (uncounted.length > MAX_UNCOUNTED) return;
  await detachPartition(db, name, {
    first: async (trx) => void (await lockLogProgress(trx)),
    last: async (trx) => {
      const progress = await lockLogProgress(trx);
      const entries = await countedEntries(trx, { afterId: progress.countedId }, undefined, name);
      if (entries.length === 0) return;
      await addAggregates({ ...ctx, db: trx, reads: trx }, new LogFigures().add(entries));
      await saveLogProgress(trx, progress);
    },
  });
}
