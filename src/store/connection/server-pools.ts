/** The pools of a PostgreSQL or MySQL/MariaDB server, with settings per connection. */
import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import knex, { type Knex } from 'knex';
import type { ConnectionHealth } from './connection-health.ts';
import type { Dsn, MysqlServer } from './dsn.ts';
import { SHARED_OPTIONS } from './pool-options.ts';

/** PostgreSQL truncates longer names. */
const MAX_NAME_CHARS = 63;

/** Opens a pool: `linked` for work that the link guards, `plain` for the link's own probes. */
type OpenPool = (size: number, connectTimeoutMs: number, kind: 'linked' | 'plain') => Knex;

export async function poolOpener(
  parsed: Exclude<Dsn, { engine: 'sqlite' }>,
  health: ConnectionHealth,
): Promise<OpenPool> {
  return parsed.engine === 'postgres'
    ? await postgresOpener(parsed.url, health)
    : mysqlOpener(parsed.server, health);
}

/** mysql2 adds the whole statement, PostgreSQL the rejected row; both would be logged. */
function withoutValues(db: Knex): Knex {
  return db.on('query-error', (error: { sql?: unknown; detail?: unknown }) => {
    delete error.sql;
    delete error.detail;
  });
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
