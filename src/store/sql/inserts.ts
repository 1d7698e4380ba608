/**
 * Inserts that differ between databases: insert once, with returned id, in batches. The batches are
 * the hot path: a few multi-row statements in raw SQL, without a query builder. Identifiers come
 * from the gateway's own code, never from a caller; integers checked to be exact are embedded in
 * the text, everything else is bound.
 */
import type { Knex } from 'knex';
import type { Engine } from '../connection/engine.ts';
import {
  arrayLiteral,
  chunksOf,
  columnsOf,
  engineOf,
  isDuplicate,
  MAX_BINDINGS,
  quotedNames,
  quoteName,
  type Row,
  rowsOf,
  type Scalar,
  textLiteral,
} from './sql-dialect.ts';

/**
 * Inserts `row` unless one with the same key exists; true if it was inserted. `keyColumn` is the
 * column (or columns) of one unique index. Violating another unique index is an error on SQLite and
 * PostgreSQL; MySQL treats it as the same key.
 */
export async function insertOnce(
  trx: Knex,
  table: string,
  row: object,
  keyColumn: string | readonly string[],
): Promise<boolean> {
  const keyColumns = typeof keyColumn === 'string' ? [keyColumn] : keyColumn;
  if (engineOf(trx) === 'mysql') return insertUnlessDuplicate(trx, table, row);
  const inserted = await insertIgnoring(trx, table, [row], keyColumns);
  return inserted.length === 1;
}

/** Inserts `row` and returns the id that the database assigned. */
export async function insertId(db: Knex, table: string, row: object): Promise<number> {
  const answer: unknown[] = await (engineOf(db) === 'mysql'
    ? db(table).insert(row)
    : db(table).insert(row, ['id']));
  const [first] = answer;
  const id = typeof first === 'object' && first !== null && 'id' in first ? first.id : first;
  return Number(id);
}

/** Inserts rows of one shape, in as few statements as the limit of bound values allows. */
export async function insertRows(trx: Knex, table: string, rows: readonly object[]): Promise<void> {
  for (const part of chunksOf(rows, MAX_BINDINGS / columnsOf(rows).length)) {
    const { sql, bindings } = insertSql(engineOf(trx), table, part);
    await trx.raw(sql, bindings);
  }
}

export interface Upsert {
  /** The columns of one unique index. */
  readonly key: readonly string[];
  /** Columns whose values are added to those of an existing row; the others replace them. */
  readonly add?: readonly string[];
}

/** Inserts rows of one shape, no key twice; rows whose key exists are updated instead. */
export async function upsertRows(
  trx: Knex,
  table: string,
  rows: readonly object[],
  { key, add = [] }: Upsert,
): Promise<void> {
  const engine = engineOf(trx);
  const isMysql = engine === 'mysql';
  const sets = columnsOf(rows)
    .filter((column) => !key.includes(column))
    .map((column) => {
      const name = quoteName(engine, column);
      const given = isMysql ? `values(${name})` : `excluded.${name}`;
      const existing = `${quoteName(engine, table)}.${name}`;
      return `${name} = ${add.includes(column) ? `${existing} + ${given}` : given}`;
    });
  const conflict = isMysql
    ? 'on duplicate key update'
    : `on conflict (${quotedNames(engine, key)}) do update set`;
  for (const part of chunksOf(rows, MAX_BINDINGS / columnsOf(rows).length)) {
    const { sql, bindings } =
      insertArraysSql(engine, table, part) ?? insertSql(engine, table, part);
    await trx.raw(`${sql} ${conflict} ${sets.join(', ')}`, bindings);
  }
}

/**
 * One bound array per column: PostgreSQL parses and plans each value of a list, which costs more
 * than writing it. Undefined for other databases, and for values that are no integers or texts.
 */
function insertArraysSql(engine: Engine, table: string, rows: readonly object[]) {
  if (engine !== 'postgres' || rows.length === 1) return undefined;
  const bindings: Knex.RawBinding[] = [];
  const arrays: string[] = [];
  for (const column of columnsOf(rows)) {
    const values = rows.map((row) => fieldOf(row, column));
    if (values.every((value): value is number => Number.isSafeInteger(value))) {
      bindings.push(values);
      arrays.push('?::bigint[]');
    } else if (values.every((value): value is string => typeof value === 'string')) {
      bindings.push(values);
      arrays.push('?::text[]');
    } else return undefined;
  }
  const into = `insert into ${quoteName(engine, table)} (${quotedNames(engine, columnsOf(rows))})`;
  return { sql: `${into} select * from unnest(${arrays.join(',')})`, bindings };
}

/**
 * Inserts those of `rows` (all of one shape) whose key is new; of duplicates among them the first
 * wins. Returns the inserted keys as text; rows with existing keys are skipped.
 */
export async function insertNew(
  trx: Knex,
  table: string,
  rows: readonly object[],
  keyColumn: string,
): Promise<Set<string>> {
  const keys = new Set<string>();
  const insertPart = engineOf(trx) === 'mysql' ? insertNewMysql : insertIgnoringKeys;
  for (const part of chunksOf(rows, MAX_BINDINGS / columnsOf(rows).length))
    for (const key of await insertPart(trx, table, part, keyColumn)) keys.add(key);
  return keys;
}

async function insertIgnoringKeys(
  trx: Knex,
  table: string,
  rows: readonly object[],
  keyColumn: string,
): Promise<string[]> {
  const inserted = await insertIgnoring(trx, table, rows, [keyColumn]);
  return inserted.map((row) => String(row[keyColumn]));
}

