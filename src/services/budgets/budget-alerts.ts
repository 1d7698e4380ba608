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
  for (const { budget: row, spent, startsAtSec } of reached) {
    const budget = budgetOf(row);
    const percent = percentOf(budget, spent, nowSec(ctx));
    // Of several processes, the one that changes the row sends the notification.
    if (!(await claimWarning(ctx.db, { budgetId: budget.id, startsAtSec, percent }))) continue;
    const { name, owner } = subjectOf(row);
    const key = `${budget.id}_${startsAtSec}_${percent}`;
    notifyBudget(ctx, { budget, name, ownerId: owner?.id, percent, key });
  }
}

/** The level that was reached: that of the warning, or 100. */
function percentOf(budget: Budget, spent: number, atSec: number): number {
  return spent >= limitAt(budget, atSec) ? 100 : budget.warnAt;
}
