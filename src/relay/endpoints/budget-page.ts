/** Tells a program what its token and its account may still use: their budgets per period. */
import { nowSec } from '../../context.ts';
import { type Budget, type BudgetWindow, limitAt } from '../../domain/budgets/budget.ts';
import { currentWindow, END_OF_TIME_SEC } from '../../domain/budgets/window.ts';
import { newestBudgetWindows } from '../../store/tables/budgets-table.ts';
import { authenticate } from '../admission/authenticate.ts';
import { admitAddress } from '../admission/rate-limits.ts';
import type { Incoming } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';

/** Opens no window: one that begins with a call has not begun yet. */
export async function budgetPage(relay: Ports<'budgets' | 'callers' | 'ctx'>, incoming: Incoming) {
  const caller = await authenticate(relay, incoming);
  admitAddress(caller, incoming);
  const budgets = relay.budgets.ofOwner(caller.token.id, caller.user.id);
  const windows =
    budgets.length === 0
      ? []
      : await newestBudgetWindows(
          relay.ctx.reads,
          budgets.map(({ id }) => id),
        );
  const data = budgets.map((budget) => {
    const newest = windows.find(({ budgetId }) => budgetId === budget.id);
    return budgetView(budget, newest, nowSec(relay.ctx));
  });
  return { object: 'list', data };
}

const NOT_BEGUN = { spent: 0, held: 0, endsAtSec: END_OF_TIME_SEC } as const;

function budgetView(budget: Budget, newest: BudgetWindow | undefined, atSec: number) {
  const window = currentWindow(budget, atSec, newest);
  const { spent, held, endsAtSec: resets } = window ?? NOT_BEGUN;
  const limit = limitAt(budget, atSec);
  return {
    id: budget.id,
    subject: budget.subject,
    models: budget.models,
    measure: budget.measure,
    window: budget.period,
    limit,
    spent,
    held,
    remaining: Math.max(0, limit - spent - held),
    /** Epoch seconds; null if it never does, or begins with the next call. */
    resets_at: resets >= END_OF_TIME_SEC ? null : resets,
    is_shadow: budget.shadow,
  };
}
