/**
 * Migrates the schema to the version this build needs, and checks whether it is current. On SQLite
 * all migrations are one transaction, on PostgreSQL each is one. MySQL commits at every statement,
 * so a migration is recorded as started before it runs; a remaining record means that it was
 * interrupted or is still running. Other nodes keep serving, so no statement waits long for a lock
 * (`short-locks.ts`).
 */
import type { Knex } from 'knex';
import { type Migration, migrations } from '../../../migrations/index.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { Databases } from '../connection/database.ts';
import { DONE_TABLE, STARTED_TABLE } from '../connection/own-tables.ts';
import { MYSQL_LOCK_WAIT_SEC } from '../connection/server-pools.ts';
import { inTransaction } from '../connection/transaction.ts';
import { insertOnce } from '../sql/inserts.ts';
import { isKeyTooLong, isRetryable, rowsOf } from '../sql/sql-dialect.ts';
import { LOCK_WAIT, type LockOptions, retryLocked, withShortLocks } from './short-locks.ts';

export interface SchemaState {
  /** 'newer': the database has migrations unknown to this build. 'half': one did not finish. */
  readonly state: 'empty' | 'current' | 'behind' | 'newer' | 'half';
  readonly pending: string[];
  readonly unknown: string[];
  /** Started but not finished. */
  readonly started: string[];
}

const LOCK_WAIT_SEC = 60;
/** How long a migration waits for readers of its tables, such as a backup. */
const LOCK_TIMEOUT_MS = 600_000;
/** An arbitrary number, but the same in every version of the gateway. */
const POSTGRES_LOCK = 7_145_230_911;

export interface MigrateOptions {
  /** Called once, if the tables are in use and the migration has to wait. */
  readonly onWait?: (() => void) | undefined;
  readonly timeoutMs?: number;
}

/**
 * Runs the pending migrations and returns their names. Processes that start at once wait for each
 * other; the lock ends with its connection, so a killed process blocks nothing. An interrupted
 * migration is resumed, because each one first checks whether its work is done.
 * @throws AppError `schema_newer`; `schema_half` when another process has been migrating for a
 * minute; `schema_locked` when the tables were in use the whole time; `database_pages_small`.
 */
export async function migrate(
  databases: Databases,
  list: readonly Migration[] = migrations,
  { onWait, timeoutMs = LOCK_TIMEOUT_MS }: MigrateOptions = {},
): Promise<string[]> {
  const options = { timeoutMs, onWait };
  try {
    if (databases.engine === 'sqlite')
      return await inTransaction(databases, (trx) =>
        runPending({ ...trx, location: databases.location }, list, 'latest'),
      );
    if (databases.engine === 'mysql') return await migrateMysql(databases, list, options);
    return await migratePostgres(databases, list, options);
  } catch (cause) {
    if (isKeyTooLong(cause)) throw new AppError('database_pages_small', {}, { cause });
    throw isRetryable(cause) ? new AppError('schema_locked', {}, { cause }) : cause;
  }
}

/** A database, for its errors with the address. */
type Target = Pick<Databases, 'db' | 'location'>;

async function migratePostgres(
  { db, location }: Target,
  list: readonly Migration[],
  options: LockOptions,
): Promise<string[]> {
  const done: string[] = [];
  let contested: string[] = [];
  for (;;) {
    const names = await withShortLocks(db, options, async (trx) => {
      await trx.raw(`set local lock_timeout = '${LOCK_WAIT_SEC}s'`);
      await trx.raw('select pg_advisory_xact_lock(?)', [POSTGRES_LOCK]);
      await trx.raw(`set local lock_timeout = '${LOCK_WAIT}'`);
      trx.on('query-error', (error, { sql }) => {
        const table = isRetryable(error) ? CHANGED_TABLE.exec(sql)?.[1] : undefined;
        if (table !== undefined)
          contested = [table, ...contested.filter((other) => other !== table)];
      });
      for (const table of contested) await trx.raw(`lock table "${table}"`);
      return runPending({ db: trx, location }, list, 'up');
    });
    if (names.length === 0) return done;
    done.push(...names);
    contested = [];
  }
}

/**
 * A settlement writes `ledger` before `users`. A migration that locks `users` first and then waits for
 * `ledger` blocks the settlement that it waits for, on a busy site in every attempt. So the next
 * attempt begins with the table that this one did not get.
 */
const CHANGED_TABLE = /^(?:alter table|create (?:unique )?index .* on|lock table) "?(\w+)/i;

