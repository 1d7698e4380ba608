/**
 * Opens the database behind a connection string: SQLite, PostgreSQL or MySQL/MariaDB. What a
 * connection must be told before its first query stands here and nowhere else, so that numbers are
 * numbers, times are UTC and a write is durable whichever database is in use.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import { AppError } from '../domain/errors.ts';

export type Engine = 'sqlite' | 'postgres' | 'mysql';

export interface Databases {
  readonly engine: Engine;
  /** Writes, and every read that decides a write. On SQLite a pool of one: writers queue here. */
  readonly db: Knex;
  /** Lists and statistics: on SQLite connections that cannot write, elsewhere the same as `db`. */
  readonly reads: Knex;
  /** Printable: no password. */
  readonly location: string;
  close(): Promise<void>;
}

export type Dsn =
  | { readonly engine: 'sqlite'; readonly location: string; readonly filename: string }
  | { readonly engine: 'postgres'; readonly location: string; readonly url: string }
  | { readonly engine: 'mysql'; readonly location: string; readonly server: MysqlServer };

/** The part of mysql2's connection options that a connection string can say. */
export interface MysqlServer {
  readonly host?: string;
  readonly port?: number;
  readonly socketPath?: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly ssl?: { readonly rejectUnauthorized: boolean };
}

const CONNECT_TIMEOUT_MS = 5_000;
const POOL_SIZE = 10;
const SQLITE_READERS = 2;
const OPEN_TRIES = 5;

/**
 * Reads a connection string: `postgres://`, `postgresql://`, `mysql://`, `mariadb://`, the form of
 * Go's MySQL driver (`user:password@tcp(host:port)/database`), `sqlite:<path>` or a bare path.
 * @throws AppError `config_invalid` for any other scheme, a broken address or an in-memory SQLite.
 */
export function parseDsn(dsn: string): Dsn {
  const text = dsn.trim();
  const go = /^([^:@/]*)(?::(.*))?@(tcp|unix)\(([^)]*)\)\/([^?]*)(?:\?(.*))?$/.exec(text);
  if (go !== null) return goMysql(go);
  const scheme = /^([a-z][a-z0-9+.]+):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === 'postgres' || scheme === 'postgresql') return postgres(text);
  if (scheme === 'mysql' || scheme === 'mariadb') return urlMysql(text);
  if (scheme !== undefined && scheme !== 'sqlite') throw unreadable(`${scheme}:`);
  return sqlite(text.replace(/^sqlite:(\/\/)?/i, ''));
}

/**
 * Opens the pools and proves that the database answers.
 * @throws AppError `config_invalid` (see `parseDsn`), or `database_unreachable` after at most a few
 * seconds, also for a wrong password or an unknown database.
 */
export async function openDatabases(dsn: string): Promise<Databases> {
  const parsed = parseDsn(dsn);
  try {
    const databases = await openPools(parsed);
    await prove(databases);
    return databases;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError('database_unreachable', { location: parsed.location, reason }, { cause });
  }
}

async function openPools(parsed: Dsn): Promise<Databases> {
  const { engine, location } = parsed;
  if (parsed.engine === 'sqlite') {
    mkdirSync(path.dirname(parsed.filename), { recursive: true, mode: 0o700 });
    const db = sqlitePool(parsed.filename, WRITER_PRAGMAS, 1);
    beginImmediately(db);
    const reads = sqlitePool(parsed.filename, READER_PRAGMAS, SQLITE_READERS);
    const close = async () => {
      await reads.destroy();
      await db.destroy();
    };
    return { engine, db, reads, location, close };
  }
  const db =
    parsed.engine === 'postgres' ? await postgresPool(parsed.url) : mysqlPool(parsed.server);
  return { engine, db, reads: db, location, close: () => db.destroy() };
}

/** Two processes that create a SQLite file at once can meet in the switch to WAL, which does not wait. */
async function prove(databases: Databases, tries = OPEN_TRIES): Promise<void> {
  try {
    await databases.db.raw('select 1');
    await databases.reads.raw('select 1');
  } catch (error) {
    if (tries > 1 && error instanceof Error && /SQLITE_BUSY/.test(error.message)) {
      await pause(50 + Math.random() * 100);
      return prove(databases, tries - 1);
    }
    await databases.close();
    throw error;
  }
}

/** knex speaks of missing defaults and lost connections on the console; what matters is thrown as well. */
const quiet = { warn() {}, error() {}, debug() {}, deprecate() {} };
const shared = {
  log: quiet,
  acquireConnectionTimeout: 15_000,
  // A failed statement is logged with its error: its values, secrets among them, must not be.
  compileSqlOnError: false,
};

/** mysql2 adds the whole statement, PostgreSQL the row it refused; both are in what gets logged. */
function withoutValues(db: Knex): Knex {
  return db.on('query-error', (error: { sql?: unknown; detail?: unknown }) => {
    delete error.sql;
    delete error.detail;
  });
}

// busy_timeout first: the switch to WAL must already wait for others.
const WRITER_PRAGMAS =
  'PRAGMA busy_timeout=5000; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;';
const READER_PRAGMAS = 'PRAGMA busy_timeout=5000; PRAGMA foreign_keys=ON; PRAGMA query_only=ON;';

interface SqliteConnection {
  exec(sql: string, done: (error: Error | null) => void): void;
}

function sqlitePool(filename: string, pragmas: string, size: number): Knex {
  return knex({
    ...shared,
    client: 'sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    pool: {
      min: 1,
      max: size,
      afterCreate(connection: SqliteConnection, done: (error: Error | null) => void) {
        connection.exec(pragmas, done);
      },
    },
  });
}

