/**
 * Opens the database of a connection string: SQLite, PostgreSQL or MySQL/MariaDB. All connection
 * settings are made here, so that numbers are numbers, times are UTC and writes are durable on
 * every database.
 */

import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import type { Config } from '../../config.ts';
import type { Logger } from '../../log.ts';
import { ConnectionHealth, RESPONSE_TIMEOUT_MS } from './connection-health.ts';
import { type Dsn, type MysqlServer, parseDsn } from './dsn.ts';
import type { Engine } from './engine.ts';
import { asOpenError } from './open-error.ts';
import { refuseForeignTables } from './own-tables.ts';
import { prepareSqliteFile } from './sqlite-file.ts';

export interface Databases {
  readonly engine: Engine;
  /** For writes, and for reads that decide a write. On SQLite a pool of one: writers queue here. */
  readonly db: Knex;
  /** For lists and statistics: read-only connections on SQLite, the same as `db` elsewhere. */
  readonly reads: Knex;
  /** Printable: contains no password. */
  readonly location: string;
  /** False while a watched server does not respond; all work on it then fails at once. */
  readonly isUp: () => boolean;
  /** For a serving process: from now on, a silent server is detected within two seconds. */
  watch(log: Logger): void;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Maximum connections; ignored on SQLite, which has fixed pool sizes. */
  readonly pool?: number;
  /** Where the connection string was read from, for errors. */
  readonly source?: string;
  /** Creates a SQLite file that does not exist; otherwise that is `database_missing`. */
  readonly mayCreate?: boolean;
  /** Refuses a database that has tables, but none of a gateway, before anything is written to it. */
  readonly isForGateway?: boolean;
}

const CONNECT_TIMEOUT_MS = 5_000;
const POOL_SIZE = 10;
/** PostgreSQL truncates longer names. */
const MAX_NAME_CHARS = 63;
const SQLITE_READERS = 2;
const OPEN_TRIES = 5;

/**
 * Opens the pools and verifies that the database responds.
 * @throws AppError `config_invalid` (see `parseDsn`), `database_driver_missing`, `database_refused`
 * (a wrong password, an unknown database), `database_foreign`, `database_unreachable` after at most
 * a few seconds; for a SQLite file also `database_missing` and the errors of `asFileError` and
 * `asSqliteError`.
 */
export async function openDatabases(
  dsn: string,
  { pool = POOL_SIZE, source, mayCreate = false, isForGateway = false }: OpenOptions = {},
): Promise<Databases> {
  const parsed = parseDsn(dsn, source);
  try {
    if (parsed.engine === 'sqlite') prepareSqliteFile(parsed.filename, mayCreate);
    const databases = await openPools(parsed, pool);
    await verifyConnection(databases, isForGateway);
    return databases;
  } catch (cause) {
    throw asOpenError(parsed, cause);
  }
}

/** The site's own database. @throws as `openDatabases`. */
export function openSiteDatabases(
  config: Pick<Config, 'database' | 'databaseSource' | 'databasePool'>,
  options: Pick<OpenOptions, 'mayCreate'> = {},
): Promise<Databases> {
  const { databaseSource: source, databasePool: pool } = config;
  return openDatabases(config.database.open(), { ...options, pool, source, isForGateway: true });
}

async function openPools(parsed: Dsn, poolSize: number): Promise<Databases> {
  const { engine, location } = parsed;
  if (parsed.engine === 'sqlite') {
    const db = sqlitePool(parsed.filename, WRITER_PRAGMAS, 1);
    beginImmediately(db);
    const reads = sqlitePool(parsed.filename, READER_PRAGMAS, SQLITE_READERS);
    const close = async () => {
      await reads.destroy();
      await db.destroy();
    };
    // A file either exists or not: its errors are immediate.
    return { engine, db, reads, location, isUp: () => true, watch() {}, close };
  }
  const health = new ConnectionHealth(engine);
  const open = await poolOpener(parsed, health);
  const db = open(poolSize, CONNECT_TIMEOUT_MS, 'linked');
  let unwatch = async (): Promise<void> => undefined;
  return {
    engine,
    db,
    reads: db,
    location,
    isUp: () => health.isUp,
    watch(log) {
      unwatch = health.watch(open(1, RESPONSE_TIMEOUT_MS, 'plain'), log);
    },
    async close() {
      await unwatch();
      await db.destroy();
    },
  };
}

