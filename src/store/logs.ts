/** Rows of the usage log: written in batches with the charge, read by pages. */
import type { Knex } from 'knex';
import { asBoolean, insertRows, type Row } from './dialect.ts';
import { numberOf, type PageOfRows, pageOfRows, textOf, type Window } from './read.ts';

export interface LogRow {
  readonly request_id: string;
  readonly user_id: number;
  readonly created_at: number;
  readonly type: number;
  readonly content: string;
  readonly username: string;
  readonly token_name: string;
  readonly model_name: string;
  readonly quota: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly use_time: number;
  readonly use_time_ms: number;
  readonly first_token_ms: number;
  readonly is_stream: boolean;
  readonly channel_id: number;
  readonly token_id: number;
  readonly group: string;
  readonly client_ip: string;
  readonly usage_source: string;
  /** JSON text, see docs/logs.md. */
  readonly other: string;
}

export async function insertLogs(trx: Knex.Transaction, rows: readonly LogRow[]): Promise<void> {
  if (rows.length > 0) await insertRows(trx, 'logs', rows);
}

export interface StoredLog extends LogRow {
  readonly id: number;
}

const COLUMNS = [
  'id',
  'request_id',
  'user_id',
  'created_at',
  'type',
  'content',
  'username',
  'token_name',
  'model_name',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'use_time',
  'use_time_ms',
  'first_token_ms',
  'is_stream',
  'channel_id',
  'token_id',
  'group',
  'client_ip',
  'usage_source',
  'other',
];

function readLog(row: Row): StoredLog {
  return {
    id: numberOf(row.id),
    request_id: textOf(row.request_id),
    user_id: numberOf(row.user_id),
    created_at: numberOf(row.created_at),
    type: numberOf(row.type),
    content: textOf(row.content),
    username: textOf(row.username),
    token_name: textOf(row.token_name),
    model_name: textOf(row.model_name),
    quota: numberOf(row.quota),
    prompt_tokens: numberOf(row.prompt_tokens),
    completion_tokens: numberOf(row.completion_tokens),
    use_time: numberOf(row.use_time),
    use_time_ms: numberOf(row.use_time_ms),
    first_token_ms: numberOf(row.first_token_ms),
    is_stream: asBoolean(row.is_stream),
    channel_id: numberOf(row.channel_id),
    token_id: numberOf(row.token_id),
    group: textOf(row.group),
    client_ip: textOf(row.client_ip),
    usage_source: textOf(row.usage_source),
    other: textOf(row.other),
  };
}

/** Undefined and empty fields admit everything. Times are epoch seconds, both ends included. */
export interface LogFilter {
  readonly userId?: number | undefined;
  readonly type?: number | undefined;
  readonly username?: string | undefined;
  readonly tokenName?: string | undefined;
  /** Exact, or a pattern in which `%` stands for anything. */
  readonly modelName?: string | undefined;
  readonly group?: string | undefined;
  readonly channelId?: number | undefined;
  readonly requestId?: string | undefined;
  readonly sinceSec?: number | undefined;
  readonly untilSec?: number | undefined;
}

function filtered(db: Knex, filter: LogFilter): Knex.QueryBuilder {
  const query = db('logs');
  const exact = {
    user_id: filter.userId,
    type: filter.type || undefined,
    username: filter.username,
    token_name: filter.tokenName,
    group: filter.group,
    channel_id: filter.channelId || undefined,
    request_id: filter.requestId,
  };
  for (const [column, value] of Object.entries(exact))
    if (value !== undefined && value !== '') query.where(column, value);
  if (filter.modelName?.includes('%')) {
    const pattern = filter.modelName.replace(/[!_]/g, '!$&');
    query.whereRaw("model_name like ? escape '!'", [pattern]);
  } else if (filter.modelName) query.where('model_name', filter.modelName);
  if (filter.sinceSec !== undefined) query.where('created_at', '>=', filter.sinceSec);
  if (filter.untilSec !== undefined) query.where('created_at', '<=', filter.untilSec);
  return query;
}

export function pageOfLogs(
  reads: Knex,
  filter: LogFilter,
  window: Window,
): Promise<PageOfRows<StoredLog>> {
  return pageOfRows(filtered(reads, filter), window, {
    columns: COLUMNS,
    order: [
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ],
    read: readLog,
  });
}

/** Lines in the order they were written. */
export async function logsOfRequest(reads: Knex, requestId: string): Promise<StoredLog[]> {
  const rows: Row[] = await reads('logs')
    .where({ request_id: requestId })
    .orderBy('id')
    .select(COLUMNS);
  return rows.map(readLog);
}

/** The first `limit` lines after an id, oldest first. */
export async function logsAfter(
  reads: Knex,
  filter: LogFilter,
  after: number,
  limit: number,
): Promise<StoredLog[]> {
  const rows: Row[] = await filtered(reads, filter)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .select(COLUMNS);
  return rows.map(readLog);
}

/** The last `limit` lines, oldest first. */
export async function lastLogs(
  reads: Knex,
  filter: LogFilter,
  limit: number,
): Promise<StoredLog[]> {
  const rows: Row[] = await filtered(reads, filter)
    .orderBy('id', 'desc')
    .limit(limit)
    .select(COLUMNS);
  return rows.map(readLog).reverse();
}

export interface LogSums {
  readonly count: number;
  readonly quota: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

const SUMMED = { quota: 'quota', prompt: 'prompt_tokens', completion: 'completion_tokens' };

function readSums(row: Row | undefined): LogSums {
  return {
    count: numberOf(row?.total),
    quota: numberOf(row?.quota),
    prompt_tokens: numberOf(row?.prompt),
    completion_tokens: numberOf(row?.completion),
  };
}

export async function sumOfLogs(reads: Knex, filter: LogFilter): Promise<LogSums> {
  const row: Row | undefined = await filtered(reads, filter)
    .count({ total: '*' })
    .sum(SUMMED)
    .first();
  return readSums(row);
}

export type LogBreakdown = 'model' | 'day' | 'user' | 'channel' | 'token';

const BREAKDOWN_SQL: Readonly<Record<LogBreakdown, string>> = {
  model: 'model_name',
  /** Start of the UTC day, epoch seconds. */
  day: 'created_at - (created_at % 86400)',
  user: 'username',
  channel: 'channel_id',
  token: 'token_name',
};

/** Sums per value of `by`, the dearest first. */
export async function sumsOfLogs(
  reads: Knex,
  filter: LogFilter,
  by: LogBreakdown,
  limit: number,
): Promise<(LogSums & { readonly key: string })[]> {
  const part = reads.raw(BREAKDOWN_SQL[by]);
  const rows: Row[] = await filtered(reads, filter)
    .select({ part })
    .count({ total: '*' })
    .sum(SUMMED)
    .groupBy('part')
    .orderBy([
      { column: 'quota', order: 'desc' },
      { column: 'part', order: 'asc' },
    ])
    .limit(limit);
  return rows.map((row) => ({ key: textOf(row.part), ...readSums(row) }));
}

/** Deletes at most `limit` of the oldest lines before a time and answers how many. */
export async function deleteLogsBefore(
  trx: Knex.Transaction,
  beforeSec: number,
  limit: number,
): Promise<number> {
  const rows: Row[] = await trx('logs')
    .where('created_at', '<', beforeSec)
    .orderBy('created_at')
    .limit(limit)
    .select('id');
  if (rows.length === 0) return 0;
  return trx('logs')
    .whereIn(
      'id',
      rows.map((row) => numberOf(row.id)),
    )
    .delete();
}
