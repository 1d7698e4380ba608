/**
 * Where the databases differ. The batch functions are the hot path: a handful of multi-row
 * statements in raw SQL, no query builder. Identifiers come from our own code, never from a caller;
 * integers that are checked to be exact stand in the text, everything else is bound.
 */
import type { Knex } from 'knex';
import type { Engine } from './db.ts';

const ENGINES: Readonly<Record<string, Engine>> = {
  sqlite3: 'sqlite',
  postgresql: 'postgres',
  mysql: 'mysql',
};

/** PostgreSQL allows 65,535 bound values in a statement, SQLite 32,766. */
const MAX_BINDINGS = 30_000;
const MAX_ADDS = 1_000;

export function engineOf(db: Knex): Engine {
  const name: unknown = db.client.dialect;
  const engine = ENGINES[String(name)];
  if (engine === undefined) throw new Error(`no dialect for ${String(name)}`);
  return engine;
}

/** A table's or column's name as it stands in raw SQL: `key`, `group`, `order` are reserved somewhere. */
export function quoteName(engine: Engine, name: string): string {
  const mark = engine === 'mysql' ? '`' : '"';
  return `${mark}${name.replaceAll(mark, mark + mark)}${mark}`;
}

/**
 * Inserts `row` unless one with the same key is there; true when it was inserted. `keyColumn` is the
 * column (or columns) of one unique index. Breaking another unique index is an error on SQLite and
 * PostgreSQL; MySQL takes it for the same key.
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

/** Inserts `row` and answers the id that the database gave it. */
export async function insertId(db: Knex, table: string, row: object): Promise<number> {
  const answer: unknown[] = await (engineOf(db) === 'mysql'
    ? db(table).insert(row)
    : db(table).insert(row, ['id']));
  const [first] = answer;
  const id = typeof first === 'object' && first !== null && 'id' in first ? first.id : first;
  return Number(id);
}

/** Inserts rows of one shape, in as few statements as the number of bound values allows. */
export async function insertRows(trx: Knex, table: string, rows: readonly object[]): Promise<void> {
  for (const part of partsOf(rows, MAX_BINDINGS / columnsOf(rows).length)) {
    const { sql, bindings } = insertSql(engineOf(trx), table, part);
    await trx.raw(sql, bindings);
  }
}

/**
 * Inserts those of `rows` (all of one shape) whose key is new, also among themselves: the first wins.
 * Answers the keys that were really inserted, as text; rows of existing keys are skipped.
 */
export async function insertNew(
  trx: Knex,
  table: string,
  rows: readonly object[],
  keyColumn: string,
): Promise<Set<string>> {
  const keys = new Set<string>();
  const insertPart = engineOf(trx) === 'mysql' ? insertNewMysql : insertIgnoringKeys;
  for (const part of partsOf(rows, MAX_BINDINGS / columnsOf(rows).length))
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
  const keys = namesOf(engine, keyColumns);
  return rowsOf(
    await trx.raw(`${sql} on conflict (${keys}) do nothing returning ${keys}`, bindings),
  );
}

/** The usual case, nothing repeated, is one statement; a refused one leaves nothing behind in InnoDB. */
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

/** Not INSERT IGNORE: that would also swallow values that are too long, null or out of range. */
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
  const sql = `insert into ${quoteName(engine, table)} (${namesOf(engine, columns)}) values ${tuples.join(',')}`;
  return { sql, bindings };
}

/** Whole numbers, booleans and empty texts stand in the statement itself: each binding costs a microsecond. */
function literalOf(value: Knex.RawBinding, bindings: Knex.RawBinding[]): string {
  if (value === '') return "''";
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  bindings.push(value);
  return '?';
}

export interface Add {
  readonly id: number;
  readonly [column: string]: number;
}

export interface AddOptions {
  /** SQL over `t.<column>` (the row as it stands) and `v.<column>` (what is to be added). */
  readonly where?: string;
}

/**
 * Adds numbers to columns of many rows, found by `id`, and answers the ids that were updated: not
 * those that do not exist or that `where` refuses. All adds name the same columns, each id once.
 * Rows are locked in the order of their ids, so that two batches cannot wait for each other.
 */
export async function addTo(
  trx: Knex,
  table: string,
  adds: readonly Add[],
  options: AddOptions = {},
): Promise<Set<number>> {
  const sorted = [...adds].sort((a, b) => a.id - b.id);
  refuseTwice(sorted);
  const updated = new Set<number>();
  const addPart = ADD_TO[engineOf(trx)];
  for (const part of partsOf(sorted, MAX_ADDS))
    for (const id of await addPart(trx, { table, adds: part, where: options.where }))
      updated.add(id);
  return updated;
}

