/**
 * Brings the schema up to what this build needs, and tells whether it is. SQLite and PostgreSQL
 * migrate in one transaction: all or nothing. MySQL commits at every statement, so there a migration
 * is noted as started before it runs; a note that stays means that a start was cut, or still runs.
 */
import type { Knex } from 'knex';
import { type Migration, migrations } from '../../migrations/index.ts';
import { AppError } from '../domain/errors.ts';
import { type Databases, MYSQL_IDLE_SEC } from './db.ts';
import { rowsOf } from './dialect.ts';
import { insertOnce } from './inserts.ts';
import { inTx } from './tx.ts';

export interface SchemaState {
  /** 'newer': the database knows migrations that this build does not. 'half': one was started only. */
  readonly state: 'empty' | 'current' | 'behind' | 'newer' | 'half';
  readonly pending: string[];
  readonly unknown: string[];
  /** Started and not finished. */
  readonly started: string[];
}

const DONE = 'schema_migrations';
const STARTED = 'schema_migrations_started';
const LOCK_WAIT_SEC = 60;
const LONGEST_MIGRATION_SEC = 86_400;
/** Any number will do, as long as every version of the gateway uses the same. */
const POSTGRES_LOCK = 7_145_230_911;

/**
 * Runs what is pending and answers the names. Processes that start at once wait for each other; the
 * lock ends with its connection, so a killed process blocks nobody. A cut start is taken up again,
 * as each migration looks first whether its work is done.
 * @throws AppError `schema_newer`; `schema_half` when another process has been migrating for a minute.
 */
export async function migrate(
  databases: Databases,
  list: readonly Migration[] = migrations,
): Promise<string[]> {
  if (databases.engine === 'mysql')
    return withMysqlLock(databases.db, () => runPending(databases.db, list));
  return inTx(databases, async ({ db }) => {
    if (databases.engine === 'postgres') {
      await db.raw(`set local lock_timeout = '${LOCK_WAIT_SEC}s'`);
      await db.raw('select pg_advisory_xact_lock(?)', [POSTGRES_LOCK]);
    }
    return runPending(db, list);
  });
}

/** @throws AppError `schema_newer`, `schema_half` or `schema_behind`. */
export async function requireCurrentSchema(
  db: Knex,
  list: readonly Migration[] = migrations,
): Promise<void> {
  const { state, pending, unknown, started } = await schemaState(db, list);
  if (state === 'newer') throw new AppError('schema_newer', { migrations: unknown.join(', ') });
  if (state === 'half') throw new AppError('schema_half', { migrations: started.join(', ') });
  if (state !== 'current') throw new AppError('schema_behind', { migrations: pending.join(', ') });
}

export async function schemaState(
  db: Knex,
  list: readonly Migration[] = migrations,
): Promise<SchemaState> {
  const done = await namesIn(db, DONE);
  const started = await namesIn(db, STARTED);
  const known = new Set(list.map((migration) => migration.name));
  const unknown = [...done, ...started].filter((name) => !known.has(name));
  const pending = [...known].filter((name) => !done.includes(name));
  return { state: stateOf(done, { pending, unknown, started }), pending, unknown, started };
}

function stateOf(done: string[], found: Omit<SchemaState, 'state'>): SchemaState['state'] {
  if (found.unknown.length > 0) return 'newer';
  if (found.started.length > 0) return 'half';
  if (done.length === 0) return 'empty';
  return found.pending.length > 0 ? 'behind' : 'current';
}

async function namesIn(db: Knex, table: string): Promise<string[]> {
  if (!(await db.schema.hasTable(table))) return [];
  const rows = await db(table).select('name').orderBy('name');
  return rows.map((row) => String(row.name));
}

async function runPending(db: Knex, list: readonly Migration[]): Promise<string[]> {
  const { unknown } = await schemaState(db, list);
  if (unknown.length > 0) throw new AppError('schema_newer', { migrations: unknown.join(', ') });
  if (!(await db.schema.hasTable(STARTED)))
    await db.schema.createTable(STARTED, (table) => {
      table.string('name').notNullable().primary();
      table.bigInteger('started_at').notNullable();
    });
  const config = { tableName: DONE, disableTransactions: true, migrationSource: sourceOf(list) };
  // Whoever left knex's own lock behind is dead, or it could not be our turn.
  await db.migrate.forceFreeMigrationsLock(config);
  const [, names]: [number, string[]] = await db.migrate.latest(config);
  return names;
}

function sourceOf(list: readonly Migration[]): Knex.MigrationSource<Migration> {
  return {
    getMigrations: async () => [...list],
    getMigrationName: (migration) => migration.name,
    getMigration: async (migration) => ({ up: (db) => runNoted(db, migration), down: refuseDown }),
  };
}

async function runNoted(db: Knex, { name, up }: Migration): Promise<void> {
  await insertOnce(db, STARTED, { name, started_at: Math.floor(Date.now() / 1000) }, 'name');
  await up(db);
  await db(STARTED).where({ name }).delete();
}

/** knex insists on a way back; ours is a backup. */
async function refuseDown(): Promise<never> {
  throw new Error('migrations go forward only');
}

/** GET_LOCK belongs to a connection and is the whole server's: its name carries the database's. */
async function withMysqlLock<T>(db: Knex, work: () => Promise<T>): Promise<T> {
  const connection: unknown = await db.client.acquireConnection();
  const ask = async (sql: string) => {
    const name = "concat('gateway:', left(md5(database()), 32))";
    const answer = await db.raw(sql.replace('$name', name)).connection(connection);
    return rowsOf(answer)[0]?.answer;
  };
  try {
    // It says nothing while others migrate, which may take its time.
    await ask(`set session wait_timeout = ${LONGEST_MIGRATION_SEC}`);
    const taken = await ask(`select get_lock($name, ${LOCK_WAIT_SEC}) as answer`);
    if (taken !== 1) throw new AppError('schema_half', { migrations: '' });
    return await work();
  } finally {
    await ask('select release_lock($name) as answer');
    await ask(`set session wait_timeout = ${MYSQL_IDLE_SEC}`);
    db.client.releaseConnection(connection);
  }
}
