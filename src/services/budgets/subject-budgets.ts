/** Budgets end with what they limit. */
import type { BudgetSubject } from '../../domain/budgets/budget.ts';
import { budgetIdsOf, deleteBudgets } from '../../store/tables/budget-records.ts';
import { announceChanges } from '../../store/tables/changes-table.ts';
import type { TxContext } from '../cluster/announced-write.ts';

/** Deletes the budgets of subjects that are deleted, in the same transaction. */
export async function deleteBudgetsOf(
  ctx: TxContext,
  subject: BudgetSubject,
  subjectIds: readonly (number | string)[],
): Promise<void> {
  const ids = await budgetIdsOf(ctx.db, subject, subjectIds);
  if (ids.length === 0) return;
  await deleteBudgets(ctx.db, ids);
  await announceChanges(ctx.db, 'budgets', ids);
}