/** Opens a pool: `linked` for work that the link guards, `plain` for the link's own probes. */
type OpenPool = (size: number, connectTimeoutMs: number, kind: 'linked' | 'plain') => Knex;

async function poolOpener(
  parsed: Exclude<Dsn, { engine: 'sqlite' }>,
  health: ConnectionHealth,
): Promise<OpenPool> {
  return parsed.engine === 'postgres'
    ? await postgresOpener(parsed.url, health)
    : mysqlOpener(parsed.server, health);
}

/**
 * Reads first: the first connection for writes changes a SQLite file to WAL. Two processes creating
 * a file can collide in that change, which does not wait.
 */
async function verifyConnection(
  databases: Databases,
  isForGateway: boolean,
  tries = OPEN_TRIES,
): Promise<void> {
  try {
    if (isForGateway) await refuseForeignTables(databases);
    await databases.reads.raw('select 1');
    await databases.db.raw('select 1');
  } catch (error) {
    if (tries > 1 && error instanceof Error && /SQLITE_BUSY/.test(error.message)) {
      await pause(50 + Math.random() * 100);
      return verifyConnection(databases, isForGateway, tries - 1);
    }
    await databases.close();
    throw error;
  }
}

/** knex logs missing defaults and lost connections to the console; relevant errors also throw. */
const SILENT_LOG = { warn() {}, error() {}, debug() {}, deprecate() {} };
const SHARED_OPTIONS = {
  log: SILENT_LOG,
  acquireConnectionTimeout: 15_000,
  // A failed statement is logged with its error, which must not contain its values.
  compileSqlOnError: false,
};

/** mysql2 adds the whole statement, PostgreSQL the rejected row; both would be logged. */
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
    ...SHARED_OPTIONS,
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

/** The methods of knex's (untyped) client and transaction that `beginImmediately` uses. */
interface TransactionOpener {
  transaction(...how: unknown[]): OpenTransaction;
}
interface OpenTransaction {
  begin(connection: unknown): Promise<unknown>;
  query(connection: unknown, sql: string): Promise<unknown>;
}

/**
 * A transaction that starts as a reader and then writes fails at once with SQLITE_BUSY if another
 * connection wrote in between, regardless of any timeout (sqlite.org/isolation.html,
 * sqlite.org/rescode.html "SQLITE_BUSY_SNAPSHOT"). Writers therefore take the write lock at BEGIN,
 * where busy_timeout applies.
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

/**
 * A disconnected node resets its connections without the server noticing. By default the server
 * keeps each for two hours (MySQL: eight), and a few disconnects use up all its connection slots.
 */
const DEAD_PEER_SEC = 30;
const LOCK_TIMEOUT_MS = 10_000;
/** A node that stalls within a transaction must not block the others from its rows. */
const IDLE_IN_TRANSACTION_SEC = 5;

/** Half of the time until the first keepalive probe, then three; no effect on a Unix socket. */
const POSTGRES_KEEPALIVE = [
  `set tcp_keepalives_idle = ${DEAD_PEER_SEC / 2}`,
  `set tcp_keepalives_interval = ${DEAD_PEER_SEC / 6}`,
  'set tcp_keepalives_count = 3',
  `set tcp_user_timeout = ${DEAD_PEER_SEC * 1000}`,
].join(';');

/**
 * Set after connecting instead of in the connection options: a pooler such as PgBouncer rejects
 * connections with such settings (pgbouncer.org/config.html, ignore_startup_parameters).
 */
