/** Rows of the usage log: written in batches with the charge, read newest first or in order. */

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { LogFacts } from '../../domain/logs/log-facts.ts';
import type { CountedEntry } from '../../domain/logs/log-hours.ts';
import { fullFacts } from '../../domain/logs/short-facts.ts';
import { insertRows } from '../sql/inserts.ts';
import { numberValue, type RowWindow, rowCount, rowReader, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import type { LogTable } from './log-database.ts';
import { filteredLogs, type LogFilter } from './log-filter.ts';
import { COUNTED_READERS, LOG_COLUMNS, type LogRow } from './log-row.ts';

export async function insertLogs(
  trx: Knex.Transaction,
  rows: readonly LogRow[],
  table: LogTable = 'logs',
): Promise<void> {
  await insertEntries(trx, rows, table);
}

/** Same for rows of one shape that may omit columns. */
export async function insertEntries(
  trx: Knex.Transaction,
  rows: readonly object[],
  table: LogTable,
): Promise<void> {
  if (rows.length > 0) await insertRows(trx, table, withOutboxKeys(rows, table));
}

/** Entries as `table` needs them: those to be moved to another database get an identifying key. */
export function withOutboxKeys(rows: readonly object[], table: LogTable): readonly object[] {
  return table === 'logs' ? rows : rows.map((row) => ({ line_key: randomUUID(), ...row }));
}

/** An entry as readers get it: with full facts, and the prompt as those say. */
export interface StoredLog extends Omit<LogRow, 'other'> {
  readonly id: number;
  readonly facts: LogFacts;
}

const LOGS = rowReader({ id: numberValue, ...LOG_COLUMNS });

async function readLogs(query: Knex.QueryBuilder): Promise<StoredLog[]> {
  const rows = await LOGS.all(query);
  return rows.map(({ other, ...entry }) => ({ ...entry, ...fullFacts(entry, other) }));
}

/** Newest first. */
export function newestLogs(
  reads: Knex,
  filter: LogFilter,
  window: RowWindow,
): Promise<StoredLog[]> {
  return readLogs(
    filteredLogs(reads, filter)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(window.limit)
      .offset(window.offset),
  );
}

export async function logById(reads: Knex, id: number): Promise<StoredLog | undefined> {
  const [log] = await readLogs(reads('logs').where({ id }));
  return log;
}

/** Entries in insertion order. */
export function logsOfRequest(reads: Knex, requestId: string): Promise<StoredLog[]> {
  return readLogs(reads('logs').where({ request_id: requestId }).orderBy('id'));
}

/** The first `limit` entries after an id, oldest first. */
export function logsAfter(
  reads: Knex,
  filter: LogFilter,
  after: number,
  limit: number,
): Promise<StoredLog[]> {
  return readLogs(
    filteredLogs(reads, { ...filter, afterId: after })
      .orderBy('id')
      .limit(limit),
  );
}

/** The newest `limit` entries, in id order. */
export async function lastLogs(
  reads: Knex,
  filter: LogFilter,
  limit: number,
): Promise<StoredLog[]> {
  const rows = await newestLogs(reads, filter, { limit, offset: 0 });
  return rows.sort((a, b) => a.id - b.id);
}

/** The position of a reader that reads the log in time order. */
export interface LogCursor {
  readonly createdAtSec: number;
  readonly id: number;
}

/** The first `limit` entries after the cursor by time and id; equally fast at any position. */
export function logsFrom(
  reads: Knex,
  filter: LogFilter,
  cursor: LogCursor,
  limit: number,
  table = 'logs',
): Promise<StoredLog[]> {
  const sinceSec = Math.max(filter.sinceSec ?? 0, cursor.createdAtSec);
  return readLogs(
    filteredLogs(reads, { ...filter, sinceSec }, table)
      .where((later) =>
        later.where('created_at', '>', cursor.createdAtSec).orWhere('id', '>', cursor.id),
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit),
  );
}

export async function lastLogId(reads: Knex): Promise<number> {
  const row: Row | undefined = await reads('logs').max({ last: 'id' }).first();
  return numberValue(row?.last);
}

/** The id before the newest `entries` entries, whatever ids are unused; 0 if there are fewer. */
export async function idBeforeLast(reads: Knex, entries: number): Promise<number> {
  const newest = reads('logs').select('id').orderBy('id', 'desc');
  const row: Row | undefined = await newest.offset(entries).first();
  return numberValue(row?.id ?? 0);
}

const OTHER_HEAD_CHARS = 1000;
const COUNTED = rowReader({ id: numberValue, ...COUNTED_READERS, other_head: textValue });

/** The counted columns of the matching entries, in id order. */
export async function countedEntries(
  db: Knex,
  filter: LogFilter,
  limit?: number,
  table = 'logs',
): Promise<(CountedEntry & { readonly id: number })[]> {
  const query = filteredLogs(db, filter, table)
    .orderBy('id')
    .select(
      ...COUNTED.columns.filter((column) => column !== 'other_head'),
      db.raw('substr(??, 1, ?) as ??', ['other', OTHER_HEAD_CHARS, 'other_head']),
    );
  const rows: Row[] = await (limit === undefined ? query : query.limit(limit));
  return rows.map(COUNTED.read);
}

/** At most `limit` of the oldest entries in a time range: their ids, ascending, and the last time. */
export async function oldestLogs(
  db: Knex,
  { sinceSec, beforeSec }: { readonly sinceSec: number; readonly beforeSec: number },
  limit: number,
): Promise<{ readonly ids: number[]; readonly newestSec: number }> {
  const rows: Row[] = await db('logs')
    .where('created_at', '>=', sinceSec)
    .where('created_at', '<', beforeSec)
    .orderBy('created_at')
    .limit(limit)
    .select('id', 'created_at');
  return {
    ids: rows.map((row) => numberValue(row.id)).sort((a, b) => a - b),
    newestSec: numberValue(rows.at(-1)?.created_at ?? sinceSec),
  };
}

/** Deletes those of these entries that lie in the time range. Returns their number. */
export async function deleteLogs(
  trx: Knex.Transaction,
  ids: readonly number[],
  { sinceSec, untilSec }: { readonly sinceSec?: number; readonly untilSec: number },
  table = 'logs',
): Promise<number> {
  if (ids.length === 0) return 0;
  const query = trx(table)
    .whereIn('id', [...ids])
    .where('created_at', '<=', untilSec);
  if (sinceSec !== undefined) query.where('created_at', '>=', sinceSec);
  return query.delete();
}

/** The time of the newest entry; undefined if there is none. */
export async function newestLogSec(reads: Knex, table = 'logs'): Promise<number | undefined> {
  const row: Row | undefined = await reads(table).max({ at: 'created_at' }).first();
  return row?.at === null || row?.at === undefined ? undefined : numberValue(row.at);
}

/** The number of entries, or of those before a time. */
export function countLogs(reads: Knex, table: string, beforeSec?: number): Promise<number> {
  const logs = reads(table);
  return rowCount(beforeSec === undefined ? logs : logs.where('created_at', '<', beforeSec));
}
