/** Opens the window of a budget that counts calls now. */
import type { Knex } from 'knex';
import { type WindowSpan, windowAt } from '../../domain/budgets/window.ts';
import { nowSecSql } from '../connection/clock.ts';
import { numberValue } from '../sql/read-rows.ts';
import { rowsOf } from '../sql/sql-dialect.ts';
import { BUDGETS, budgetOf, newestBudgetWindows } from '../tables/budgets-table.ts';

/**
 * Returns the window that runs by the database's clock, which is inserted if it is absent; undefined
 * if the budget was deleted. The lock of the budget lets only one node decide, so that windows never
 * overlap. Repeatable.
 */
export async function openBudgetWindow(
  trx: Knex.Transaction,
  budgetId: number,
): Promise<WindowSpan | undefined> {
  const row = await BUDGETS.first(trx('budgets').where({ id: budgetId }).forUpdate());
  if (row === undefined) return undefined;
  const [newest] = await newestBudgetWindows(trx, [budgetId]);
  const [clock] = rowsOf(await trx.raw(`select ${nowSecSql(trx)} as now`));
  const { startsAtSec, endsAtSec } = windowAt(budgetOf(row), numberValue(clock?.now), newest);
  const span = { startsAtSec, endsAtSec };
  if (startsAtSec === newest?.startsAtSec) return span;
  if (newest !== undefined && newest.endsAtSec > startsAtSec)
    await trx('budget_windows')
      .where({ budget_id: budgetId, starts_at: newest.startsAtSec })
      .update({ ends_at: startsAtSec });
  await trx('budget_windows').insert({
    budget_id: budgetId,
    starts_at: startsAtSec,
    ends_at: endsAtSec,
  });
  return span;
}
