/** Budgets of tests in the database, and what their windows say. */

import type { Context } from '../../src/context.ts';
import type { HeldWindow } from '../../src/domain/budgets/budget.ts';
import { writing } from '../../src/services/cluster/announced-write.ts';
import { inTransaction } from '../../src/store/connection/transaction.ts';
import { openBudgetWindow } from '../../src/store/ledger/open-budget-window.ts';
import { insertId } from '../../src/store/sql/inserts.ts';
import { announceChange } from '../../src/store/tables/changes-table.ts';

export interface BudgetFields {
  readonly limit_amount: number;
  readonly [column: string]: string | number | boolean;
}

/** A total budget of the site in units unless told otherwise; announced to caches. */
export async function aBudget(ctx: Context, fields: BudgetFields): Promise<number> {
  const row = {
    subject: 'site',
    models: '[]',
    measure: 'units',
    period: 'total',
    created_at: 1_000,
    updated_at: 1_000,
    ...fields,
  };
  return writing(ctx, async ({ db }) => {
    const id = await insertId(db, 'budgets', row);
    await announceChange(db, 'budgets', id);
    return id;
  });
}

/** The window that runs now, with an amount to hold in it. */
export async function aWindow(ctx: Context, budgetId: number, amount: number): Promise<HeldWindow> {
  const span = await inTransaction(ctx, ({ db }) => openBudgetWindow(db, budgetId));
  if (span === undefined) throw new Error('the budget was deleted');
  return { budgetId, startsAtSec: span.startsAtSec, measure: 'units', amount };
}

/** What the windows of the budget have spent and held, oldest first. */
export async function windowsOf(
  ctx: Context,
  budgetId: number,
): Promise<{ readonly spent: number; readonly held: number }[]> {
  const rows = await ctx
    .db('budget_windows')
    .where({ budget_id: budgetId })
    .orderBy('starts_at')
    .select('spent', 'held');
  return rows.map((row) => ({ spent: Number(row.spent), held: Number(row.held) }));
}
