/** How much of its current window a budget has used. */
import { type Budget, limitAt } from './budget.ts';

/** `full`: nothing is left; `near`: the warning mark is reached; `ok`: neither. */
export const BUDGET_STATES = ['ok', 'near', 'full'] as const;
export type BudgetState = (typeof BUDGET_STATES)[number];

type Limits = Pick<Budget, 'limit' | 'raisedAmount' | 'raisedUntilSec' | 'warnAt'>;

/** Amounts held by running calls do not count, because most of them return. */
export function budgetState(budget: Limits, spent: number, atSec: number): BudgetState {
  const limit = limitAt(budget, atSec);
  if (spent >= limit) return 'full';
  return budget.warnAt > 0 && spent * 100 >= limit * budget.warnAt ? 'near' : 'ok';
}

/** What further calls may use of a window. */
export function leftInWindow(
  budget: Limits,
  window: { readonly spent: number; readonly held: number },
  atSec: number,
): number {
  return Math.max(0, limitAt(budget, atSec) - window.spent - window.held);
}
