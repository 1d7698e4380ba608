/** Budgets as the management API returns them, with their current windows. */
import type * as z from 'zod/mini';
import type { BudgetReply } from '../../api/billing/budget.ts';
import type { Actor } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import type { Budget, BudgetWindow } from '../../domain/budgets/budget.ts';
import { budgetState, leftInWindow } from '../../domain/budgets/budget-state.ts';
import { currentWindow, END_OF_TIME_SEC } from '../../domain/budgets/window.ts';
import { type BudgetRow, budgetOf, newestBudgetWindows } from '../../store/tables/budgets-table.ts';
import { mayEdit, subjectsOf } from './budget-subjects.ts';

type BudgetView = z.input<typeof BudgetReply>;

type Window = Omit<BudgetWindow, 'budgetId'>;

const NO_WINDOW: Window = { startsAtSec: 0, endsAtSec: 0, spent: 0, held: 0 };

export async function budgetViews(
  ctx: Context,
  actor: Actor,
  rows: readonly BudgetRow[],
): Promise<BudgetView[]> {
  const subjectOf = await subjectsOf(ctx, rows);
  const now = nowSec(ctx);
  const windowOf = await currentWindows(ctx, rows);
  return rows.map((row) => {
    const subject = subjectOf(row);
    const budget = budgetOf(row);
    const current = windowOf(budget);
    return {
      ...row,
      subject_name: subject.name,
      username: row.subject === 'token' ? (subject.owner?.username ?? '') : '',
      models: [...budget.models],
      notify_at: [...budget.notifyAt],
      is_editable: mayEdit(actor, subject, row.created_by),
      state: budgetState(budget, current.spent, now),
      starts_at: current.startsAtSec,
      resets_at: resetTime(current.endsAtSec),
      spent_amount: current.spent,
      held_amount: current.held,
      left_amount: leftInWindow(budget, current, now),
    };
  });
}

/** The window that counts a call now; it begins at 0 if it will begin with a call. */
export async function currentWindows(
  ctx: Context,
  rows: readonly Pick<BudgetRow, 'id'>[],
): Promise<(budget: Budget) => Window> {
  const ids = rows.map(({ id }) => id);
  const newest = new Map(
    (await newestBudgetWindows(ctx.reads, ids)).map((window) => [window.budgetId, window]),
  );
  const now = nowSec(ctx);
  return (budget) => currentWindow(budget, now, newest.get(budget.id)) ?? NO_WINDOW;
}

/** 0 for a window that does not end. */
export function resetTime(endsAtSec: number): number {
  return endsAtSec >= END_OF_TIME_SEC ? 0 : endsAtSec;
}
