/** Reads rows: columns as plain values, and one page of a list with its total. */
import type { Knex } from 'knex';
import type { Row } from './sql-dialect.ts';

export interface RowWindow {
  readonly limit: number;
  readonly offset: number;
}

export interface PageOfRows<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

/** A text column; null reads as empty. */
export function textValue(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

/** A number column; null reads as 0. */
export function numberValue(value: unknown): number {
  return Number(value ?? 0);
}

/** A number column that may be null. */
export function nullableNumberValue(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** The columns of a row type and a function that reads them; a missing column does not compile. */
export function rowReader<T extends object>(
  columns: {
    readonly [K in keyof T]: (value: unknown) => T[K];
  },
): { readonly columns: readonly string[]; readonly read: (row: Row) => T } {
  const readers: [string, (value: unknown) => unknown][] = Object.entries(columns);
  return {
    columns: Object.keys(columns),
    read(row) {
      const values: Row = {};
      for (const [name, read] of readers) values[name] = read(row[name]);
      return values as T; // read by the functions of its columns
    },
  };
}

/** One page of `query` (filters only) in `order`, which must end in a unique column. */
export async function pageOfRows<T>(
  query: Knex.QueryBuilder,
  window: RowWindow,
  how: {
    readonly columns: readonly string[];
    readonly order: readonly { readonly column: string; readonly order: 'asc' | 'desc' }[];
    readonly read: (row: Row) => T;
  },
): Promise<PageOfRows<T>> {
  const counted: Row | undefined = await query.clone().count({ total: '*' }).first();
  const rows: Row[] = await query
    .clone()
    .select(...how.columns)
    .orderBy([...how.order])
    .limit(window.limit)
    .offset(window.offset);
  return { rows: rows.map(how.read), total: numberValue(counted?.total) };
}

/** The number of rows of `table` per value of `column`. */
export async function countsBy(
  query: Knex.QueryBuilder,
  column: string,
): Promise<Map<string, number>> {
  const rows: Row[] = await query.clone().groupBy(column).select(column).count({ total: '*' });
  return new Map(rows.map((row) => [textValue(row[column]), numberValue(row.total)]));
}
