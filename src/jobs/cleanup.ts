/** Deletes expired rows that are no longer read. The ledger is never pruned. */
import { type Context, nowSec } from '../context.ts';
import { DAY_SEC } from '../domain/logs/months.ts';
import { inTransaction } from '../store/connection/transaction.ts';
import { pruneFailedCalls } from '../store/logs/failed-calls.ts';
import { pruneBudgetWindows } from '../store/tables/budgets-table.ts';
import { pruneChanges } from '../store/tables/changes-table.ts';
import { EXPIRING_TABLES, pruneExpired } from '../store/tables/expired-rows.ts';

/** A cache that has not polled for this long reloads everything. */
const CHANGES_KEPT_SEC = 3600;

/** Longer than the longest period, so that the next window never overlaps one that is gone. */
const LEAST_WINDOW_DAYS = 62;
const WINDOW_DAYS = 365;

/** As long as the log, or a year. */
function windowsKeptSec(ctx: Context): number {
  const days = ctx.options().get('LogRetentionDays') || WINDOW_DAYS;
  return Math.max(days, LEAST_WINDOW_DAYS) * DAY_SEC;
}

type PruneFunction = (ctx: Context) => Promise<number>;

const pruneExpiring = EXPIRING_TABLES.map((table): [string, PruneFunction] => [
  table,
  (ctx) => pruneExpired(ctx.db, table, nowSec(ctx)),
]);

const PRUNE_FUNCTIONS: Readonly<Record<string, PruneFunction>> = {
  ...Object.fromEntries(pruneExpiring),
  failed_calls: (ctx) =>
    pruneFailedCalls(ctx.db, nowSec(ctx) - ctx.options().get('FailedCallDays') * DAY_SEC),
  budget_windows: (ctx) => pruneBudgetWindows(ctx.db, nowSec(ctx) - windowsKeptSec(ctx)),
  changes: (ctx) => pruneChanges(ctx.db, CHANGES_KEPT_SEC),
};

export async function cleanUp(ctx: Context, signal: AbortSignal): Promise<void> {
  for (const [table, prune] of Object.entries(PRUNE_FUNCTIONS)) {
    signal.throwIfAborted();
    const deleted = await inTransaction(ctx, prune);
    if (deleted > 0) ctx.log.debug({ table, gone: deleted }, 'expired rows were deleted');
  }
}
