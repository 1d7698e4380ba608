/** Filters of lists. Undefined and empty values match everything. */
import type { Knex } from 'knex';
import { likeContains } from './sql-dialect.ts';

/** Rows whose columns have the given values. */
export function whereGiven(
  query: Knex.QueryBuilder,
  columns: Readonly<Record<string, string | number | boolean | undefined>>,
): Knex.QueryBuilder {
  for (const [column, value] of Object.entries(columns))
    if (value !== undefined && value !== '') query.where(column, value);
  return query;
}

/** Rows of a time span, both ends included. */
export function whereWithin(
  query: Knex.QueryBuilder,
  column: string,
  from: number | undefined,
  until: number | undefined,
): void {
  if (from !== undefined) query.where(column, '>=', from);
  if (until !== undefined) query.where(column, '<=', until);
}

/** Rows with the text in one of the columns, or for which `or` holds. */
export function whereContains(
  query: Knex.QueryBuilder,
  columns: readonly string[],
  text: string | undefined,
  or: (either: Knex.QueryBuilder, text: string) => void = () => undefined,
): void {
  if (!text) return;
  query.where((either) => {
    for (const column of columns) either.orWhereRaw(...likeContains(column, text));
    or(either, text);
  });
}

/** For `whereContains`: rows whose id is the text. */
export function orId(either: Knex.QueryBuilder, text: string): void {
  if (/^\d{1,15}$/.test(text)) either.orWhere('id', Number(text));
}
