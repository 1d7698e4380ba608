/** Maintenance of the database itself, by the machine's operator only. */
import { existsSync, rmSync, statSync } from 'node:fs';
import type { Knex } from 'knex';
import type { Migration } from '../../../migrations/index.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { Databases } from '../connection/database.ts';
import type { Engine } from '../connection/engine.ts';
import { numberValue } from '../sql/read-rows.ts';
import { rowsOf, sqliteCodeOf } from '../sql/sql-dialect.ts';
import { type SchemaState, schemaState } from './migrate.ts';

export interface DatabaseFacts {
  readonly engine: Engine;
  readonly location: string;
  readonly schema: SchemaState['state'];
  readonly pending: readonly string[];
  readonly version: string;
  /** Bytes; on SQLite the file size, otherwise as reported by the server. */
  readonly size_bytes: number;
}

export async function databaseFacts(
  databases: Databases,
  list?: readonly Migration[],
): Promise<DatabaseFacts> {
  const { engine, location, db } = databases;
  const { state, pending } = await schemaState(db, list);
  const { version, size_bytes } = await SERVER_FACTS[engine](databases);
  return { engine, location, schema: state, pending, version, size_bytes };
}

type ServerFacts = Pick<DatabaseFacts, 'version' | 'size_bytes'>;

const SERVER_FACTS: Readonly<Record<Engine, (databases: Databases) => Promise<ServerFacts>>> = {
  async sqlite({ db, location }) {
    const [row] = await db.raw('select sqlite_version() as version');
    return { version: String(row.version), size_bytes: statSync(location).size };
  },
  async postgres({ db }) {
    const { rows } = await db.raw(
      'select version() as version, pg_database_size(current_database()) as size',
    );
    return { version: String(rows[0].version), size_bytes: Number(rows[0].size) };
  },
  async mysql({ db }) {
    const [[row]] = await db.raw(
      'select version() as version, sum(data_length + index_length) as size from information_schema.tables where table_schema = database()',
    );
    return { version: String(row.version), size_bytes: Number(row.size ?? 0) };
  },
};

/**
 * Writes a complete, consistent copy of a SQLite database that is in use, readable by its owner
 * only. 'exists' and 'unsupported' create no file. https://sqlite.org/lang_vacuum.html#vacuuminto
 * @throws AppError `write_failed`, after which there is no file either.
 */
export async function copySqlite(
  { engine, db }: Databases,
  target: string,
): Promise<'done' | 'exists' | 'unsupported'> {
  if (engine !== 'sqlite') return 'unsupported';
  if (existsSync(target)) return 'exists';
  const umask = process.umask(0o077);
  try {
    await db.raw('vacuum into ?', [target]);
  } catch (cause) {
    if (existsSync(target)) rmSync(target);
    if (!TARGET_FAULTS.has(sqliteCodeOf(cause) ?? '')) throw cause;
    const reason = cause instanceof Error ? cause.message.replace(/^.* - /, '') : String(cause);
    throw new AppError('write_failed', { target, reason }, { cause });
  } finally {
    process.umask(umask);
  }
  return 'done';
}

const TARGET_FAULTS: ReadonlySet<string> = new Set([
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_CANTOPEN',
  'SQLITE_READONLY',
]);

/** Frees unused space. MySQL does that by itself. */
export async function reclaimSpace({ engine, db }: Databases): Promise<'done' | 'unsupported'> {
  if (engine === 'mysql') return 'unsupported';
  await db.raw('vacuum');
  return 'done';
}

export interface SqliteHealth {
  readonly journal_mode: string;
  readonly foreign_keys: boolean;
  /** 2 is FULL: committed data survives a power failure. */
  readonly synchronous: number;
  /** Milliseconds that a writer waits for another one. */
  readonly busy_timeout: number;
  /** `ok`, or the problems SQLite found. https://sqlite.org/pragma.html#pragma_quick_check */
  readonly quick_check: string;
}

export async function sqliteHealth(db: Knex): Promise<SqliteHealth> {
  const [journal] = await db.raw('pragma journal_mode');
  const [keys] = await db.raw('pragma foreign_keys');
  const [synchronous] = await db.raw('pragma synchronous');
  const [busy] = await db.raw('pragma busy_timeout');
  const [check] = await db.raw('pragma quick_check(1)');
  return {
    journal_mode: String(journal.journal_mode),
    foreign_keys: keys.foreign_keys === 1,
    synchronous: Number(synchronous.synchronous),
    busy_timeout: Number(busy.timeout),
    quick_check: String(check.quick_check),
  };
}

const CONNECTIONS_SQL = {
  postgres: `select current_setting('max_connections')::int
    - current_setting('superuser_reserved_connections')::int as places`,
  mysql: 'select @@max_connections as places',
} as const;

/** The number of connections that the server accepts from ordinary accounts. */
export async function connectionLimit(db: Knex, engine: 'postgres' | 'mysql'): Promise<number> {
  return numberValue(rowsOf(await db.raw(CONNECTIONS_SQL[engine]))[0]?.places);
}

const CLOCK_SQL: Readonly<Record<Engine, string>> = {
  sqlite: 'select max(created_at) as now_sec from logs',
  postgres: 'select extract(epoch from clock_timestamp()) as now_sec',
  mysql: 'select unix_timestamp() as now_sec',
};

/**
 * Seconds by which this machine's clock is behind the database server's or (on SQLite) the newest
 * log entry. Negative if it is ahead of the server.
 */
export async function clockSkewSec(db: Knex, engine: Engine, nowMs: number): Promise<number> {
  const answer = await db.raw(CLOCK_SQL[engine]);
  const row =
    engine === 'postgres' ? answer.rows[0] : engine === 'mysql' ? answer[0][0] : answer[0];
  const skew = Number(row.now_sec ?? 0) - nowMs / 1000;
  return Math.round(engine === 'sqlite' ? Math.max(0, skew) : skew);
}
