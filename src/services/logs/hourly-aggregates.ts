/**
 * Counts the log into figures per hour (`log_hours`) and the dashboard's `quota_data`. A line is
 * counted exactly once: the figures and the id up to which lines are counted change in one
 * transaction, and only if nobody else counted in between. Lines whose transactions end out of order
 * are not missed: except on SQLite, where one writer at a time takes ids, an id counts as settled
 * `SETTLE_SEC` after it was seen, far longer than any transaction that writes log lines may take.
 */
import { type Context, nowSec } from '../../context.ts';
import { LogFigures } from '../../domain/logs/log-hours.ts';
import { addHours, lockProgress, logProgress, saveProgress } from '../../store/logs/log-hours.ts';
import { countedLines, lastLogId } from '../../store/logs/log-rows.ts';
import { addUsage } from '../../store/logs/quota-data.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { inLogTx } from './log-transaction.ts';

/** Of one transaction: few enough that calls hardly notice, many enough to add up lines alike. */
const MOST_CELLS = 1_000;
const MOST_LINES = 20_000;
const PORTION = 500;
const SETTLE_SEC = 60;

export interface CountingLimits {
  /** Most transactions; without it until all is counted. */
  readonly batches?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Counts what is settled and answers how many lines that were. Safe to run anywhere at any time. */
export async function aggregateLogs(ctx: Context, limits: CountingLimits = {}): Promise<number> {
  const { batches = Number.POSITIVE_INFINITY, signal } = limits;
  const upToId = await settledId(ctx);
  let counted = 0;
  for (let batch = 0; batch < batches && !signal?.aborted; batch += 1) {
    const lines = await countBatch(ctx, upToId);
    if (lines === 0) break;
    counted += lines;
  }
  return counted;
}

/** The highest id below which no line can appear any more. */
async function settledId(ctx: Context): Promise<number> {
  if (ctx.logDatabase.engine === 'sqlite') return lastLogId(ctx.logDatabase.reads);
  return inLogTx(ctx, async (ctx) => {
    const progress = await lockProgress(ctx.db);
    const seenForSec = nowSec(ctx) - progress.seenAtSec;
    // A clock that was set back would otherwise settle nothing until it has caught up.
    const isNonsense = seenForSec < -SETTLE_SEC;
    if (seenForSec < SETTLE_SEC && !isNonsense) return progress.settledId;
    const settled = isNonsense ? progress.settledId : progress.seenId;
    const seen = { seenId: await lastLogId(ctx.db), seenAtSec: nowSec(ctx) };
    await saveProgress(ctx.db, { ...progress, ...seen, settledId: settled });
    return settled;
  });
}

/** The lines are read before the transaction, so that it keeps the calls waiting no longer than needed. */
async function countBatch(ctx: Context, upToId: number): Promise<number> {
  const before = await logProgress(ctx.logDatabase.reads);
  if (before.countedId >= upToId) return 0;
  const batch = await figuresAfter(ctx, before.countedId, upToId);
  const isMine = await inLogTx(ctx, async (ctx) => {
    const progress = await lockProgress(ctx.db);
    if (progress.revision !== before.revision) return false;
    await addFigures(ctx, batch.figures);
    await saveProgress(ctx.db, { ...progress, countedId: batch.reachedId });
    return true;
  });
  // Who lost the race goes on with what the winner left.
  return isMine ? Math.max(batch.lines, 1) : countBatch(ctx, upToId);
}

interface Batch {
  readonly figures: LogFigures;
  readonly lines: number;
  /** All lines up to this id are in the figures. */
  readonly reachedId: number;
}

/** Reads in small portions, and goes on while that adds to the same few figures. */
async function figuresAfter(ctx: Context, countedId: number, upToId: number): Promise<Batch> {
  const figures = new LogFigures();
  let lines = 0;
  let reachedId = countedId;
  while (reachedId < upToId && figures.size < MOST_CELLS && lines < MOST_LINES) {
    const portion = await countedLines(
      ctx.logDatabase.reads,
      { afterId: reachedId, upToId },
      PORTION,
    );
    figures.add(portion);
    lines += portion.length;
    reachedId = portion.length < PORTION ? upToId : (portion.at(-1)?.id ?? upToId);
  }
  return { figures, lines, reachedId };
}

/** Adds to what is counted. The caller holds the lock of `lockProgress`. */
export async function addFigures(ctx: TxContext, figures: LogFigures): Promise<void> {
  await addHours(ctx.db, figures.hours());
  if (ctx.options().get('DataExportEnabled')) await addUsage(ctx.db, figures.usage());
}

/** With more uncounted lines than this a reader counts first, so that the next ones have less to read. */
const MANY_UNCOUNTED = 2_000;
const BATCHES_OF_A_READER = 2;

/** Who needs more than sums of the uncounted lines reads them one by one: more than this are left out. */
export const MOST_UNCOUNTED = 20_000;

/** Per database: the readers of one page of the console come all at once, and one of them is enough. */
const catchingUp = new WeakMap<Context['db'], Promise<void>>();

/** Called by whoever reads figures. What stays uncounted is read from the lines. */
export async function catchUp(ctx: Context): Promise<void> {
  const { countedId } = await logProgress(ctx.logDatabase.reads);
  if ((await lastLogId(ctx.logDatabase.reads)) - countedId < MANY_UNCOUNTED) return;
  const { db } = ctx.logDatabase;
  const running = catchingUp.get(db) ?? countSome(ctx).finally(() => catchingUp.delete(db));
  catchingUp.set(db, running);
  await running;
}

async function countSome(ctx: Context): Promise<void> {
  try {
    await aggregateLogs(ctx, { batches: BATCHES_OF_A_READER });
  } catch (error) {
    // Whoever only reads must not fail because nothing can be written now.
    ctx.log.warn({ err: error }, 'log lines could not be counted');
  }
}
