/**
 * Restores a backup into a database: creates the tables as of the backup's version, inserts its
 * rows in one transaction and then runs later migrations.
 */
import type { Knex } from 'knex';
import { logMigrations, type Migration, migrations } from '../../../migrations/index.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { nowSecSql } from '../connection/clock.ts';
import type { Databases } from '../connection/database.ts';
import { inTransaction } from '../connection/transaction.ts';
import { LOG_TABLES, type LogDatabase } from '../logs/log-database.ts';
import { addPartitions, detachedPartitions } from '../logs/log-partitions.ts';
import { migrate, schemaState } from '../schema/migrate.ts';
import { isKept, MIGRATION_NAMES, ownTables, SCHEMA_TABLES } from '../schema/table-definitions.ts';
import { insertRows } from '../sql/inserts.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { followIds } from '../tables/imports-table.ts';
import { type BackupSummary, type BackupTable, readBackup, type Value } from './backup-file.ts';

/** The site's database and its log database, which may be the same. */
export interface RestoreTargets {
  readonly site: Databases;
  readonly log: LogDatabase;
}

export interface RestoreOptions {
  /** Discards all existing data in the database. */
  readonly replace: boolean;
  readonly signal: AbortSignal;
  onRows(count: number): void;
}

/** A running gateway sends heartbeats more often than this. */
const ALIVE_SEC = 30;

/**
 * Checks that the database can accept the backup.
 * @throws AppError backup_newer, restore_running, restore_not_empty.
 */
export async function requireRestorable(
  { site: { db, location }, log }: RestoreTargets,
  { head }: BackupSummary,
  replace: boolean,
): Promise<void> {
  if (head.schema.some((name) => !MIGRATION_NAMES.includes(name)))
    throw new AppError('backup_newer', { migrations: head.schema.at(-1) ?? '' });
  if (!replace && log.isApart && (await holdsLines(log)))
    throw new AppError('restore_not_empty', { location: log.location });
  if ((await schemaState(db)).state === 'empty') return;
  if (await isServed(db)) throw new AppError('restore_running');
  if (!replace && (await holdsAnything(db))) throw new AppError('restore_not_empty', { location });
}

async function holdsLines({ db }: LogDatabase): Promise<boolean> {
  return (await db.schema.hasTable('logs')) && (await db('logs').first('id')) !== undefined;
}

/** Whether a gateway has recently sent a heartbeat to this database. */
export async function isServed(db: Knex): Promise<boolean> {
  if (!(await db.schema.hasTable('nodes'))) return false;
  const row: Row | undefined = await db('nodes')
    .whereRaw(`seen_at > ${nowSecSql(db)} - ${ALIVE_SEC}`)
    .first('id');
  return row !== undefined;
}

async function holdsAnything(db: Knex): Promise<boolean> {
  for (const table of (await ownTables()).filter(isKept)) {
    if (!(await db.schema.hasTable(table.name))) continue;
    if ((await db(table.name).first(table.key[0] ?? '*')) !== undefined) return true;
  }
  return false;
}

/** Call `requireRestorable` first. */
export async function restore(
  targets: RestoreTargets,
  file: string,
  { head }: BackupSummary,
  options: RestoreOptions,
): Promise<void> {
  const { site, log } = targets;
  const then = new Set(head.schema);
  const ofThen = (list: readonly Migration[]) => list.filter(({ name }) => then.has(name));
  await dropTables(site);
  await migrate(site, ofThen(migrations));
  if (log.isApart) {
    await dropTables(log);
    await migrate(log, ofThen(logMigrations));
  }
  await addPartitions(log.db, Math.floor(Date.now() / 1000));
  await inTransaction(site, ({ db: siteTrx }) => {
    if (!log.isApart) return fill(() => siteTrx, file, options);
    return inTransaction(log, ({ db: logTrx }) =>
      fill((table) => (LOG_TABLES.has(table) ? logTrx : siteTrx), file, options),
    );
  });
  await migrate(site);
  if (log.isApart) await migrate(log, logMigrations);
}

async function dropTables({ db }: Databases): Promise<void> {
  const tables = (await ownTables()).map(({ name }) => name);
  const detached = await detachedPartitions(db);
  for (const name of [...detached, ...tables, ...SCHEMA_TABLES])
    await db.schema.dropTableIfExists(name);
}

const ROWS_AT_ONCE = 500;

async function fill(
  trxOf: (table: string) => Knex.Transaction,
  file: string,
  options: RestoreOptions,
): Promise<void> {
  let table: BackupTable | undefined;
  let waiting: object[] = [];
  const write = async () => {
    if (table === undefined || waiting.length === 0) return;
    options.signal.throwIfAborted();
    await insertRows(trxOf(table.table), table.table, waiting);
    options.onRows(waiting.length);
    waiting = [];
  };
  for await (const part of readBackup(file)) {
    if (part.kind === 'row' && table !== undefined) {
      waiting.push(rowFrom(table, part.values));
      if (waiting.length >= ROWS_AT_ONCE) await write();
    }
    if (part.kind !== 'table' && part.kind !== 'end') continue;
    await write();
    if (table?.columns.includes('id')) await followIds(trxOf(table.table), table.table);
    table = part.kind === 'table' ? part.table : undefined;
    // A migration may have inserted rows of its own, such as an initial setting.
    if (table !== undefined) await trxOf(table.table)(table.table).delete();
  }
}

function rowFrom({ columns }: BackupTable, values: readonly Value[]): object {
  return Object.fromEntries(columns.map((column, index) => [column, values[index] ?? null]));
}
