/** Deletes old log entries, on request or by retention. */
import type { Actor, Service } from '../../api/call.ts';
import type { logCalls } from '../../api/logs/log.ts';
import { type Context, nowSec } from '../../context.ts';
import type { ReportProgress } from '../../domain/jobs.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import {
  addPartitions,
  detachedPartitions,
  dropStaleCheck,
  partitionLog,
} from '../../store/logs/log-partitions.ts';
import { countLogs, newestLogSec } from '../../store/logs/log-rows.ts';
import { recordAction } from './audit.ts';
import {
  deleteInBatches,
  detachMonths,
  ignoreAggregatesBefore,
  requireClearTime,
} from './log-removal.ts';
import { mergeOldHours } from './old-hours.ts';

type Calls = Service<typeof logCalls, Context>;

/** Time limit of one call of `clearPart`, which clients repeat. */
const PART_MS = 3_000;

/** @throws AppError `permission_denied` for an admin where only super admins may delete. */
export const clear: Calls['clear'] = async (ctx, actor, input) => {
  const before = requireClearTime(ctx, actor, input.before ?? input.target_timestamp);
  const { deleted } = await deleteBefore(ctx, before);
  await recordClearing(ctx, actor, before, deleted);
  return deleted;
};

/** As `clear`, but for a few seconds; clients repeat it until `is_done`. */
export const clearPart: Calls['clearPart'] = async (ctx, actor, input) => {
  const before = requireClearTime(ctx, actor, input.before);
  const { deleted, isDone } = await deleteBefore(ctx, before, { forMs: PART_MS });
  if (deleted > 0) await recordClearing(ctx, actor, before, deleted);
  return { deleted, is_done: isDone };
};

function recordClearing(
  ctx: Context,
  actor: Actor,
  before: number,
  cleared: number,
): Promise<void> {
  return inTransaction(ctx, (ctx) =>
    recordAction(ctx, actor, {
      action: 'log_clear',
      event: { event: 'logs_deleted', params: { count: cleared, before } },
      facts: { before, cleared },
    }),
  );
}

/** Prepares the log before a serving process accepts calls. */
export function prepareLog(ctx: Context): Promise<void> {
  return tryPartitioning(ctx, async ({ db }) => {
    await dropStaleCheck(db, nowSec(ctx));
    await addPartitions(db, nowSec(ctx));
  });
}

/** Never fails: entries can be stored without the partitions, and the next hour retries. */
async function tryPartitioning(
  ctx: Context,
  work: (log: Context['logDatabase']) => Promise<void>,
): Promise<void> {
  try {
    await work(ctx.logDatabase);
  } catch (error) {
    ctx.log.warn({ err: error }, 'the partitions of the usage log could not be created');
  }
}

/** Log maintenance: creates partitions and applies the retention. Returns the entries removed. */
export async function retainLogs(
  ctx: Context,
  { signal, report }: Pick<Limits, 'signal' | 'report'> = {},
): Promise<number> {
  await tryPartitioning(ctx, async ({ db }) => {
    if (await partitionLog(db, nowSec(ctx)))
      ctx.log.info('the usage log is now partitioned by month');
    await addPartitions(db, nowSec(ctx));
  });
  const options = ctx.options();
  const days = options.get('LogRetentionDays');
  if (days === 0) return 0;
  const beforeSec = nowSec(ctx) - days * DAY_SEC;
  const { deleted } = await deleteBefore(ctx, beforeSec, { signal, report });
  await mergeOldHours(ctx, beforeSec, () => signal?.aborted === true);
  return deleted;
}

interface Limits {
  readonly signal?: AbortSignal | undefined;
  readonly forMs?: number;
  /** Receives how many of the entries to delete one by one are deleted. */
  readonly report?: ReportProgress | undefined;
}

async function deleteBefore(
  ctx: Context,
  requestedBeforeSec: number,
  { signal, forMs = Number.POSITIVE_INFINITY, report }: Limits = {},
): Promise<{ readonly deleted: number; readonly isDone: boolean }> {
  const endsAtMs = performance.now() + forMs;
  const isOver = () => signal?.aborted === true || performance.now() > endsAtMs;
  const beforeSec = await ignoreAggregatesBefore(ctx, requestedBeforeSec);
  await detachMonths(ctx, beforeSec, isOver);
  const dropped = await dropDetached(ctx, beforeSec);
  const total = report && (await countLogs(ctx.logDatabase.reads, 'logs', beforeSec));
  let deleted = 0;
  const isDone = await deleteInBatches(ctx, beforeSec, isOver, (entries) => {
    deleted += entries;
    if (total) report?.(Math.min(deleted, total), total);
  });
  return { deleted: dropped + deleted, isDone };
}

/** Drops detached tables. No call uses them, so the locks block nothing. */
async function dropDetached(ctx: Context, beforeSec: number): Promise<number> {
  const { db } = ctx.logDatabase;
  let entries = 0;
  for (const name of await detachedPartitions(db)) {
    const newestSec = await newestLogSec(db, name);
    if (newestSec !== undefined && newestSec >= beforeSec) continue;
    entries += await countLogs(db, name);
    await db.schema.dropTableIfExists(name);
  }
  return entries;
}
