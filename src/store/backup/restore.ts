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
import {
  isBackedUp,
  MIGRATION_NAMES,
  SCHEMA_TABLES,
  tableDefinitions,
} from '../schema/table-definitions.ts';
import { insertRows } from '../sql/inserts.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { advanceIdSequence } from '../tables/imports-table.ts';
import {
  type BackupSummary,
  type BackupTable,
  readBackup,
  type StoredValue,
} from './backup-file.ts';

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
const HEARTBEAT_SEC = 30;

/**
 * Checks that the database can accept the backup.
 * @throws AppError restore_running, restore_not_empty.
 */
export async function requireRestorable(
  { site: { db, location }, log }: RestoreTargets,
  replace: boolean,
): Promise<void> {
  if (!replace && log.isSeparate && (await hasLogEntries(log)))
    throw new AppError('restore_not_empty', { location: log.location });
  if ((await schemaState(db)).state === 'empty') return;
  if (await hasRunningNode(db)) throw new AppError('restore_running');
  if (!replace && (await hasRows(db))) throw new AppError('restore_not_empty', { location });
}

/** @throws AppError `backup_newer`. */
export function requireKnownSchema({ head }: BackupSummary): void {
  if (head.schema.some((name) => !MIGRATION_NAMES.includes(name)))
    throw new AppError('backup_newer', { migrations: head.schema.at(-1) ?? '' });
}

async function hasLogEntries({ db }: LogDatabase): Promise<boolean> {
  return (await db.schema.hasTable('logs')) && (await db('logs').first('id')) !== undefined;
}

/** Whether a gateway has recently sent a heartbeat to this database. */
export async function hasRunningNode(db: Knex): Promise<boolean> {
  if (!(await db.schema.hasTable('nodes'))) return false;
  const row: Row | undefined = await db('nodes')
    .whereRaw(`seen_at > ${nowSecSql(db)} - ${HEARTBEAT_SEC}`)
    .first('id');
  return row !== undefined;
}

async function hasRows(db: Knex): Promise<boolean> {
  for (const table of (await tableDefinitions()).filter(isBackedUp)) {
    if (!(await db.schema.hasTable(table.name))) continue;
    if ((await db(table.name).first(table.key[0] ?? '*')) !== undefined) return true;
  }
  return false;
}

/** Call `requireRestorable` first. */
export async function restoreBackup(
  targets: RestoreTargets,
  file: string,
  { head }: BackupSummary,
  options: RestoreOptions,
): Promise<void> {
  const { site, log } = targets;
  const backedUp = new Set(head.schema);
  const inBackup = (list: readonly Migration[]) => list.filter(({ name }) => backedUp.has(name));
  await dropTables(site);
  await migrate(site, inBackup(migrations));
  if (log.isSeparate) {
    await dropTables(log);
    await migrate(log, inBackup(logMigrations));
  }
  await addPartitions(log.db, Math.floor(Date.now() / 1000));
  await inTransaction(site, ({ db: siteTrx }) => {
    if (!log.isSeparate) return insertBackup(() => siteTrx, file, options);
    return inTransaction(log, ({ db: logTrx }) =>
      insertBackup((table) => (LOG_TABLES.has(table) ? logTrx : siteTrx), file, options),
    );
  });
  await migrate(site);
  if (log.isSeparate) await migrate(log, logMigrations);
}

async function dropTables({ db }: Databases): Promise<void> {
  const tables = (await tableDefinitions()).map(({ name }) => name);
  const detached = await detachedPartitions(db);
  for (const name of [...detached, ...tables, ...SCHEMA_TABLES])
    await db.schema.dropTableIfExists(name);
}

const BATCH_ROWS = 500;

async function insertBackup(
  trxOf: (table: string) => Knex.Transaction,
  file: string,
  options: RestoreOptions,
): Promise<void> {
  let table: BackupTable | undefined;
  let pending: object[] = [];
  const write = async () => {
    if (table === undefined || pending.length === 0) return;
    options.signal.throwIfAborted();
    await insertRows(trxOf(table.table), table.table, pending);
    options.onRows(pending.length);
    pending = [];
  };
  for await (const part of readBackup(file)) {
    if (part.kind === 'row' && table !== undefined) {
      pending.push(rowFrom(table, part.values));
      if (pending.length >= BATCH_ROWS) await write();
    }
    if (part.kind !== 'table' && part.kind !== 'end') continue;
    await write();
    if (table?.columns.includes('id')) await advanceIdSequence(trxOf(table.table), table.table);
    table = part.kind === 'table' ? part.table : undefined;
    // A migration may have inserted rows of its own, such as an initial setting.
    if (table !== undefined) await trxOf(table.table)(table.table).delete();
  }
}

function rowFrom({ columns }: BackupTable, values: readonly StoredValue[]): object {
  return Object.fromEntries(columns.map((column, index) => [column, values[index] ?? null]));
}
