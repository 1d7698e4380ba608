/**
 * Aggregates the log per hour (`log_hours`) and into the dashboard's `quota_data`. Each entry is
 * counted exactly once: the aggregates and the id up to which entries are counted change in one
 * transaction, and only if no other process counted in between. Entries whose transactions commit
 * out of order are not missed: except on SQLite, where one writer at a time assigns ids, an id
 * counts as settled `SETTLE_SEC` after it was seen, far longer than any transaction that writes log
 * entries may take.
 */
import { type Context, nowSec } from '../../context.ts';
import type { ReportProgress } from '../../domain/jobs.ts';
import { LogFigures } from '../../domain/logs/log-hours.ts';
import {
  countHoursInSql,
  countsInSql,
  countUsageInSql,
  firstEntries,
} from '../../store/logs/count-in-sql.ts';
import {
  addHours,
  lockLogProgress,
  logProgress,
  saveLogProgress,
} from '../../store/logs/log-hours.ts';
import { countedEntries, lastLogId } from '../../store/logs/log-rows.ts';
import { addHourlyUsage } from '../../store/logs/quota-data.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { inLogTransaction } from './log-transaction.ts';

/**
 * Limits of one transaction: small enough that calls hardly wait, large enough to merge similar
 * entries.
 */
const MAX_CELLS = 1_000;
const MAX_ENTRIES = 20_000;
const READ_BATCH = 500;
/** The same where the database counts by itself: only on SQLite calls wait for it. */
const ENTRIES_IN_SQL = { sqlite: 2_000, postgres: 50_000 } as const;
const FEW_ENTRIES = 1_000;
const SETTLE_SEC = 60;

export interface CountingLimits {
  /** Most transactions; if absent, runs until all entries are counted. */
  readonly batches?: number;
  readonly signal?: AbortSignal | undefined;
  /** Receives how many of the uncounted entries are counted, by their ids. */
  readonly report?: ReportProgress;
}

/** Counts settled entries and returns how many. Safe to run anywhere at any time. */
export async function aggregateLogs(ctx: Context, limits: CountingLimits = {}): Promise<number> {
  const { batches = Number.POSITIVE_INFINITY, signal, report } = limits;
  const upToId = await settledId(ctx);
  const { countedId: firstId } = await logProgress(ctx.logDatabase.reads);
  let counted = 0;
  for (let batch = 0; batch < batches && !signal?.aborted; batch += 1) {
    const { entries, countedId } = await countBatch(ctx, upToId);
    if (entries === 0) break;
    counted += entries;
    report?.(countedId - firstId, upToId - firstId);
  }
  return counted;
}

/** The highest id below which no new entry can appear. */
async function settledId(ctx: Context): Promise<number> {
  if (ctx.logDatabase.engine === 'sqlite') return lastLogId(ctx.logDatabase.reads);
  return inLogTransaction(ctx, async (ctx) => {
    const progress = await lockLogProgress(ctx.db);
    const seenForSec = nowSec(ctx) - progress.seenAtSec;
    // If the clock was set back, nothing would settle until it has caught up.
    const isClockSetBack = seenForSec < -SETTLE_SEC;
    if (seenForSec < SETTLE_SEC && !isClockSetBack) return progress.settledId;
    const settled = isClockSetBack ? progress.settledId : progress.seenId;
    const seen = { seenId: await lastLogId(ctx.db), seenAtSec: nowSec(ctx) };
    await saveLogProgress(ctx.db, { ...progress, ...seen, settledId: settled });
    return settled;
  });
}

