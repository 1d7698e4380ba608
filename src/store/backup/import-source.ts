/**
 * Opens another program's database read-only, as of one moment (PostgreSQL, MySQL; a SQLite file is
 * read in short statements, because a long one would block its owner's writes).
 */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import knex, { type Knex } from 'knex';
import { AppError } from '../../domain/errors/errors.ts';
import { type Dsn, parseDsn } from '../connection/dsn.ts';
import type { Engine } from '../connection/engine.ts';
import { asOpenError } from '../connection/open-error.ts';
import { asSqliteError } from '../connection/sqlite-error.ts';
import { numberValue, rowCount, textValue } from '../sql/read-rows.ts';
import { type Row, rowsOf } from '../sql/sql-dialect.ts';

export interface ForeignDatabase {
  readonly engine: Engine;
  /** Printable: contains no password. */
  readonly location: string;
  /** The display name: of the file, or of the database on its server. */
  readonly name: string;
  /** All tables with their columns. */
  schema(): Promise<Map<string, ReadonlySet<string>>>;
  /** Counts rows; with `since`, only those with at least `since.atLeast` in `since.column`. */
  count(table: string, since?: SinceFilter): Promise<number>;
  /** The next rows, ordered by id. */
  rowsAfter(table: string, id: number, limit: number, since?: SinceFilter): Promise<Row[]>;
  /** A whole small table, such as the options. */
  allRows(table: string): Promise<Row[]>;
  highestId(table: string): Promise<number>;
  countUpTo(table: string, id: number): Promise<number>;
  /** Distinct values of a text column. */
  valuesOf(table: string, column: string): Promise<string[]>;
  close(): Promise<void>;
}

export interface SinceFilter {
  readonly column: string;
  readonly atLeast: number;
}

/** @throws AppError `import_source_missing`; `config_invalid` and others as `openDatabases`. */
export async function openForeignDatabase(address: string): Promise<ForeignDatabase> {
  const dsn = parseDsn(address, '<source>');
  const { location, engine } = dsn;
  let db: Knex | undefined;
  try {
    db = await connect(dsn);
    await db.raw('select 1');
    return namingFaults(dsn, reader(db, { engine, location, name: nameOf(dsn) }));
  } catch (cause) {
    await db?.destroy();
    throw asSourceError(dsn, asOpenError(dsn, cause));
  }
}

/** Faults of the file are named here: elsewhere they would count as those of the site's database. */
function namingFaults(dsn: Dsn, source: ForeignDatabase): ForeignDatabase {
  if (dsn.engine !== 'sqlite') return source;
  const named = async <T>(reading: Promise<T>): Promise<T> => {
    try {
      return await reading;
    } catch (cause) {
      throw asSourceError(dsn, asSqliteError(dsn.filename, cause) ?? cause);
    }
  };
  return {
    ...source,
    schema: () => named(source.schema()),
    count: (...of) => named(source.count(...of)),
    rowsAfter: (...of) => named(source.rowsAfter(...of)),
    allRows: (...of) => named(source.allRows(...of)),
    highestId: (...of) => named(source.highestId(...of)),
    countUpTo: (...of) => named(source.countUpTo(...of)),
    valuesOf: (...of) => named(source.valuesOf(...of)),
  };
}

/** The remedy for a file that is no database is another file, not a backup of the site. */
function asSourceError({ location }: Dsn, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'database_not_sqlite') return error;
  return new AppError('import_source_unknown', { location }, { cause: error });
}