/** @throws AppError `database_empty`, `schema_newer`, `schema_half` or `schema_behind`. */
export async function requireCurrentSchema(
  { db, location }: Target,
  list: readonly Migration[] = migrations,
): Promise<void> {
  const { state, pending, unknown, started } = await schemaState(db, list);
  if (state === 'empty') throw new AppError('database_empty', { location });
  if (state === 'newer') throw new AppError('schema_newer', { location, migrations: unknown });
  if (state === 'half') throw new AppError('schema_half', { migrations: started });
  if (state !== 'current') throw new AppError('schema_behind', { location, migrations: pending });
}

export async function schemaState(
  db: Knex,
  list: readonly Migration[] = migrations,
): Promise<SchemaState> {
  const done = await migrationsIn(db, DONE_TABLE);
  const started = await migrationsIn(db, STARTED_TABLE);
  const known = new Set(list.map((migration) => migration.name));
  const unknown = [...done, ...started].filter((name) => !known.has(name));
  const pending = [...known].filter((name) => !done.includes(name));
  return { state: stateOf(done, { pending, unknown, started }), pending, unknown, started };
}

/** The state of a database without tables. */
export function emptySchema(list: readonly Migration[]): SchemaState {
  const pending = list.map(({ name }) => name);
  return { state: 'empty', pending, unknown: [], started: [] };
}

function stateOf(done: string[], found: Omit<SchemaState, 'state'>): SchemaState['state'] {
  if (found.unknown.length > 0) return 'newer';
  if (found.started.length > 0) return 'half';
  if (done.length === 0) return 'empty';
  return found.pending.length > 0 ? 'behind' : 'current';
}

async function migrationsIn(db: Knex, table: string): Promise<string[]> {
  if (!(await db.schema.hasTable(table))) return [];
  const rows = await db(table).select('name').orderBy('name');
  return rows.map((row) => String(row.name));
}

/** Runs all pending migrations, or only the next one. */
async function runPending(
  { db, location }: Target,
  list: readonly Migration[],
  how: 'latest' | 'up',
): Promise<string[]> {
  const { unknown } = await schemaState(db, list);
  if (unknown.length > 0) throw new AppError('schema_newer', { location, migrations: unknown });
  if (!(await db.schema.hasTable(STARTED_TABLE)))
    await db.schema.createTable(STARTED_TABLE, (table) => {
      table.string('name').notNullable().primary();
      table.bigInteger('started_at').notNullable();
    });
  const config = {
    tableName: DONE_TABLE,
    disableTransactions: true,
    migrationSource: sourceOf(list),
  };
  // The owner of a remaining knex lock must be dead, because this process holds the outer lock.
  await db.migrate.forceFreeMigrationsLock(config);
  const [, names]: [number, string[]] = await db.migrate[how](config);
  return names;
}

function sourceOf(list: readonly Migration[]): Knex.MigrationSource<Migration> {
  return {
    getMigrations: async () => [...list],
    getMigrationName: (migration) => migration.name,
    getMigration: async (migration) => ({
      up: (db) => runRecorded(db, migration),
      down: refuseDown,
    }),
  };
}

async function runRecorded(db: Knex, { name, up }: Migration): Promise<void> {
  await insertOnce(db, STARTED_TABLE, { name, started_at: Math.floor(Date.now() / 1000) }, 'name');
  await up(db);
  await db(STARTED_TABLE).where({ name }).delete();
}

/** knex requires a down migration; here a backup serves that purpose. */
async function refuseDown(): Promise<never> {
  throw new Error('migrations go forward only');
}

/**
 * Runs on one connection that holds the lock and has the lock timeout set: GET_LOCK belongs to a
 * connection and is server-wide, so its name includes the database's. A transaction keeps the
 * connection, and every schema change ends it: it contains no work.
 */
function migrateMysql(
  { db, location }: Target,
  list: readonly Migration[],
  options: LockOptions,
): Promise<string[]> {
  const name = "concat('gateway:', left(md5(database()), 32))";
  return db.transaction(async (connection) => {
    const ask = async (sql: string) => rowsOf(await connection.raw(sql))[0]?.answer;
    await connection.raw('commit');
    if ((await ask(`select get_lock(${name}, ${LOCK_WAIT_SEC}) as answer`)) !== 1)
      throw new AppError('schema_half', { migrations: '' });
    try {
      await connection.raw('set session lock_wait_timeout = 1');
      return await retryLocked(options, () =>
        runPending({ db: connection, location }, list, 'latest'),
      );
    } finally {
      await connection.raw(`set session lock_wait_timeout = ${MYSQL_LOCK_WAIT_SEC}`);
      await ask(`select release_lock(${name}) as answer`);
    }
  });
}
