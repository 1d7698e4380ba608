/** Notifies of windows of budgets that reached their warning or their limit, once for each. */
import { type Context, nowSec } from '../../context.ts';
import { type Budget, limitAt } from '../../domain/budgets/budget.ts';
import { claimWarning, windowsToWarn } from '../../store/tables/budget-warnings.ts';
import { budgetOf } from '../../store/tables/budgets-table.ts';
import { notifyBudget } from '../messaging/notify/events.ts';
import { subjectsOf } from './budget-subjects.ts';

/** Per run; the rest follows in the next one. */
const MOST_WINDOWS = 200;

export async function warnOfBudgets(ctx: Context, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const reached = await windowsToWarn(ctx.reads, nowSec(ctx), MOST_WINDOWS);
  const subjectOf = await subjectsOf(
    ctx,
    reached.map(({ budget }) => budget),
  );
  for (const { budget: row, spent, startsAtSec, warned } of reached) {
    const budget = budgetOf(row);
    const reachedPercent = percentOf(budget, spent, nowSec(ctx));
    // Of several processes, the one that changes the row sends the notification.
    const window = { budgetId: budget.id, startsAtSec, percent: reachedPercent };
    if (!(await claimWarning(ctx.db, window))) continue;
    const percent = highestLevel(budget, reachedPercent);
    if (percent <= warned) continue;
    const { name, owner } = subjectOf(row);
    const key = `${budget.id}_${startsAtSec}_${percent}`;
    notifyBudget(ctx, { budget, name, ownerId: owner?.id, percent, key });
  }
}

/** Whole per cent of the limit, 100 at most. */
function percentOf(budget: Budget, spent: number, atSec: number): number {
  return Math.min(100, Math.floor((spent * 100) / limitAt(budget, atSec)));
}

/** The highest level of the budget up to `percent`; 0 for none. */
function highestLevel({ warnAt, notifyAt }: Budget, percent: number): number {
  return Math.max(0, ...[warnAt, ...notifyAt, 100].filter((level) => level <= percent));
}