/**
 * Locks rows in the order of their ids until the transaction ends, for work that updates them in
 * several statements. SQLite's one writer has all rows to itself anyway.
 */
export async function lockRows(
  trx: Knex.Transaction,
  table: string,
  ids: readonly number[],
): Promise<void> {
  const engine = engineOf(trx);
  if (engine === 'sqlite') return;
  const sorted = [...new Set(ids)].sort((a, b) => a - b);
  const lock = engine === 'postgres' ? 'for no key update' : 'for update';
  for (const part of partsOf(sorted, MAX_ADDS))
    await trx.raw(
      `select id from ${quoteName(engine, table)} where id in (${part.map(exact).join(',')}) order by id ${lock}`,
    );
}

interface Addition {
  readonly table: string;
  readonly adds: readonly Add[];
  readonly where: string | undefined;
}

const ADD_TO = {
  sqlite: async (trx, addition) => idsOf(await trx.raw(addFromValues('sqlite', addition, ''))),
  postgres: async (trx, addition) => idsOf(await trx.raw(addInOrder(addition))),
  mysql: addToMysql,
} as const satisfies Record<Engine, (trx: Knex, addition: Addition) => Promise<number[]>>;

/** `UPDATE ... FROM` takes its locks in the order of whatever plan it gets: so they are taken before. */
function addInOrder(addition: Addition): string {
  if (addition.adds.length === 1) return addFromValues('postgres', addition, '');
  const ids = addition.adds.map((add) => exact(add.id)).join(',');
  const table = quoteName('postgres', addition.table);
  const locked = `locked as materialized (select id from ${table} where id in (${ids}) order by id for no key update)`;
  return addFromValues('postgres', addition, locked);
}

function addFromValues(engine: Engine, { table, adds, where }: Addition, locked: string): string {
  const columns = columnsOf(adds);
  const values = adds.map((add) => `(${columns.map((column) => exact(add[column])).join(',')})`);
  const given = `v(${namesOf(engine, columns)}) as (values ${values.join(',')})`;
  const source = locked === '' ? 'v' : 'v join locked on locked.id = v.id';
  return `with ${given}${locked === '' ? '' : `, ${locked}`}
    update ${quoteName(engine, table)} as t set ${sumsOf(engine, columns, '')} from ${source}
    where t.id = v.id${where === undefined ? '' : ` and (${where})`} returning ${engine === 'sqlite' ? 'id' : 't.id'}`;
}

/** MySQL does not say which rows an UPDATE met, so a condition is decided on rows locked before. */
async function addToMysql(trx: Knex, { table, adds, where }: Addition): Promise<number[]> {
  if (where === undefined) return addToAllMysql(trx, table, adds);
  const met = `select t.id as id from ${joined(table, adds)} where ${where} for update`;
  const allowed = new Set(idsOf(await trx.raw(met)));
  const taken = adds.filter((add) => allowed.has(add.id));
  return taken.length === 0 ? [] : addToAllMysql(trx, table, taken);
}

async function addToAllMysql(trx: Knex, table: string, adds: readonly Add[]): Promise<number[]> {
  const sums = sumsOf('mysql', columnsOf(adds), 't.');
  const [outcome] = await trx.raw(`update ${joined(table, adds)} set ${sums}`);
  if (outcome.affectedRows === adds.length) return adds.map((add) => add.id);
  return idsOf(await trx.raw(`select t.id as id from ${joined(table, adds)}`));
}

/** The given rows come first in the plan, so that only their rows are locked, in the order of ids. */
function joined(table: string, adds: readonly Add[]): string {
  const given = selectOf(adds, columnsOf(adds));
  return `(${given}) as v straight_join ${quoteName('mysql', table)} as t on t.id = v.id`;
}

function selectOf(adds: readonly Add[], columns: readonly string[]): string {
  return adds
    .map((add) => columns.map((column) => `${exact(add[column])} as ${quoteName('mysql', column)}`))
    .map((fields) => `select ${fields.join(',')}`)
    .join(' union all ');
}

function sumsOf(engine: Engine, columns: readonly string[], target: string): string {
  return columns
    .filter((column) => column !== 'id')
    .map((column) => quoteName(engine, column))
    .map((column) => `${target}${column} = t.${column} + v.${column}`)
    .join(', ');
}

