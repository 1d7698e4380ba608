/**
 * Bulk SQL that differs between databases: conditional increments of many rows, ordered row locks,
 * and deletes that return rows. Raw SQL as in `inserts.ts`.
 */
import type { Knex } from 'knex';
import type { Engine } from '../connection/engine.ts';
import {
  chunksOf,
  columnsOf,
  engineOf,
  quotedNames,
  quoteName,
  type Row,
  rowsOf,
} from '../sql/sql-dialect.ts';

const MAX_ROWS = 1_000;

export interface Increment {
  readonly id: number;
  readonly [column: string]: number;
}

export interface IncrementOptions {
  /** SQL over `t.<column>` (the current row) and `v.<column>` (the increment). */
  readonly where?: string;
  /** Collects the new value of a column of each updated row, by row id. */
  readonly reading?: { readonly column: string; readonly into: Map<number, number> };
}

/**
 * Adds numbers to columns of many rows, found by `id`, and returns the updated ids, without missing
 * rows and those rejected by `where`. All increments name the same columns, each id once. Rows are locked
 * in id order, so that two batches cannot deadlock.
 */
export async function incrementRows(
  trx: Knex,
  table: string,
  increments: readonly Increment[],
  options: IncrementOptions = {},
): Promise<Set<number>> {
  const sorted = [...increments].sort((a, b) => a.id - b.id);
  refuseTwice(sorted);
  const updated = new Set<number>();
  const incrementPart = INCREMENT[engineOf(trx)];
  const { where, reading } = options;
  for (const part of chunksOf(sorted, MAX_ROWS)) {
    for (const row of await incrementPart(trx, {
      table,
      increments: part,
      where,
      column: reading?.column,
    })) {
      updated.add(Number(row.id));
      reading?.into.set(Number(row.id), Number(row[reading.column]));
    }
  }
  return updated;
}

/**
 * Locks rows in id order until the transaction ends, for work that updates them in several
 * statements. Not needed on SQLite, which has a single writer.
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
  for (const part of chunksOf(sorted, MAX_ROWS))
    await trx.raw(
      `select id from ${quoteName(engine, table)} where id in (${part.map(exact).join(',')}) order by id ${lock}`,
    );
}

/**
 * The statements of `incrementRows` without a condition, for a script; `increments` as there, and
 * not too many. On PostgreSQL it is one, which returns the rows, and `IN_ID_ORDER` must precede it
 * in the transaction.
 */
export function incrementScript(
  engine: 'sqlite' | 'postgres',
  {
    table,
    increments,
    column,
  }: Pick<IncrementStatement, 'table' | 'increments'> & { readonly column?: string },
): readonly string[] {
  const sorted = [...increments].sort((a, b) => a.id - b.id);
  refuseTwice(sorted);
  if (engine === 'sqlite' && sorted.length <= MAX_SINGLE_UPDATES)
    return sorted.map((add) => incrementOneSql(table, add));
  return [
    incrementFromValuesSql(engine, { table, increments: sorted, where: undefined, column }, ''),
  ];
}

/** SQLite compiles and runs so many single updates faster than one with a table of values. */
const MAX_SINGLE_UPDATES = 8;

function incrementOneSql(table: string, { id, ...columns }: Increment): string {
  const sums = Object.entries(columns).map(([column, value]) => {
    const name = quoteName('sqlite', column);
    return `${name} = ${name} + ${exact(value)}`;
  });
  return `update ${quoteName('sqlite', table)} set ${sums.join(', ')} where id = ${exact(id)}`;
}

/**
 * Leaves PostgreSQL only plans of `incrementScript` that go through the given rows, or the primary key,
 * in id order. So rows are locked in that order without a statement that locks them before.
 */
export const IN_ID_ORDER = `select ${['seqscan', 'hashjoin', 'mergejoin']
  .map((plan) => `set_config('enable_${plan}', 'off', true)`)
  .join(', ')}`;

interface IncrementStatement {
  readonly table: string;
  readonly increments: readonly Increment[];
  readonly where: string | undefined;
  /** A column to return from the updated rows, along with their ids. */
  readonly column: string | undefined;
}

const INCREMENT = {
  sqlite: async (trx, statement) =>
    rowsOf(await trx.raw(incrementFromValuesSql('sqlite', statement, ''))),
  postgres: async (trx, statement) => rowsOf(await trx.raw(incrementInOrderSql(statement))),
  mysql: incrementMysql,
} as const satisfies Record<Engine, (trx: Knex, statement: IncrementStatement) => Promise<Row[]>>;

/** `UPDATE ... FROM` locks rows in the order of its query plan, so they are locked beforehand. */
function incrementInOrderSql(statement: IncrementStatement): string {
  if (statement.increments.length === 1) return incrementFromValuesSql('postgres', statement, '');
  const ids = integersLiteral(statement.increments.map((add) => add.id));
  const table = quoteName('postgres', statement.table);
  const locked = `locked as materialized (select id from ${table} where id = any(${ids}) order by id for no key update)`;
  return incrementFromValuesSql('postgres', statement, locked);
}

function incrementFromValuesSql(
  engine: Engine,
  statement: IncrementStatement,
  locked: string,
): string {
  const { table, increments, where, column } = statement;
  const columns = columnsOf(increments);
  const given = `v(${quotedNames(engine, columns)}) as (${givenRows(engine, columns, increments)})`;
  const source = locked === '' ? 'v' : 'v join locked on locked.id = v.id';
  return `with ${given}${locked === '' ? '' : `, ${locked}`}
    update ${quoteName(engine, table)} as t set ${sumsOf(engine, columns, '')} from ${source}
    where t.id = v.id${where === undefined ? '' : ` and (${where})`} returning ${readExpression(engine, column)}`;
}