const POSTGRES_LIMITS = [
  // A forgotten lock must not block the writes of calls indefinitely.
  `set lock_timeout = ${LOCK_TIMEOUT_MS}`,
  `set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_SEC * 1000}`,
].join(';');

interface PostgresConnection {
  readonly connection: { readonly stream: Socket };
  query(sql: string, done: (error: Error | null) => void): void;
}

async function postgresOpener(url: string, health: ConnectionHealth): Promise<OpenPool> {
  // Imported lazily, so that commands on SQLite do not load it.
  const { types } = (await import('pg')).default;
  const numeric: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC]);
  const connection = {
    connectionString: url,
    keepAlive: true,
    application_name: programName(),
    types: {
      getTypeParser: (oid: number, format: string) =>
        numeric.has(oid)
          ? exactNumber
          : types.getTypeParser(oid, format === 'binary' ? format : 'text'),
    },
  };
  const afterCreate = (raw: PostgresConnection, done: (error: Error | null) => void) => {
    health.track(raw.connection.stream);
    // Servers on systems without these settings reject them, but work otherwise.
    raw.query(POSTGRES_LIMITS, (error) => {
      if (error !== null) done(error);
      else raw.query(POSTGRES_KEEPALIVE, () => done(null));
    });
  };
  return (max, connectionTimeoutMillis, kind) =>
    withoutValues(
      knex({
        ...SHARED_OPTIONS,
        client: kind === 'linked' ? health.clientFor('pg') : 'pg',
        connection: { ...connection, connectionTimeoutMillis },
        pool: { min: 0, max, afterCreate },
      }),
    );
}

/** Identifies the connection on the server: this process as listed by `gateway node list`. */
function programName(): string {
  return `gateway ${hostname()} ${process.pid}`.slice(0, MAX_NAME_CHARS);
}

/**
 * int8 (ids, units, count) and numeric (sums of int8) arrive as text:
 * node-postgres.com/features/types.
 */
function exactNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RangeError(`${text} from the database is beyond 2^53`);
  return value;
}

// Set per connection, so that server settings cannot truncate values, delay a deadlock's retry for
// a minute, or take the gap locks that make concurrent inserts deadlock.
const MYSQL_ISOLATION = 'set session transaction isolation level read committed';
// The pool closes connections unused for 30 seconds; one idle for longer has lost its client.
const MYSQL_IDLE_SEC = 60;
// For rows, and for a table being altered, where the default is a day.
export const MYSQL_LOCK_WAIT_SEC = 10;
// MySQL itself has no limit for idle transactions; `M!` is read by MariaDB only.
const MYSQL_SETTINGS = `set session time_zone = '+00:00', innodb_lock_wait_timeout = ${MYSQL_LOCK_WAIT_SEC}, lock_wait_timeout = ${MYSQL_LOCK_WAIT_SEC},
  wait_timeout = ${MYSQL_IDLE_SEC},
  /*M!100300 idle_transaction_timeout = ${IDLE_IN_TRANSACTION_SEC}, */
  sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'`;

interface MysqlConnection {
  readonly stream: Socket;
  query(sql: string, done: (error: Error | null) => void): void;
}

function mysqlOpener(server: MysqlServer, health: ConnectionHealth): OpenPool {
  const connection = {
    ...server,
    charset: 'utf8mb4',
    timezone: 'Z',
    decimalNumbers: true,
    connectAttributes: { program_name: programName() },
  };
  const afterCreate = (raw: MysqlConnection, done: (error: Error | null, raw: unknown) => void) => {
    health.track(raw.stream);
    raw.query(MYSQL_ISOLATION, (error) => {
      if (error !== null) done(error, raw);
      else raw.query(MYSQL_SETTINGS, (error) => done(error, raw));
    });
  };
  return (max, connectTimeout, kind) =>
    withoutValues(
      knex({
        ...SHARED_OPTIONS,
        client: kind === 'linked' ? health.clientFor('mysql2') : 'mysql2',
        connection: { ...connection, connectTimeout },
        pool: { min: 0, max, afterCreate },
      }),
    );
}
