/** Budgets as they are managed: lists, inserts, updates and deletions. */
import type { Knex } from 'knex';
import type { BudgetSubject } from '../../domain/budgets/budget.ts';
import type { BudgetState } from '../../domain/budgets/budget-state.ts';
import type { Engine } from '../connection/engine.ts';
import { whereGiven } from '../sql/filters.ts';
import { insertId } from '../sql/inserts.ts';
import { columnNumbers, rowCount } from '../sql/read-rows.ts';
import { engineOf, likeContains } from '../sql/sql-dialect.ts';
import { BUDGET_WINDOWS, BUDGETS, type BudgetRow } from './budgets-table.ts';
import { announceChanges } from './changes-table.ts';

/** Users and API tokens by id. */
export interface AccountSet {
  readonly userIds: readonly number[];
  readonly tokenIds: readonly number[];
}

export interface BudgetFilter {
  readonly subject?: BudgetSubject | undefined;
  readonly subjectId?: string | undefined;
  readonly state?: BudgetState | undefined;
  /** Part of the name of the subject, or of the owner of a token. */
  readonly keyword?: string | undefined;
  /** Only those of these accounts. */
  readonly of?: AccountSet | undefined;
  /** All but those of these accounts. */
  readonly except?: AccountSet | undefined;
}

export const pageOfBudgets = BUDGETS.pages((reads, filter: BudgetFilter, nowSec: number) => {
  const { of, except, subject, subjectId: subject_id } = filter;
  const query = whereGiven(reads('budgets'), { subject, subject_id });
  if (of !== undefined) query.where((some) => ofAccounts(some, of));
  if (except !== undefined) query.whereNot((some) => ofAccounts(some, except));
  if (filter.keyword) whereName(query, filter.keyword, engineOf(reads));
  if (filter.state !== undefined) whereState(query, filter.state, nowSec);
  return query;
});

function ofAccounts(query: Knex.QueryBuilder, { userIds, tokenIds }: AccountSet): void {
  query
    .where((user) => user.where('subject', 'user').whereIn('subject_id', userIds.map(String)))
    .orWhere((token) =>
      token.where('subject', 'token').whereIn('subject_id', tokenIds.map(String)),
    );
}

/** Where the names of subjects with a row are; those of groups and models are their ids. */
const NAMES: readonly (readonly [subject: BudgetSubject, from: string, ...columns: string[]])[] = [
  ['user', 'users', 'users.username'],
  ['channel', 'channels', 'channels.name'],
  ['token', 'tokens join users on users.id = tokens.user_id', 'tokens.name', 'users.username'],
];

function whereName(query: Knex.QueryBuilder, keyword: string, engine: Engine): void {
  // `case` keeps names out of the cast.
  const id = `case when subject = ? then cast(subject_id as ${engine === 'mysql' ? 'signed' : 'bigint'}) end`;
  query.where((some) => {
    some.where((named) =>
      named.whereIn('subject', ['group', 'model']).whereRaw(...likeContains('subject_id', keyword)),
    );
    for (const [subject, from, ...columns] of NAMES) {
      const likes = columns.map((column) => likeContains(column, keyword));
      some.orWhereRaw(
        `exists (select 1 from ${from} where ${subject}s.id = ${id}
          and (${likes.map(([like]) => like).join(' or ')}))`,
        [subject, ...likes.flatMap(([, bindings]) => bindings)],
      );
    }
  });
}

/** `budgetState` (domain) as SQL. */
function whereState(query: Knex.QueryBuilder, state: BudgetState, nowSec: number): void {
  const spent = `coalesce((select spent from budget_windows where budget_id = budgets.id
    and ends_at > ? order by starts_at desc limit 1), 0)`;
  const limit = '(limit_amount + case when raised_until > ? then raised_amount else 0 end)';
  const times = [nowSec, nowSec];
  const isFull = `${spent} >= ${limit}`;
  const isNear = `(warn_at > 0 and ${spent} * 100 >= ${limit} * warn_at)`;
  if (state === 'full') {
    query.whereRaw(isFull, times);
    return;
  }
  query.whereRaw(`not (${isFull})`, times);
  query.whereRaw(state === 'near' ? isNear : `not ${isNear}`, times);
}

export function budgetById(db: Knex, id: number): Promise<BudgetRow | undefined> {
  return BUDGETS.first(db('budgets').where({ id }));
}

/** Locks the row until this transaction ends. */
export function lockBudget(trx: Knex.Transaction, id: number): Promise<BudgetRow | undefined> {
  return BUDGETS.first(trx('budgets').where({ id }).forUpdate());
}

export function countBudgetsOf(
  db: Knex,
  subject: BudgetSubject,
  subjectId: string,
): Promise<number> {
  return rowCount(db('budgets').where({ subject, subject_id: subjectId }));
}

export function insertBudget(trx: Knex.Transaction, row: Omit<BudgetRow, 'id'>): Promise<number> {
  return insertId(trx, 'budgets', row);
}

export async function updateBudget(
  trx: Knex.Transaction,
  id: number,
  fields: Partial<Omit<BudgetRow, 'id'>>,
): Promise<void> {
  await trx('budgets').where({ id }).update(fields);
}

/** With their windows: calls that are running return what they hold to none. */
export async function deleteBudgets(trx: Knex.Transaction, ids: readonly number[]): Promise<void> {
  await trx('budgets')
    .whereIn('id', [...ids])
    .delete();
  await trx('budget_windows')
    .whereIn('budget_id', [...ids])
    .where('held', 0)
    .delete();
}

/** Deletes the budgets of subjects that are deleted, in the same transaction. */
export async function deleteBudgetsOf(
  trx: Knex.Transaction,
  subject: BudgetSubject,
  subjectIds: readonly (number | string)[],
): Promise<void> {
  const ids = await columnNumbers(
    trx('budgets').where({ subject }).whereIn('subject_id', subjectIds.map(String)).orderBy('id'),
  );
  if (ids.length === 0) return;
  await deleteBudgets(trx, ids);
  await announceChanges(trx, 'budgets', ids);
}

export const pageOfBudgetWindows = BUDGET_WINDOWS.pages(
  (reads, budgetId: number) => reads('budget_windows').where({ budget_id: budgetId }),
  [{ column: 'starts_at', order: 'desc' }],
);