/** PostgreSQL parses and plans each literal of a list of values, but an array only once. */
function givenRows(
  engine: Engine,
  columns: readonly string[],
  increments: readonly Increment[],
): string {
  if (engine === 'postgres' && increments.length > 1) {
    const arrays = columns.map((column) => integersLiteral(increments.map((add) => add[column])));
    return `select * from unnest(${arrays.join(',')})`;
  }
  const rows = increments.map(
    (add) => `(${columns.map((column) => exact(add[column])).join(',')})`,
  );
  return `values ${rows.join(',')}`;
}

/** A literal for PostgreSQL. @throws RangeError as `exact`. */
export function integersLiteral(values: readonly (number | undefined)[]): string {
  return `'{${values.map(exact).join(',')}}'::bigint[]`;
}

function readExpression(engine: Engine, column: string | undefined): string {
  // After RETURNING, SQLite can refer to the table only, PostgreSQL also to joined ones.
  const prefix = engine === 'sqlite' ? '' : 't.';
  const also = column === undefined ? '' : `, ${prefix}${quoteName(engine, column)}`;
  return `${prefix}id${also}`;
}

/** MySQL does not return the changed rows, so a condition is checked on rows locked beforehand. */
async function incrementMysql(trx: Knex, statement: IncrementStatement): Promise<Row[]> {
  const { table, increments, where } = statement;
  if (where === undefined) return incrementAllMysql(trx, statement);
  const met = `select t.id as id from ${joined(table, increments)} where ${where} for update`;
  const allowed = new Set(idsOf(await trx.raw(met)));
  const taken = increments.filter((add) => allowed.has(add.id));
  return taken.length === 0 ? [] : incrementAllMysql(trx, { ...statement, increments: taken });
}

async function incrementAllMysql(
  trx: Knex,
  { table, increments, column }: IncrementStatement,
): Promise<Row[]> {
  const sums = sumsOf('mysql', columnsOf(increments), 't.');
  const [outcome] = await trx.raw(`update ${joined(table, increments)} set ${sums}`);
  if (column === undefined && outcome.affectedRows === increments.length)
    return increments.map(({ id }) => ({ id }));
  const also = column === undefined ? '' : `, t.${quoteName('mysql', column)}`;
  return rowsOf(await trx.raw(`select t.id as id${also} from ${joined(table, increments)}`));
}

/** The given rows come first in the plan, so that only their rows are locked, in id order. */
function joined(table: string, increments: readonly Increment[]): string {
  const given = selectStatement(increments, columnsOf(increments));
  return `(${given}) as v straight_join ${quoteName('mysql', table)} as t on t.id = v.id`;
}

function selectStatement(increments: readonly Increment[], columns: readonly string[]): string {
  return increments
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

function refuseTwice(sorted: readonly Increment[]): void {
  const twice = sorted.find((add, index) => add.id === sorted[index - 1]?.id);
  if (twice !== undefined) throw new Error(`incrementRows was given id ${twice.id} twice`);
}

/**
 * Text of a number that is safe to embed in a statement.
 * @throws RangeError unless it is an exact integer.
 */
export function exact(value: number | undefined): string {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no exact integer`);
  return String(value);
}

/** Deletes the rows of these keys and returns `columns` of those that existed. */
export async function deleteReturning(
  trx: Knex,
  table: string,
  keyColumn: string,
  keys: readonly (string | number)[],
  columns: readonly string[],
): Promise<Row[]> {
  const engine = engineOf(trx);
  const list = quotedNames(engine, columns);
  const gone: Row[] = [];
  for (const part of chunksOf([...new Set(keys)], MAX_ROWS)) {
    const from = fromKeys(engine, table, keyColumn, part);
    if (engine === 'mysql') {
      gone.push(...rowsOf(await trx.raw(`select ${list} ${from} for update`, part)));
      await trx.raw(`delete t ${from}`, part);
    } else gone.push(...rowsOf(await trx.raw(`delete ${from} returning ${list}`, part)));
  }
  return gone;
}

/** Same as `deleteReturning`, without a result. */
export async function deleteKeys(
  trx: Knex,
  table: string,
  keyColumn: string,
  keys: readonly (string | number)[],
): Promise<void> {
  const engine = engineOf(trx);
  const what = engine === 'mysql' ? 'delete t' : 'delete';
  for (const part of chunksOf([...new Set(keys)], MAX_ROWS))
    await trx.raw(`${what} ${fromKeys(engine, table, keyColumn, part)}`, part);
}

/**
 * MySQL scans a short table instead of looking up a list of keys, and waits for every row it passes
 * that another transaction has locked. Keys that come first in the plan are looked up, each as
 * often as it is given.
 */
function fromKeys(
  engine: Engine,
  table: string,
  keyColumn: string,
  keys: readonly unknown[],
): string {
  const [target, column] = [quoteName(engine, table), quoteName(engine, keyColumn)];
  if (engine !== 'mysql' || keys.length === 1)
    return `from ${target} as t where t.${column} in (${keys.map(() => '?').join(',')})`;
  const given = keys.map((_key, at) => (at === 0 ? 'select ? as given' : 'select ?'));
  return `from (${given.join(' union all ')}) as v straight_join ${target} as t on t.${column} = v.given`;
}

function idsOf(answer: unknown): number[] {
  return rowsOf(answer).map((row) => Number(row.id));
}
