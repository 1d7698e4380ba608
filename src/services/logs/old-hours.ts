/**
 * Merges the hourly aggregates of days past the retention, which nothing else deletes, into one row
 * per day: that leaves every sum of whole days as it was. The days that are left show where an
 * interrupted run ended, and as all writers of the aggregates take the lock of the progress, it may
 * run anywhere at any time.
 */
import type { Context } from '../../context.ts';
import { LOG_SCOPES } from '../../domain/logs/log-hours.ts';
import { dayOf } from '../../domain/logs/months.ts';
import { lockLogProgress, saveLogProgress } from '../../store/logs/log-hours.ts';
import {
  daysWithHours,
  mergeHoursOfDay,
  mergeUsageOfDay,
  subjectsWithHours,
  usersWithHours,
} from '../../store/logs/old-hours.ts';
import { chunksOf } from '../../store/sql/sql-dialect.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { pauseAfterBatch } from './log-removal.ts';
import { inLogTransaction } from './log-transaction.ts';

/** A subject has up to 24 rows per type; calls wait to post charges while a batch is written. */
const BATCH_SUBJECTS = 50;

/** Merges days that end before a time, oldest first, until none are left or `isOver`. */
export async function mergeOldHours(
  ctx: Context,
  beforeSec: number,
  isOver: () => boolean,
): Promise<void> {
  const { reads } = ctx.logDatabase;
  for (const day of await daysWithHours(reads, dayOf(beforeSec))) {
    for (const users of chunksOf(await usersWithHours(reads, day), BATCH_SUBJECTS)) {
      if (isOver()) return;
      await mergeBatch(ctx, ({ db }) => mergeUsageOfDay(db, users, day));
    }
    for (const scope of LOG_SCOPES)
      for (const subjects of chunksOf(await subjectsWithHours(reads, scope, day), BATCH_SUBJECTS)) {
        if (isOver()) return;
        await mergeBatch(ctx, ({ db }) => mergeHoursOfDay(db, scope, subjects, day));
      }
  }
}

/** Readers that began before repeat their reads (`readConsistently`). */
async function mergeBatch(ctx: Context, merge: (ctx: TxContext) => Promise<void>): Promise<void> {
  const startedMs = performance.now();
  await inLogTransaction(ctx, async (ctx) => {
    const progress = await lockLogProgress(ctx.db);
    await merge(ctx);
    await saveLogProgress(ctx.db, progress);
  });
  await pauseAfterBatch(startedMs);
}
