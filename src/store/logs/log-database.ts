/**
 * The location of the log and its statistics: the site's database, or a separate one. A separate
 * one is filled through `log_outbox`, because a transaction cannot span two databases.
 */
import type { Knex } from 'knex';
import { logMigrations, migrations } from '../../../migrations/index.ts';
import { reasonParams } from '../../domain/errors/error-reasons.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { type Databases, type OpenOptions, openDatabases } from '../connection/database.ts';
import { parseDsn } from '../connection/dsn.ts';
import { missingDatabase } from '../connection/open-error.ts';
import { requireCurrentSchema, schemaState } from '../schema/migrate.ts';

export interface LogDatabase extends Databases {
  /** Whether it is separate from the site's database. */
  readonly isSeparate: boolean;
}

/** The tables of the log database. */
export const LOG_TABLES: ReadonlySet<string> = new Set([
  'logs',
  'log_hours',
  'log_progress',
  'log_days',
  'log_combinations',
  'log_day_states',
  'log_arrivals',
  'quota_data',
]);

const LOG_VARIABLES = 'GATEWAY_LOG_DB / LOG_SQL_DSN';
const LOG_SETTING = { key: 'logDatabase', names: LOG_VARIABLES };

export type LogTable = 'logs' | 'log_outbox';

/** The table into which a transaction of the site's database writes log entries. */
export function logTableOf({ isSeparate }: Pick<LogDatabase, 'isSeparate'>): LogTable {
  return isSeparate ? 'log_outbox' : 'logs';
}

/** The log in the site's own database. */
export function sharedLog(site: Databases): LogDatabase {
  return { ...site, isSeparate: false, watch() {}, close: async () => undefined };
}

/** Whether `dsn` names another database than the site's. @throws AppError `config_invalid`. */
export function isSeparateLog(dsn: string, site: Pick<Databases, 'location'>): boolean {
  return dsn !== '' && locationOf(dsn) !== site.location;
}

/**
 * If `dsn` is empty or names the site's own database, the log is stored there.
 * @throws AppError `config_invalid` for an address that cannot be parsed and for the database of a
 * site, `log_database_empty` for a SQLite file that does not exist, and as `openDatabases`.
 */
export async function openLogDatabase(
  dsn: string,
  site: Databases,
  options: Pick<OpenOptions, 'pool' | 'mayCreate'> = {},
): Promise<LogDatabase> {
  if (!isSeparateLog(dsn, site)) return sharedLog(site);
  const log = await openDatabases(dsn, {
    ...options,
    source: LOG_VARIABLES,
    isForGateway: true,
  }).catch((error: unknown) => {
    const location = missingDatabase(error);
    throw location === undefined ? error : new AppError('log_database_empty', { location });
  });
  try {
    if (await log.db.schema.hasTable('users'))
      throw new AppError('config_invalid', reasonParams('database_of_site', LOG_SETTING));
  } catch (error) {
    await log.close();
    throw error;
  }
  return { ...log, isSeparate: true };
}

function logMigrationsOf({ isSeparate }: LogDatabase) {
  return isSeparate ? logMigrations : migrations;
}

/** @throws AppError `log_database_empty`, `schema_newer`, `schema_half` or `schema_behind`. */
export async function requireCurrentLog(log: LogDatabase): Promise<void> {
  const list = logMigrationsOf(log);
  if (log.isSeparate && (await schemaState(log.db, list)).state === 'empty')
    throw new AppError('log_database_empty', { location: log.location });
  return requireCurrentSchema(log, list);
}

function locationOf(dsn: string): string {
  try {
    return parseDsn(dsn).location;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError('config_invalid', { ...error.params, ...LOG_SETTING });
  }
}

/** Pools for `inTransaction`, without a fence: a lease of the site cannot fence another database. */
export function poolsWithoutFence({ db, reads }: LogDatabase): {
  readonly db: Knex;
  readonly reads: Knex;
} {
  return { db, reads };
}
