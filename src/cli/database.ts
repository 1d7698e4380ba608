/**
 * Looking after the database itself. Loaded dynamically and in local mode only: the one place of
 * the command line that speaks to the store, because no call of the gateway may do any of this.
 */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { type Databases, type Engine, openDatabases } from '../store/db.ts';
import { migrate, type SchemaState, schemaState } from '../store/migrate.ts';

export interface DatabaseFacts {
  readonly engine: Engine;
  readonly location: string;
  readonly schema: SchemaState['state'];
  readonly pending: readonly string[];
  readonly version: string;
  /** Bytes; of SQLite the file, of the others what the server says. */
  readonly size_bytes: number;
}

/** Opens, whatever the schema is, and closes again. */
async function withDatabases<T>(
  config: Config,
  work: (databases: Databases) => Promise<T>,
): Promise<T> {
  const databases = await openDatabases(config.database.open());
  try {
    return await work(databases);
  } finally {
    await databases.close();
  }
}

export function schemaOf(config: Config): Promise<SchemaState & { readonly location: string }> {
  return withDatabases(config, async ({ db, location }) => ({
    ...(await schemaState(db)),
    location,
  }));
}

/** The names of the migrations that were run. */
export function migrateDatabase(config: Config): Promise<string[]> {
  return withDatabases(config, migrate);
}

export function factsOf(config: Config): Promise<DatabaseFacts> {
  return withDatabases(config, async (databases) => {
    const { engine, location, db } = databases;
    const { state, pending } = await schemaState(db);
    const { version, size_bytes } = await SERVER_FACTS[engine](databases);
    return { engine, location, schema: state, pending, version, size_bytes };
  });
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
 * Writes a whole, consistent copy of a SQLite database while it is in use. 'exists' and 'unsupported'
 * leave nothing behind. https://sqlite.org/lang_vacuum.html#vacuuminto
 */
export function backUp(config: Config, file: string): Promise<'done' | 'exists' | 'unsupported'> {
  const target = path.resolve(file);
  return withDatabases(config, async ({ engine, db }) => {
    if (engine !== 'sqlite') return 'unsupported';
    if (existsSync(target)) return 'exists';
    const umask = process.umask(0o077);
    try {
      await db.raw('vacuum into ?', [target]);
    } finally {
      process.umask(umask);
    }
    return 'done';
  });
}

/** Gives space back. PostgreSQL and MySQL look after that themselves. */
export function vacuum(config: Config): Promise<'done' | 'unsupported'> {
  return withDatabases(config, async ({ engine, db }) => {
    if (engine === 'mysql') return 'unsupported';
    await db.raw('vacuum');
    return 'done';
  });
}

export interface SqliteHealth {
  readonly journal_mode: string;
  readonly foreign_keys: boolean;
  /** `ok`, or what SQLite found. https://sqlite.org/pragma.html#pragma_quick_check */
  readonly quick_check: string;
}

export async function sqliteHealth({ db }: Context): Promise<SqliteHealth> {
  const [journal] = await db.raw('pragma journal_mode');
  const [keys] = await db.raw('pragma foreign_keys');
  const [check] = await db.raw('pragma quick_check(1)');
  return {
    journal_mode: String(journal.journal_mode),
    foreign_keys: keys.foreign_keys === 1,
    quick_check: String(check.quick_check),
  };
}

const CLOCK_SQL: Readonly<Record<Engine, string>> = {
  sqlite: 'select max(created_at) as now_sec from logs',
  postgres: 'select extract(epoch from clock_timestamp()) as now_sec',
  mysql: 'select unix_timestamp() as now_sec',
};

/**
 * Seconds by which this machine's clock is behind: of the database server's, or (SQLite has none)
 * of the newest log line. Negative when it is ahead of the server.
 */
export async function clockSkewSec({ db, engine, now }: Context): Promise<number> {
  const answer = await db.raw(CLOCK_SQL[engine]);
  const row =
    engine === 'postgres' ? answer.rows[0] : engine === 'mysql' ? answer[0][0] : answer[0];
  const skew = Number(row.now_sec ?? 0) - now() / 1000;
  return Math.round(engine === 'sqlite' ? Math.max(0, skew) : skew);
}