/** Reads entries before the transaction, to keep it short for waiting calls. */
async function countBatch(
  ctx: Context,
  upToId: number,
): Promise<{ readonly entries: number; readonly countedId: number }> {
  const before = await logProgress(ctx.logDatabase.reads);
  if (before.countedId >= upToId) return { entries: 0, countedId: before.countedId };
  const batch = await nextBatch(ctx, before.countedId, upToId);
  const isCounted = await inLogTransaction(ctx, async (ctx) => {
    const progress = await lockLogProgress(ctx.db);
    if (progress.revision !== before.revision) return false;
    await batch.count(ctx);
    await saveLogProgress(ctx.db, { ...progress, countedId: batch.reachedId });
    return true;
  });
  // Another process counted first: continue after its entries.
  if (!isCounted) return countBatch(ctx, upToId);
  return { entries: Math.max(batch.entries, 1), countedId: batch.reachedId };
}

interface Batch {
  readonly entries: number;
  /** All entries up to this id are included in the aggregates. */
  readonly reachedId: number;
  /** Adds the entries to the aggregates. */
  count(ctx: TxContext): Promise<void>;
}

async function nextBatch(ctx: Context, countedId: number, upToId: number): Promise<Batch> {
  const { engine, reads } = ctx.logDatabase;
  if (!countsInSql(engine)) return aggregatesAfter(ctx, countedId, upToId);
  const most = ENTRIES_IN_SQL[engine];
  const range = await firstEntries(reads, { afterId: countedId, upToId }, most);
  // A statement over all entries costs more than it saves where most cells are met again.
  if (range.entries < FEW_ENTRIES) return aggregatesAfter(ctx, countedId, upToId);
  return {
    entries: range.entries,
    reachedId: range.upToId,
    async count(ctx) {
      await countHoursInSql(ctx.db, range);
      if (ctx.options().get('DataExportEnabled')) await countUsageInSql(ctx.db, range);
    },
  };
}

/** Reads in small portions, and continues while the result stays within `MAX_CELLS`. */
async function aggregatesAfter(ctx: Context, countedId: number, upToId: number): Promise<Batch> {
  const figures = new LogFigures();
  let entries = 0;
  let reachedId = countedId;
  while (reachedId < upToId && figures.size < MAX_CELLS && entries < MAX_ENTRIES) {
    const portion = await countedEntries(
      ctx.logDatabase.reads,
      { afterId: reachedId, upToId },
      READ_BATCH,
    );
    figures.add(portion);
    entries += portion.length;
    reachedId = portion.length < READ_BATCH ? upToId : (portion.at(-1)?.id ?? upToId);
  }
  return { entries, reachedId, count: (ctx) => addAggregates(ctx, figures) };
}

/** Adds to the stored aggregates. The caller must hold the lock of `lockLogProgress`. */
export async function addAggregates(ctx: TxContext, figures: LogFigures): Promise<void> {
  await addHours(ctx.db, figures.hours());
  if (ctx.options().get('DataExportEnabled')) await addHourlyUsage(ctx.db, figures.usage());
}

/** With more uncounted entries than this a reader counts first, so that later reads are cheaper. */
const MANY_UNCOUNTED = 2_000;
const READER_BATCHES = 2;

/**
 * Most uncounted entries that a reader loads individually when it needs more than sums; the rest
 * are left out.
 */
export const MAX_UNCOUNTED_READ = 20_000;

/** Per database: a console page sends several reads at once, and they share one run. */
const running = new WeakMap<Context['db'], Promise<void>>();

/** Call before reading aggregates. Entries that stay uncounted are read from the log itself. */
export async function countNewEntries(ctx: Context): Promise<void> {
  const { countedId } = await logProgress(ctx.logDatabase.reads);
  if ((await lastLogId(ctx.logDatabase.reads)) - countedId < MANY_UNCOUNTED) return;
  const { db } = ctx.logDatabase;
  const run = running.get(db) ?? countBatches(ctx).finally(() => running.delete(db));
  running.set(db, run);
  await run;
}

async function countBatches(ctx: Context): Promise<void> {
  try {
    await aggregateLogs(ctx, { batches: READER_BATCHES });
  } catch (error) {
    // A read must not fail because nothing can be written now.
    ctx.log.warn({ err: error }, 'log entries could not be added to the dashboard statistics');
  }
}