async function insertIgnoring(
  trx: Knex,
  table: string,
  rows: readonly object[],
  keyColumns: readonly string[],
): Promise<Row[]> {
  const engine = engineOf(trx);
  const { sql, bindings } = insertSql(engine, table, rows);
  const keys = quotedNames(engine, keyColumns);
  return rowsOf(
    await trx.raw(`${sql} on conflict (${keys}) do nothing returning ${keys}`, bindings),
  );
}

/** Usually nothing is repeated: one statement; a rejected one leaves nothing behind in InnoDB. */
async function insertNewMysql(
  trx: Knex,
  table: string,
  rows: readonly object[],
  keyColumn: string,
): Promise<string[]> {
  if (await insertUnlessDuplicate(trx, table, ...rows))
    return rows.map((row) => String(fieldOf(row, keyColumn)));
  if (rows.length === 1) return [];
  const keys: string[] = [];
  for (const row of rows) keys.push(...(await insertNewMysql(trx, table, [row], keyColumn)));
  return keys;
}

/** Not INSERT IGNORE, which would also hide values that are too long, null or out of range. */
async function insertUnlessDuplicate(
  trx: Knex,
  table: string,
  ...rows: readonly object[]
): Promise<boolean> {
  const { sql, bindings } = insertSql('mysql', table, rows);
  try {
    await trx.raw(sql, bindings);
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

function insertSql(
  engine: Engine,
  table: string,
  rows: readonly object[],
): { sql: string; bindings: Knex.RawBinding[] } {
  const columns = columnsOf(rows);
  const bindings: Knex.RawBinding[] = [];
  const tuples = rows.map((row) => {
    const values = columns.map((column) => literalOf(fieldOf(row, column), bindings));
    return `(${values.join(',')})`;
  });
  const sql = `insert into ${quoteName(engine, table)} (${quotedNames(engine, columns)}) values ${tuples.join(',')}`;
  return { sql, bindings };
}

/** SQL that is added to the value of a column. */
type Added = Readonly<Record<string, string>>;

/**
 * For statements of a script on SQLite: a constraint that fails ends the transaction, so SQLite need
 * not keep the pages as they were before the statement, which it writes to a temporary file
 * (sqlite.org/tempfiles.html, section 2.5).
 */
const OR_ROLLBACK = 'or rollback';

/**
 * Same as `insertRows` without bound values, for a script of several statements; undefined if a
 * value cannot be written as text. @throws TypeError as `insertRows`.
 */
export function insertScript(
  engine: 'sqlite' | 'postgres',
  table: string,
  rows: readonly object[],
  added: Added = {},
): string | undefined {
  const insert = engine === 'sqlite' ? `insert ${OR_ROLLBACK}` : 'insert';
  const into = `${insert} into ${quoteName(engine, table)} (${quotedNames(engine, columnsOf(rows))})`;
  const rest = engine === 'sqlite' ? valuesText(rows, added) : arraysText(rows, added);
  return rest === undefined ? undefined : `${into} ${rest}`;
}

function valuesText(rows: readonly object[], added: Added): string | undefined {
  const columns = columnsOf(rows);
  let tuples = '';
  for (const row of rows) {
    let values = '';
    for (const column of columns) {
      const literal = literalText('sqlite', fieldOf(row, column));
      if (literal === undefined) return undefined;
      const value = plus(added[column], literal);
      values += values === '' ? value : `,${value}`;
    }
    tuples += tuples === '' ? `(${values})` : `,(${values})`;
  }
  return `values ${tuples}`;
}

/**
 * One array per column and one literal for a column whose values are equal: PostgreSQL parses and
 * plans each literal of a list of values, which costs more than the insert.
 */
function arraysText(rows: readonly object[], added: Added): string | undefined {
  const selected: string[] = [];
  const arrays: string[] = [];
  for (const column of columnsOf(rows)) {
    const values = rows.map((row) => fieldOf(row, column));
    const isConstant = values.every((value) => value === values[0]);
    const text = isConstant
      ? literalText('postgres', values[0] ?? null)
      : arrayLiteral(values as readonly Scalar[]); // rejected by `arrayLiteral` otherwise
    if (text === undefined) return undefined;
    if (!isConstant) arrays.push(text);
    selected.push(plus(added[column], isConstant ? text : `v.c${arrays.length}`));
  }
  if (arrays.length === 0) arrays.push(arrayLiteral(rows.map((_row, at) => at)) ?? '');
  const names = arrays.map((_text, at) => `c${at + 1}`);
  return `select ${selected.join(',')} from unnest(${arrays.join(',')}) as v(${names.join(',')})`;
}

function plus(sql: string | undefined, value: string): string {
  return sql === undefined ? value : `${sql} + ${value}`;
}

function literalText(engine: 'sqlite' | 'postgres', value: Knex.RawBinding): string | undefined {
  if (value === null) return 'null';
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' ? textLiteral(engine, value) : undefined;
}

/** Integers, booleans, nulls and empty texts are embedded: each binding costs a microsecond. */
function literalOf(value: Knex.RawBinding, bindings: Knex.RawBinding[]): string {
  if (value === '') return "''";
  if (value === null) return 'null';
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  bindings.push(value);
  return '?';
}

/** Throws for a row that lacks a column of the first one, so that no default is used by mistake. */
function fieldOf(row: object, column: string): Knex.RawBinding {
  const value: Knex.RawBinding | undefined = Reflect.get(row, column);
  if (value === undefined) throw new TypeError(`a row has no value for ${column}`);
  return value;
}
