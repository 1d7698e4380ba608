/** Rows of `budgets` and `budget_windows`. Windows change only with the ledger. */
import type { Knex } from 'knex';
import {
  BUDGET_ANCHORS,
  BUDGET_FULL_ACTIONS,
  BUDGET_MEASURES,
  BUDGET_PERIODS,
  BUDGET_SUBJECTS,
  type Budget,
  type BudgetWindow,
} from '../../domain/budgets/budget.ts';
import { parsedStrings } from '../../json/parse-json-object.ts';
import { numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';
import { booleanValue } from '../sql/sql-dialect.ts';

export const BUDGETS = rowReader({
  id: numberValue,
  subject: wordOf(BUDGET_SUBJECTS),
  subject_id: textValue,
  /** JSON list */
  models: textValue,
  measure: wordOf(BUDGET_MEASURES),
  period: wordOf(BUDGET_PERIODS),
  anchor: wordOf(BUDGET_ANCHORS),
  time_zone: textValue,
  limit_amount: numberValue,
  warn_at: numberValue,
  /** JSON list */
  notify_at: textValue,
  on_full: wordOf(BUDGET_FULL_ACTIONS),
  downgrade_model: textValue,
  raised_amount: numberValue,
  raised_until: numberValue,
  shadow: booleanValue,
  status: numberValue,
  created_at: numberValue,
  updated_at: numberValue,
  created_by: numberValue,
});
export type BudgetRow = RowOf<typeof BUDGETS>;

export const BUDGET_WINDOWS = rowReader({
  budget_id: numberValue,
  starts_at: numberValue,
  ends_at: numberValue,
  spent: numberValue,
  held: numberValue,
});
export type BudgetWindowRow = RowOf<typeof BUDGET_WINDOWS>;

export function budgetOf(row: BudgetRow): Budget {
  return {
    id: row.id,
    subject: row.subject,
    subjectId: row.subject_id,
    models: Object.values(parsedStrings(row.models)),
    measure: row.measure,
    period: row.period,
    anchor: row.anchor,
    timeZone: row.time_zone,
    limit: row.limit_amount,
    warnAt: row.warn_at,
    notifyAt: Object.values(parsedStrings(row.notify_at)).map(Number),
    onFull: row.on_full,
    downgradeModel: row.downgrade_model,
    raisedAmount: row.raised_amount,
    raisedUntilSec: row.raised_until,
    shadow: row.shadow,
    status: row.status,
    createdAtSec: row.created_at,
  };
}

function budgetWindowOf(row: BudgetWindowRow): BudgetWindow {
  return {
    budgetId: row.budget_id,
    startsAtSec: row.starts_at,
    endsAtSec: row.ends_at,
    spent: row.spent,
    held: row.held,
  };
}

/** The newest window of each of these budgets that has one. */
export async function newestBudgetWindows(
  db: Knex,
  budgetIds: readonly number[],
): Promise<BudgetWindow[]> {
  const newest = db('budget_windows')
    .whereIn('budget_id', budgetIds)
    .groupBy('budget_id')
    .select('budget_id')
    .max({ starts_at: 'starts_at' });
  const rows = await BUDGET_WINDOWS.all(
    db('budget_windows').whereIn(['budget_id', 'starts_at'], newest),
  );
  return rows.map(budgetWindowOf);
}

/** The windows with these budget ids and starts. */
export async function readBudgetWindows(
  db: Knex,
  keys: readonly (readonly [number, number])[],
): Promise<BudgetWindow[]> {
  if (keys.length === 0) return [];
  const query = db('budget_windows');
  for (const [budget_id, starts_at] of keys) query.orWhere({ budget_id, starts_at });
  return (await BUDGET_WINDOWS.all(query)).map(budgetWindowOf);
}

/** Deletes windows that ended before that time. Returns their number. */
export function pruneBudgetWindows(db: Knex, beforeSec: number): Promise<number> {
  // Found by the primary key: a window begins before it ends.
  return db('budget_windows')
    .whereIn('budget_id', db('budgets').select('id'))
    .where('starts_at', '<', beforeSec)
    .where('ends_at', '<', beforeSec)
    .where({ held: 0 })
    .delete();
}

/** Reads one of `words`; a word of a later version reads as the first. */
function wordOf<Word extends string>(words: readonly [Word, ...Word[]]): (value: unknown) => Word {
  return (value) => words.find((word) => word === value) ?? words[0];
}
