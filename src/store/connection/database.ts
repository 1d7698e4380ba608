/**
 * Opens the database of a connection string: SQLite, PostgreSQL or MySQL/MariaDB. The settings of
 * its connections (`sqlite-pools.ts`, `server-pools.ts`) make numbers numbers, times UTC and writes
 * durable on every database.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Config } from '../../config.ts';
import type { Logger } from '../../log.ts';
import { ConnectionHealth, RESPONSE_TIMEOUT_MS } from './connection-health.ts';
import { type Dsn, parseDsn } from './dsn.ts';
import type { Engine } from './engine.ts';
import { asOpenError } from './open-error.ts';
import { refuseForeignTables } from './own-tables.ts';
import { poolOpener } from './server-pools.ts';
import { prepareSqliteFile } from './sqlite-file.ts';
import { sqlitePools } from './sqlite-pools.ts';

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
    const { db, reads } = sqlitePools(parsed.filename);
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
