/** Reads rows: columns as plain values, and one page of a list with its total. */
import type { Knex } from 'knex';
import { eachColumn, type NounColumns } from '../../domain/nouns/columns.ts';
import { booleanValue, type Row } from './sql-dialect.ts';

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

/** How the rows of a table are read. Queries bring their filters; the reader selects the columns. */
export interface RowReader<T> {
  readonly columns: readonly string[];
  read(row: Row): T;
  first(query: Knex.QueryBuilder): Promise<T | undefined>;
  all(query: Knex.QueryBuilder): Promise<T[]>;
  /** In `order`, which must end in a unique column; by default the newest id first. */
  page(query: Knex.QueryBuilder, window: RowWindow, order?: RowOrder): Promise<PageOfRows<T>>;
  /** The function for the pages of a list, from that for the query of its filter. */
  pages<Filter, More extends readonly unknown[]>(
    queryOf: (reads: Knex, filter: Filter, ...more: More) => Knex.QueryBuilder,
    order?: RowOrder,
  ): (reads: Knex, filter: Filter, window: RowWindow, ...more: More) => Promise<PageOfRows<T>>;
}

export type RowOrder = readonly { readonly column: string; readonly order: 'asc' | 'desc' }[];

export const NEWEST_FIRST: RowOrder = [{ column: 'id', order: 'desc' }];

/** Reads the values of a column. */
type ReadValue<T> = ((value: unknown) => T) & { readonly column?: string };

type Columns = Readonly<Record<string, ReadValue<unknown>>>;
type RowOfColumns<C extends Columns> = { readonly [K in keyof C]: ReturnType<C[K]> };

/** The type of the rows that a reader returns. */
export type RowOf<R> = R extends RowReader<infer T> ? T : never;

/** A column that the row names otherwise, or that of a joined table, as in `users.id`. */
export function fromColumn<T>(column: string, read: (value: unknown) => T): ReadValue<T> {
  return Object.assign((value: unknown) => read(value), { column });
}

/** The table of columns, each with the function that reads its values, defines the row's type. */
export function rowReader<C extends Columns>(columns: C): RowReader<RowOfColumns<C>> {
  type T = RowOfColumns<C>;
  const readers = Object.entries(columns).map(([name, readValue]) => {
    const { column = name } = readValue;
    return { name, column, key: column.slice(column.indexOf('.') + 1), readValue };
  });
  const names = readers.map(({ column }) => column);
  const read = (row: Row): T => {
    const values: Row = {};
    for (const { name, key, readValue } of readers) values[name] = readValue(row[key]);
    return values as T; // read by the functions of its columns
  };
  const page: RowReader<T>['page'] = async (query, { limit, offset }, order = NEWEST_FIRST) => {
    const total = await rowCount(query.clone());
    const some = query
      .clone()
      .select(names)
      .orderBy([...order]);
    const rows: Row[] = await some.limit(limit).offset(offset);
    return { rows: rows.map(read), total };
  };
  return {
    columns: names,
    read,
    async first(query) {
      const row: Row | undefined = await query.first(names);
      return row === undefined ? undefined : read(row);
    },
    async all(query) {
      const rows: Row[] = await query.select(names);
      return rows.map(read);
    },
    page,
    pages:
      (queryOf, order) =>
      (reads, filter, window, ...more) =>
        page(queryOf(reads, filter, ...more), window, order),
  };
}

const READERS = {
  text: textValue,
  list: textValue,
  json: textValue,
  number: numberValue,
  switch: numberValue,
  boolean: booleanValue,
} as const;

/** How the columns of a noun are read. */
export function columnReaders<T extends NounColumns>(columns: T) {
  const readers = eachColumn(columns, ({ kind }) => READERS[kind]);
  return readers as { readonly [K in keyof T]: (typeof READERS)[T[K]['kind']] }; // each by its row
}

/** The number of rows that match. */
export async function rowCount(query: Knex.QueryBuilder): Promise<number> {
  const row: Row | undefined = await query.count({ total: '*' }).first();
  return numberValue(row?.total);
}

/** A column of the rows that match. */
export async function columnNumbers(query: Knex.QueryBuilder, column = 'id'): Promise<number[]> {
  const values: unknown[] = await query.pluck(column);
  return values.map(numberValue);
}

export async function columnTexts(query: Knex.QueryBuilder, column: string): Promise<string[]> {
  const values: unknown[] = await query.pluck(column);
  return values.map(textValue);
}

/** Whether a row matches. */
export async function hasRow(query: Knex.QueryBuilder): Promise<boolean> {
  return (await query.first()) !== undefined;
}

/** The rows with these ids, by id. */
export async function rowsById<T extends { readonly id: number }>(
  reader: RowReader<T>,
  query: Knex.QueryBuilder,
  ids: readonly number[],
): Promise<Map<number, T>> {
  if (ids.length === 0) return new Map();
  const rows = await reader.all(query.whereIn('id', [...new Set(ids)]));
  return new Map(rows.map((row) => [row.id, row]));
}

/** The number of rows of `table` per value of `column`. */
export async function countsBy(
  query: Knex.QueryBuilder,
  column: string,
): Promise<Map<string, number>> {
  const rows: Row[] = await query.clone().groupBy(column).select(column).count({ total: '*' });
  return new Map(rows.map((row) => [textValue(row[column]), numberValue(row.total)]));
}
