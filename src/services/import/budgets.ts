/** Adds imported budgets, with what was spent in the windows that run at the source. */
import { nowSec } from '../../context.ts';
import type { BudgetSubject } from '../../domain/budgets/budget.ts';
import { windowAt } from '../../domain/budgets/window.ts';
import { type ImportedBudget, importedBudgets } from '../../domain/import/budgets.ts';
import { columnText, type SourceRow } from '../../domain/import/values.ts';
import { postAll } from '../../store/ledger/ledger.ts';
import { insertRows } from '../../store/sql/inserts.ts';
import { insertBudget } from '../../store/tables/budget-records.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { importedEntry } from './import-noun.ts';
import type { ImportRun } from './import-run.ts';

/** The budgets in a row of an account or a token; those without a counterpart are reported. */
export function budgetsInRow(
  { ctx, report }: ImportRun,
  resource: 'users' | 'tokens',
  row: SourceRow,
): readonly ImportedBudget[] {
  const budgets = importedBudgets(row, {
    unitsPerUsd: ctx.options().get('QuotaPerUnit'),
    nowSec: nowSec(ctx),
    lose(field, limit) {
      report.count('budgets', 'found');
      report.count('budgets', 'lost');
      const example = `${columnText(row.source_name)}: ${limit}`;
      report.note(resource, 'budget_period', { field, example });
    },
  });
  report.count('budgets', 'found', budgets.length);
  report.count('budgets', 'imported', budgets.length);
  return budgets;
}

interface Subject {
  readonly subject: BudgetSubject;
  readonly id: number;
  readonly userId: number;
  readonly tokenId?: number;
}

export async function addBudgets(
  ctx: TxContext,
  run: ImportRun,
  { subject, id: subjectId, ...account }: Subject,
  budgets: readonly ImportedBudget[],
): Promise<void> {
  const now = nowSec(ctx);
  for (const { period, models, limit, spent, resetsAtSec } of budgets) {
    const rule = { period, anchor: 'calendar', timeZone: '', createdAtSec: now } as const;
    const id = await insertBudget(ctx.db, {
      ...PLAIN,
      subject,
      subject_id: String(subjectId),
      models: JSON.stringify(models),
      period,
      anchor: rule.anchor,
      limit_amount: limit,
      created_at: now,
      updated_at: now,
    });
    await announceChange(ctx.db, 'budgets', id);
    if (spent === 0) continue;
    const ends_at = resetsAtSec || windowAt(rule, now, undefined).endsAtSec;
    await insertRows(ctx.db, 'budget_windows', [{ budget_id: id, starts_at: now, ends_at }]);
    const windows = [{ budgetId: id, startsAtSec: now, amount: spent }];
    const amount = { ...account, cause: 'past_charge', userUnits: 0, windows } as const;
    await postAll(ctx.db, [importedEntry(run, { noun: 'budget', row: { id } }, amount)]);
  }
}

const PLAIN = {
  measure: 'units',
  time_zone: '',
  warn_at: 0,
  notify_at: '[]',
  on_full: 'refuse',
  downgrade_model: '',
  raised_amount: 0,
  raised_until: 0,
  shadow: false,
  status: 1,
  created_by: 0,
} as const;