/** The two members of knex's (untyped) client and transaction that `beginImmediately` touches. */
interface TransactionOpener {
  transaction(...how: unknown[]): OpenTransaction;
}
interface OpenTransaction {
  begin(connection: unknown): Promise<unknown>;
  query(connection: unknown, sql: string): Promise<unknown>;
}

/**
 * A transaction that starts as a reader and then writes fails at once with SQLITE_BUSY when somebody
 * wrote in between, and no timeout helps (sqlite.org/isolation.html, sqlite.org/rescode.html
 * "SQLITE_BUSY_SNAPSHOT"). So writers take the write lock at BEGIN, where busy_timeout applies.
 */
function beginImmediately(db: Knex): void {
  const client: TransactionOpener = db.client;
  const open = client.transaction;
  client.transaction = function (this: TransactionOpener, ...how) {
    const transaction = open.apply(this, how);
    transaction.begin = (connection) => transaction.query(connection, 'BEGIN IMMEDIATE;');
    return transaction;
  };
}

const LOCK_TIMEOUT_MS = 10_000;

async function postgresPool(url: string): Promise<Knex> {
  // Loaded here, as a command on SQLite should not pay for it.
  const { types } = (await import('pg')).default;
  const numeric: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC]);
  const connection = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'gateway',
    // A lock somebody forgot must not stall what calls write for ever.
    lock_timeout: LOCK_TIMEOUT_MS,
    types: {
      getTypeParser: (oid: number, format: string) =>
        numeric.has(oid)
          ? exactNumber
          : types.getTypeParser(oid, format === 'binary' ? format : 'text'),
    },
  };
  const pool = { min: 0, max: POOL_SIZE };
  return withoutValues(knex({ ...shared, client: 'pg', connection, pool }));
}

/** int8 (ids, units, count) and numeric (sums of int8) arrive as text: node-postgres.com/features/types. */
function exactNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RangeError(`${text} from the database is beyond 2^53`);
  return value;
}

// Set per connection, so that the server's own settings cannot cut values short, delay a deadlock's
// retry for a minute, or take the gap locks that make concurrent inserts deadlock.
const MYSQL_ISOLATION = 'set session transaction isolation level read committed';
const MYSQL_SETTINGS = `set session time_zone = '+00:00', innodb_lock_wait_timeout = 10,
  sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'`;

interface MysqlConnection {
  query(sql: string, done: (error: Error | null) => void): void;
}

function mysqlPool(server: MysqlServer): Knex {
  const connection = {
    ...server,
    charset: 'utf8mb4',
    timezone: 'Z',
    decimalNumbers: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
  };
  const afterCreate = (raw: MysqlConnection, done: (error: Error | null, raw: unknown) => void) => {
    raw.query(MYSQL_ISOLATION, (error) => {
      if (error !== null) done(error, raw);
      else raw.query(MYSQL_SETTINGS, (error) => done(error, raw));
    });
  };
  const pool = { min: 0, max: POOL_SIZE, afterCreate };
  return withoutValues(knex({ ...shared, client: 'mysql2', connection, pool }));
}

function sqlite(text: string): Dsn {
  // Go programs append driver settings such as `?_busy_timeout=5000` to the path.
  const name = text.replace(/\?_.*$/, '');
  if (name === '' || name === ':memory:') throw unreadable(text);
  const filename = path.resolve(name);
  return { engine: 'sqlite', location: filename, filename };
}

function postgres(text: string): Dsn {
  return { engine: 'postgres', location: printable(address(text)), url: text };
}

function urlMysql(text: string): Dsn {
  const url = address(text);
  const server: MysqlServer = {
    host: url.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    ...tlsOf(url.searchParams),
  };
  return { engine: 'mysql', location: printable(url), server };
}

function goMysql([, user = '', password = '', net, at = '', database = '', query]: string[]): Dsn {
  const [host, port] = /^(.*?)(?::(\d+))?$/.exec(at)?.slice(1) ?? [];
  const place =
    net === 'unix' ? { socketPath: at } : { host: host || '127.0.0.1', port: Number(port ?? 3306) };
  const server = { ...place, user, password, database, ...tlsOf(new URLSearchParams(query)) };
  return { engine: 'mysql', location: `mysql://${user}@${at}/${database}`, server };
}

/** `ssl-mode`, `ssl` (URL forms) and `tls` (Go) in the words of their own clients; none means no TLS. */
function tlsOf(query: URLSearchParams): Pick<MysqlServer, 'ssl'> {
  const mode = (query.get('ssl-mode') ?? query.get('ssl') ?? query.get('tls') ?? '').toLowerCase();
  if (['true', 'verify_ca', 'verify_identity'].includes(mode))
    return { ssl: { rejectUnauthorized: true } };
  return ['required', 'skip-verify'].includes(mode) ? { ssl: { rejectUnauthorized: false } } : {};
}

function address(text: string): URL {
  try {
    return new URL(text);
  } catch {
    // The text may hold a password, so neither it nor the parser's message is passed on.
    throw unreadable(`${text.split(':', 1)[0]}:`);
  }
}

function printable(url: URL): string {
  const user = url.username === '' ? '' : `${url.username}@`;
  return `${url.protocol}//${user}${url.host}${url.pathname}`;
}

function unreadable(shown: string): AppError {
  const problem = `"${shown}" is no file path, sqlite:, postgres: or mysql: address`;
  return new AppError('config_invalid', { key: 'database', names: 'DATABASE_URL', problem });
}