function refuseTwice(sorted: readonly Add[]): void {
  const twice = sorted.find((add, index) => add.id === sorted[index - 1]?.id);
  if (twice !== undefined) throw new Error(`addTo was given id ${twice.id} twice`);
}

/** What makes it safe to write a number into the text of a statement. */
function exact(value: number | undefined): string {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no exact integer`);
  return String(value);
}

/** Deletes the rows of these keys and answers `columns` of those that were there. */
export async function deleteReturning(
  trx: Knex,
  table: string,
  keyColumn: string,
  keys: readonly (string | number)[],
  columns: readonly string[],
): Promise<Row[]> {
  const engine = engineOf(trx);
  const gone: Row[] = [];
  for (const part of partsOf(keys, MAX_BINDINGS)) {
    const from = `from ${quoteName(engine, table)} where ${quoteName(engine, keyColumn)} in (${part.map(() => '?').join(',')})`;
    const list = namesOf(engine, columns);
    if (engine === 'mysql') {
      gone.push(...rowsOf(await trx.raw(`select ${list} ${from} for update`, part)));
      await trx.raw(`delete ${from}`, part);
    } else gone.push(...rowsOf(await trx.raw(`delete ${from} returning ${list}`, part)));
  }
  return gone;
}

/** A unique index refused the row. */
export function isDuplicate(error: unknown): boolean {
  const { code, message } = symptomsOf(error);
  if (code === 'SQLITE_CONSTRAINT') return /UNIQUE constraint failed/.test(message);
  return code === '23505' || code === 'ER_DUP_ENTRY';
}

/** The database gave way to another transaction; the same work may succeed when tried again. */
export function isRetryable(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (RETRYABLE.has(symptomsOf(at).code)) return true;
  return false;
}

const RETRYABLE: ReadonlySet<string> = new Set([
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  // serialization_failure, deadlock_detected, lock_not_available: PostgreSQL, appendix A.
  '40001',
  '40P01',
  '55P03',
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  // MariaDB with innodb_snapshot_isolation: the row changed since this transaction first looked.
  'ER_CHECKREAD',
]);

function symptomsOf(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: '', message: '' };
  return { code: 'code' in error ? String(error.code) : '', message: error.message };
}

/**
 * A condition for `whereRaw(...likeContains(column, text))`. The text is taken literally; letter case
 * is ignored (on SQLite that of ASCII letters only).
 */
export function likeContains(column: string, text: string): [sql: string, bindings: string[]] {
  return like(column, `%${escapeLike(text)}%`);
}

/** The same for the beginning of a value. */
export function likePrefix(column: string, text: string): [sql: string, bindings: string[]] {
  return like(column, `${escapeLike(text)}%`);
}

function like(column: string, pattern: string): [sql: string, bindings: string[]] {
  // The default escape character differs, and a backslash in a literal means different things.
  return ["lower(??) like lower(?) escape '!'", [column, pattern]];
}

function escapeLike(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}

/** A boolean column as it was read: PostgreSQL gives booleans, the others 0 and 1. */
export function asBoolean(value: unknown): boolean {
  return value === true || value === 1;
}

export type Row = Record<string, unknown>;

/** Rows of a raw statement: the drivers wrap them differently and knex passes that on. */
export function rowsOf(answer: unknown): Row[] {
  const rows = Array.isArray(answer)
    ? // mysql2 answers [rows, fields], sqlite3 the rows.
      Array.isArray(answer[0])
      ? answer[0]
      : answer
    : Reflect.get(Object(answer), 'rows');
  return Array.isArray(rows) ? rows : [];
}

function idsOf(answer: unknown): number[] {
  return rowsOf(answer).map((row) => Number(row.id));
}

function columnsOf(rows: readonly object[]): string[] {
  return Object.keys(rows[0] ?? {});
}

function namesOf(engine: Engine, columns: readonly string[]): string {
  return columns.map((column) => quoteName(engine, column)).join(', ');
}

/** Throws for a row that lacks a column of the first one: nothing may slip into a default by mistake. */
function fieldOf(row: object, column: string): Knex.RawBinding {
  const value: Knex.RawBinding | undefined = Reflect.get(row, column);
  if (value === undefined) throw new TypeError(`a row has no value for ${column}`);
  return value;
}

function* partsOf<T>(list: readonly T[], size: number): Generator<T[]> {
  const step = Math.max(1, Math.floor(size));
  for (let start = 0; start < list.length; start += step) yield list.slice(start, start + step);
}
