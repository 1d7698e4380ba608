/**
 * Opens the database behind a connection string: SQLite, PostgreSQL or MySQL/MariaDB. What a
 * connection must be told before its first query stands here and nowhere else, so that numbers are
 * numbers, times are UTC and a write is durable whichever database is in use.
 */

import { closeSync, mkdirSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import type { Config } from '../../config.ts';
import type { Logger } from '../../log.ts';
import { Link, SILENCE_MS } from './connection-health.ts';
import { type Dsn, type MysqlServer, parseDsn } from './dsn.ts';
import type { Engine } from './engine.ts';
import { openFailure } from './open-failure.ts';

export interface Databases {
  readonly engine: Engine;
  /** Writes, and every read that decides a write. On SQLite a pool of one: writers queue here. */
  readonly db: Knex;
  /** Lists and statistics: on SQLite connections that cannot write, elsewhere the same as `db`. */
  readonly reads: Knex;
  /** Printable: no password. */
  readonly location: string;
  /** False while a server that is watched does not answer: then all work on it fails at once. */
  readonly isUp: () => boolean;
  /** For a process that serves: from now on a silent server is noticed within two seconds. */
  watch(log: Logger): void;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Connections at most; SQLite has its own number. */
  readonly pool?: number;
  /** Where the connection string was read, for errors. */
  readonly source?: string;
}

const CONNECT_TIMEOUT_MS = 5_000;
const POOL_SIZE = 10;
/** PostgreSQL keeps as many bytes of it. */
const MAX_NAME = 63;
const SQLITE_READERS = 2;
const OPEN_TRIES = 5;

/**
 * Opens the pools and proves that the database answers.
 * @throws AppError `config_invalid` (see `parseDsn`), `database_driver_missing`, `database_refused`
 * (a wrong password, an unknown database), or `database_unreachable` after at most a few seconds.
 */
export async function openDatabases(
  dsn: string,
  { pool = POOL_SIZE, source }: OpenOptions = {},
): Promise<Databases> {
  const parsed = parseDsn(dsn, source);
  try {
    const databases = await openPools(parsed, pool);
    await prove(databases);
    return databases;
  } catch (cause) {
    throw openFailure(parsed, cause);
  }
}

/** The site's own database. @throws as `openDatabases`. */
export function openSiteDatabases(
  config: Pick<Config, 'database' | 'databaseSource' | 'databasePool'>,
): Promise<Databases> {
  const { databaseSource: source, databasePool: pool } = config;
  return openDatabases(config.database.open(), { pool, source });
}

async function openPools(parsed: Dsn, poolSize: number): Promise<Databases> {
  const { engine, location } = parsed;
  if (parsed.engine === 'sqlite') {
    mkdirSync(path.dirname(parsed.filename), { recursive: true, mode: 0o700 });
    // For its owner alone, wherever it lies; SQLite gives its -wal and -shm the same mode.
    closeSync(openSync(parsed.filename, 'a', 0o600));
    const db = sqlitePool(parsed.filename, WRITER_PRAGMAS, 1);
    beginImmediately(db);
    const reads = sqlitePool(parsed.filename, READER_PRAGMAS, SQLITE_READERS);
    const close = async () => {
      await reads.destroy();
      await db.destroy();
    };
    // A file is there or it is not: its errors come at once.
    return { engine, db, reads, location, isUp: () => true, watch() {}, close };
  }
  const link = new Link(engine);
  const open = await opener(parsed, link);
  const db = open(poolSize, CONNECT_TIMEOUT_MS, 'linked');
  let unwatch = async (): Promise<void> => undefined;
  return {
    engine,
    db,
    reads: db,
    location,
    isUp: () => link.isUp,
    watch(log) {
      unwatch = link.watch(open(1, SILENCE_MS, 'plain'), log);
    },
    async close() {
      await unwatch();
      await db.destroy();
    },
  };
}

/** The pool whose work goes by the link, and the one of the link's own questions. */
type Open = (size: number, connectTimeoutMs: number, kind: 'linked' | 'plain') => Knex;

async function opener(parsed: Exclude<Dsn, { engine: 'sqlite' }>, link: Link): Promise<Open> {
  return parsed.engine === 'postgres'
    ? await postgresOpener(parsed.url, link)
    : mysqlOpener(parsed.server, link);
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

/**
 * A node that is cut off breaks its connections, and the server hears nothing of it. Left alone it keeps
 * each for two hours (MySQL: eight), and a few cuts fill all its places.
 */
const GONE_AFTER_SEC = 30;
const LOCK_TIMEOUT_MS = 10_000;
/** A node that stalls in the middle of a transaction must not keep the others from its rows. */
const IDLE_IN_TRANSACTION_SEC = 5;

/** Half of the time until the first question, then three; without effect on a Unix socket. */
const POSTGRES_KEEPALIVE = [
  `set tcp_keepalives_idle = ${GONE_AFTER_SEC / 2}`,
  `set tcp_keepalives_interval = ${GONE_AFTER_SEC / 6}`,
  'set tcp_keepalives_count = 3',
  `set tcp_user_timeout = ${GONE_AFTER_SEC * 1000}`,
].join(';');

/**
 * Said when the connection is there and not while it is made: a pooler such as PgBouncer refuses
 * connections that ask for such settings (pgbouncer.org/config.html, ignore_startup_parameters).
 */
const POSTGRES_LIMITS = [
  // A lock somebody forgot must not stall what calls write for ever.
  `set lock_timeout = ${LOCK_TIMEOUT_MS}`,
  `set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_SEC * 1000}`,
].join(';');

interface PostgresConnection {
  readonly connection: { readonly stream: Socket };
  query(sql: string, done: (error: Error | null) => void): void;
}

async function postgresOpener(url: string, link: Link): Promise<Open> {
  // Loaded here, as a command on SQLite should not pay for it.
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
    link.track(raw.connection.stream);
    // Servers on systems that have no such settings refuse them, and serve all the same.
    raw.query(POSTGRES_LIMITS, (error) => {
      if (error !== null) done(error);
      else raw.query(POSTGRES_KEEPALIVE, () => done(null));
    });
  };
  return (max, connectionTimeoutMillis, kind) =>
    withoutValues(
      knex({
        ...shared,
        client: kind === 'linked' ? link.clientFor('pg') : 'pg',
        connection: { ...connection, connectionTimeoutMillis },
        pool: { min: 0, max, afterCreate },
      }),
    );
}

/** Who has the connection, for whoever looks at the server: this process as `gateway node list` names it. */
function programName(): string {
  return `gateway ${hostname()} ${process.pid}`.slice(0, MAX_NAME);
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
// The pool gives up what it has not used for 30 seconds; what is idle for longer has nobody any more.
const MYSQL_IDLE_SEC = 60;
// For rows, and for a table that somebody changes: without it a day.
export const MYSQL_LOCK_WAIT_SEC = 10;
// MySQL itself has no limit for idle transactions; `M!` is read by MariaDB alone.
const MYSQL_SETTINGS = `set session time_zone = '+00:00', innodb_lock_wait_timeout = ${MYSQL_LOCK_WAIT_SEC}, lock_wait_timeout = ${MYSQL_LOCK_WAIT_SEC},
  wait_timeout = ${MYSQL_IDLE_SEC},
  /*M!100300 idle_transaction_timeout = ${IDLE_IN_TRANSACTION_SEC}, */
  sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'`;

interface MysqlConnection {
  readonly stream: Socket;
  query(sql: string, done: (error: Error | null) => void): void;
}

function mysqlOpener(server: MysqlServer, link: Link): Open {
  const connection = {
    ...server,
    charset: 'utf8mb4',
    timezone: 'Z',
    decimalNumbers: true,
    connectAttributes: { program_name: programName() },
  };
  const afterCreate = (raw: MysqlConnection, done: (error: Error | null, raw: unknown) => void) => {
    link.track(raw.stream);
    raw.query(MYSQL_ISOLATION, (error) => {
      if (error !== null) done(error, raw);
      else raw.query(MYSQL_SETTINGS, (error) => done(error, raw));
    });
  };
  return (max, connectTimeout, kind) =>
    withoutValues(
      knex({
        ...shared,
        client: kind === 'linked' ? link.clientFor('mysql2') : 'mysql2',
        connection: { ...connection, connectTimeout },
        pool: { min: 0, max, afterCreate },
      }),
    );
}