function reader(
  db: Knex,
  facts: Pick<ForeignDatabase, 'engine' | 'location' | 'name'>,
): ForeignDatabase {
  const rows = (table: string, since?: SinceFilter) => {
    const query = db(table);
    return since === undefined ? query : query.where(since.column, '>=', since.atLeast);
  };
  return {
    ...facts,
    schema: () => schemaOf(db, facts.engine),
    count: (table, since) => rowCount(rows(table, since)),
    rowsAfter: async (table, id, limit, since) =>
      rows(table, since).where('id', '>', id).orderBy('id').limit(limit).select('*'),
    allRows: async (table) => db(table).select('*'),
    async highestId(table) {
      const row: Row | undefined = await db(table).max({ id: 'id' }).first();
      return numberValue(row?.id);
    },
    countUpTo: (table, id) => rowCount(db(table).where('id', '<=', id)),
    async valuesOf(table, column) {
      const found: Row[] = await db(table).distinct(column);
      return found.map((row) => textValue(row[column]));
    },
    close: () => db.destroy(),
  };
}

const quiet = { warn() {}, error() {}, debug() {}, deprecate() {} };

/** One connection, because the settings made on it must hold for everything that is read. */
async function connect(dsn: Dsn): Promise<Knex> {
  const shared = { log: quiet, acquireConnectionTimeout: 15_000, compileSqlOnError: false };
  if (dsn.engine === 'sqlite') {
    if (!existsSync(dsn.filename))
      throw new AppError('import_source_missing', { location: dsn.location });
    // knex always opens for writing; the URI enforces read-only access: sqlite.org/uri.html.
    const filename = `${pathToFileURL(dsn.filename).href}?mode=ro`;
    const connection = { filename, flags: ['OPEN_URI'] };
    return knex({ ...shared, client: 'sqlite3', connection, useNullAsDefault: true });
  }
  const pool = (begin: string) => ({ min: 1, max: 1, afterCreate: runOnConnect(begin) });
  if (dsn.engine === 'postgres') {
    // Every value is read as text, because other programs' columns are parsed leniently elsewhere.
    const types = { getTypeParser: () => (text: string) => text };
    const connection = { connectionString: dsn.url, connectionTimeoutMillis: 5_000, types };
    const begin = 'begin isolation level repeatable read read only';
    return knex({ ...shared, client: 'pg', connection, pool: pool(begin) });
  }
  const connection = {
    ...dsn.server,
    charset: 'utf8mb4',
    connectTimeout: 5_000,
    // A zero date is not a valid Date, and an id beyond 2^53 is not a safe number.
    dateStrings: true,
    supportBigNumbers: true,
  };
  const begin = 'start transaction with consistent snapshot, read only';
  return knex({ ...shared, client: 'mysql2', connection, pool: pool(begin) });
}

interface Connection {
  query(sql: string, done: (error: Error | null) => void): void;
}

function runOnConnect(sql: string) {
  return (connection: Connection, done: (error: Error | null, connection: unknown) => void) =>
    connection.query(sql, (error) => done(error, connection));
}

const SCHEMA_SQL: Readonly<Record<Engine, string>> = {
  sqlite: `select m.name as table_name, p.name as column_name from sqlite_master m
    join pragma_table_info(m.name) p where m.type = 'table' and m.name not like 'sqlite_%'`,
  // Without views, whose rows are those of tables.
  postgres: `select table_name, column_name from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = current_schema() and table_type = 'BASE TABLE'`,
  // The aliases: MySQL 8 returns these column names in capitals, MariaDB as queried.
  mysql: `select table_name as table_name, column_name as column_name
    from information_schema.columns where table_schema = database()`,
};

async function schemaOf(db: Knex, engine: Engine): Promise<Map<string, ReadonlySet<string>>> {
  const columns = new Map<string, Set<string>>();
  for (const row of rowsOf(await db.raw(SCHEMA_SQL[engine]))) {
    const table = textValue(row.table_name);
    columns.set(table, (columns.get(table) ?? new Set()).add(textValue(row.column_name)));
  }
  return columns;
}

function nameOf(dsn: Dsn): string {
  const last = dsn.location.split(/[/\\]/).at(-1) ?? '';
  return dsn.engine === 'sqlite' ? last.replace(/\.(?:db|sqlite3?)$/i, '') : last;
}
