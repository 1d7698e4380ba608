/** Which warnings windows of budgets have had: `warned` is the highest level in per cent, 0 = none. */
import type { Knex } from 'knex';
import { BUDGET_STATUS } from '../../domain/budgets/budget.ts';
import { numberValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { BUDGETS, type BudgetRow } from './budgets-table.ts';

export interface ReachedWindow {
  readonly budget: BudgetRow;
  readonly startsAtSec: number;
  readonly spent: number;
}

/** Running windows whose spending reached a level of which nothing was sent yet. */
export async function windowsToWarn(
  reads: Knex,
  nowSec: number,
  most: number,
): Promise<ReachedWindow[]> {
  const limit = '(b.limit_amount + case when b.raised_until > ? then b.raised_amount else 0 end)';
  const rows: Row[] = await reads({ w: 'budget_windows' })
    .join({ b: 'budgets' }, 'b.id', 'w.budget_id')
    .where('b.status', BUDGET_STATUS.enabled)
    .where('b.warn_at', '>', 0)
    .where('w.ends_at', '>', nowSec)
    .where('w.warned', '<', 100)
    .whereRaw(`w.spent * 100 >= ${limit} * b.warn_at`, [nowSec])
    .whereRaw(`(w.warned = 0 or w.spent >= ${limit})`, [nowSec])
    .orderBy(['w.budget_id', 'w.starts_at'])
    .limit(most)
    .select('w.budget_id', 'w.starts_at', 'w.spent');
  const ids = rows.map((row) => numberValue(row.budget_id));
  const budgets = await BUDGETS.all(reads('budgets').whereIn('id', ids));
  return rows.flatMap((row) => {
    const budget = budgets.find(({ id }) => id === numberValue(row.budget_id));
    if (budget === undefined) return [];
    return { budget, startsAtSec: numberValue(row.starts_at), spent: numberValue(row.spent) };
  });
}

/** True for one caller per window and level. */
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
