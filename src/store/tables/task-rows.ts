/**
 * The common view of the tables `midjourneys` and `tasks`, used by code that advances tasks. A
 * finished task's row no longer changes, and each update enforces that in its own statement: if two
 * callers report the end at once, only one succeeds.
 */
import type { Knex } from 'knex';
import type { TaskColumns, TaskTable } from '../../domain/task.ts';
import { storableText } from '../../domain/text/storable-text.ts';
import { insertId } from '../sql/inserts.ts';
import { numberValue, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

export interface StoredTask {
  readonly table: TaskTable;
  readonly id: number;
  /** The id exposed to clients. */
  readonly publicId: string;
  /** The upstream's id; '' while the task is being submitted. */
  readonly upstreamId: string;
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly channelId: number;
  /** The channel key used for the submission; 0 if unknown. */
  readonly keyId: number;
  /** Units charged for it. */
  readonly quota: number;
  readonly action: string;
  readonly status: string;
  readonly submittedAtMs: number;
  /** URL for notifying the owner; '' for none. */
  readonly notifyHook: string;
  /** The complete row of its table. */
  readonly row: Row;
}

interface TableFacts {
  readonly publicId: string;
  /** Milliseconds per unit of the table's times. */
  readonly timeUnitMs: number;
}

const TABLES: Readonly<Record<TaskTable, TableFacts>> = {
  midjourneys: { publicId: 'mj_id', timeUnitMs: 1 },
  tasks: { publicId: 'task_id', timeUnitMs: 1000 },
};

/** Statuses of an unfinished task; '' means it is being submitted. */
const UNFINISHED = ['', 'NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS', 'MODAL', 'UNKNOWN'];
const FINISHED = ['SUCCESS', 'FAILURE'];

/** A time in the unit of the table's columns. */
export function taskTime(table: TaskTable, atMs: number): number {
  return Math.floor(atMs / TABLES[table].timeUnitMs);
}

export function publicIdColumn(table: TaskTable): string {
  return TABLES[table].publicId;
}

/** Texts come from clients and upstreams. */
function storableColumns(columns: TaskColumns): TaskColumns {
  const entries = Object.entries(columns).map(([column, value]) => [
    column,
    typeof value === 'string' ? storableText(value) : value,
  ]);
  return Object.fromEntries(entries);
}

export function insertTask(db: Knex, table: TaskTable, columns: TaskColumns): Promise<number> {
  return insertId(db, table, storableColumns(columns));
}

/** The result of a submission: columns to write to the task's row. */
export interface TaskSettlement {
  readonly table: TaskTable;
  readonly id: number;
  readonly columns: TaskColumns;
}

/** False if its submission was already settled, or abandoned meanwhile. */
export async function settleTask(
  trx: Knex.Transaction,
  { table, id, columns }: TaskSettlement,
): Promise<boolean> {
  const rows: number = await trx(table)
    .where({ id, upstream_id: '' })
    .whereNotIn('status', FINISHED)
    .update(storableColumns(columns));
  return rows > 0;
}

/** Updates an unfinished task with `columns` and returns its new state; undefined if finished. */
export async function updateTask(
  trx: Knex.Transaction,
  { table, id }: Pick<StoredTask, 'table' | 'id'>,
  columns: TaskColumns,
): Promise<StoredTask | undefined> {
  const rows: number = await trx(table)
    .where({ id })
    .whereNotIn('status', FINISHED)
    .update(storableColumns(columns));
  if (rows === 0) return undefined;
  const row: Row | undefined = await trx(table).where({ id }).first();
  return row === undefined ? undefined : readTask(table, row);
}

/** The part of a table that a provider handles. */
export interface TaskScope {
  readonly table: TaskTable;
  /** '' if the table belongs to a single platform. */
  readonly platform: string;
}

/** Unfinished tasks, in id order. */
export async function unfinishedTasks(
  reads: Knex,
  scope: TaskScope,
  window: { readonly afterId: number; readonly limit: number },
): Promise<StoredTask[]> {
  const rows: Row[] = await tasksInScope(reads, scope)
    .whereIn('status', UNFINISHED)
    .where('id', '>', window.afterId)
    .orderBy('id')
    .limit(window.limit);
  return rows.map((row) => readTask(scope.table, row));
}

/** Unfinished tasks of the channel with these upstream ids. Several may share one. */
export async function unfinishedTasksOfChannel(
  reads: Knex,
  scope: TaskScope,
  channelId: number,
  upstreamIds: readonly string[],
): Promise<StoredTask[]> {
  const ids = [...upstreamIds];
  const rows: Row[] = await tasksInScope(reads, scope)
    .where({ channel_id: channelId })
    .whereIn('status', UNFINISHED)
    .where((either) =>
      either
        .whereIn('upstream_id', ids)
        .orWhere((older) =>
          older
            .whereIn(publicIdColumn(scope.table), ids)
            .where({ upstream_id: '', request_id: '' }),
        ),
    )
    .orderBy('id');
  return rows.map((row) => readTask(scope.table, row));
}

/** A user's tasks with these ids, newest first. */
export async function tasksOfUser(
  reads: Knex,
  scope: TaskScope,
  userId: number,
  which: { readonly publicIds: readonly string[]; readonly action?: string | undefined },
): Promise<StoredTask[]> {
  const query = tasksInScope(reads, scope)
    .where({ user_id: userId })
    .whereIn(publicIdColumn(scope.table), [...which.publicIds])
    .orderBy('id', 'desc');
  if (which.action !== undefined) query.where({ action: which.action });
  const rows: Row[] = await query;
  return rows.map((row) => readTask(scope.table, row));
}

/** The newest task with this id, of any owner. */
export async function taskByPublicId(
  reads: Knex,
  scope: TaskScope,
  publicId: string,
): Promise<StoredTask | undefined> {
  const row: Row | undefined = await tasksInScope(reads, scope)
    .where(publicIdColumn(scope.table), publicId)
    .orderBy('id', 'desc')
    .first();
  return row === undefined ? undefined : readTask(scope.table, row);
}

function tasksInScope(reads: Knex, { table, platform }: TaskScope): Knex.QueryBuilder {
  return platform === '' ? reads(table) : reads(table).where({ platform });
}

function readTask(table: TaskTable, row: Row): StoredTask {
  const { publicId, timeUnitMs } = TABLES[table];
  return {
    table,
    id: numberValue(row.id),
    publicId: textValue(row[publicId]),
    upstreamId:
      textValue(row.upstream_id) || (textValue(row.request_id) ? '' : textValue(row[publicId])),
    requestId: textValue(row.request_id),
    userId: numberValue(row.user_id),
    tokenId: numberValue(row.token_id),
    channelId: numberValue(row.channel_id),
    keyId: numberValue(row.key_id),
    quota: numberValue(row.quota),
    action: textValue(row.action),
    status: textValue(row.status),
    submittedAtMs: numberValue(row.submit_time) * timeUnitMs,
    notifyHook: textValue(row.notify_hook),
    row,
  };
}
