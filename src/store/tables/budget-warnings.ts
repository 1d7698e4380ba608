/** Which warnings windows of budgets have had: all up to the level `warned`, in per cent. */
import type { Knex } from 'knex';
import { BUDGET_STATUS } from '../../domain/budgets/budget.ts';
import { numberValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { BUDGETS, type BudgetRow } from './budgets-table.ts';

export interface ReachedWindow {
  readonly budget: BudgetRow;
  readonly startsAtSec: number;
  readonly spent: number;
  /** Per cent of the limit up to which nothing is to be sent any more. */
  readonly warned: number;
}

/**
 * Running windows whose spending may have reached a level of which nothing was sent yet. SQL does not know
 * the levels of `notify_at`, so every further per cent of a budget that has some counts.
 */
export async function windowsToWarn(
  reads: Knex,
  nowSec: number,
  most: number,
): Promise<ReachedWindow[]> {
  const limit = '(b.limit_amount + case when b.raised_until > ? then b.raised_amount else 0 end)';
  const rows: Row[] = await reads({ w: 'budget_windows' })
    .join({ b: 'budgets' }, 'b.id', 'w.budget_id')
    .where('b.status', BUDGET_STATUS.enabled)
    .where('w.ends_at', '>', nowSec)
    .where('w.warned', '<', 100)
    .whereRaw(
      `(b.warn_at > w.warned and w.spent * 100 >= ${limit} * b.warn_at
        or b.warn_at > 0 and w.spent >= ${limit}
        or b.notify_at <> '[]' and w.spent * 100 >= ${limit} * (w.warned + 1))`,
      [nowSec, nowSec, nowSec],
    )
    .orderBy(['w.budget_id', 'w.starts_at'])
    .limit(most)
    .select('w.budget_id', 'w.starts_at', 'w.spent', 'w.warned');
  const ids = rows.map((row) => numberValue(row.budget_id));
  const budgets = await BUDGETS.all(reads('budgets').whereIn('id', ids));
  return rows.flatMap((row) => {
    const budget = budgets.find(({ id }) => id === numberValue(row.budget_id));
    if (budget === undefined) return [];
    return {
      budget,
      startsAtSec: numberValue(row.starts_at),
      spent: numberValue(row.spent),
      warned: numberValue(row.warned),
    };
  });
}

/** Stores that warnings up to that level are sent. True for one caller per window and level. */
export async function claimWarning(
  db: Knex,
  window: {
    readonly budgetId: number;
    readonly startsAtSec: number;
    readonly percent: number;
  },
): Promise<boolean> {
  const changed = await db('budget_windows')
    .where({ budget_id: window.budgetId, starts_at: window.startsAtSec })
    .where('warned', '<', window.percent)
    .update({ warned: window.percent });
  return changed > 0;
}
