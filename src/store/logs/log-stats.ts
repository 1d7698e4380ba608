/**
 * Sums over the log. Whole hours come from `log_hours`; partial hours, uncounted entries and
 * remainders of a deletion come from the entries. The result equals that of the entries alone,
 * however many there are.
 */
import type { Knex } from 'knex';
import { HOUR_SEC, hourOf, type LogScope, tokenSubject } from '../../domain/logs/log-hours.ts';
import { numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';
import { engineOf, likePattern, type Row } from '../sql/sql-dialect.ts';
import { combinedCells, combinedQuery } from './log-combined.ts';
import {
  costSums,
  filteredFields,
  filteredLogs,
  isPattern,
  type LogFilter,
  sumExpressions,
} from './log-filter.ts';
import { type HourRange, type LogProgress, logProgress, selectHours } from './log-hours.ts';
import { lastLogId } from './log-rows.ts';

const SUMS = rowReader({
  count: numberValue,
  quota: numberValue,
  /** Of the refunds among them. */
  refunds: numberValue,
  prompt_tokens: numberValue,
  completion_tokens: numberValue,
  /** The known costs, and the net spend of the calls that have one. */
  cost: numberValue,
  costed_quota: numberValue,
});
export type LogSums = RowOf<typeof SUMS>;

export type LogBreakdown = 'model' | 'day' | 'user' | 'channel' | 'token';

const CONSISTENT_READ_TRIES = 5;

/**
 * Reads statistics and entries consistently: again, if entries were counted in between. While a log
 * is being counted continuously, the last attempt is used. `uncounted` is the maximum number of
 * entries not included in the statistics.
 */
export async function readConsistently<T>(
  reads: Knex,
  read: (progress: LogProgress, uncounted: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const progress = await logProgress(reads);
    const answer = await read(progress, (await lastLogId(reads)) - progress.countedId);
    if (
      attempt === CONSISTENT_READ_TRIES ||
      (await logProgress(reads)).revision === progress.revision
    )
      return answer;
  }
}

export interface CountedScope {
  readonly scope: LogScope;
  readonly subjects?: (query: Knex.QueryBuilder) => void;
}

/** The scope of statistics that covers the filter; undefined if there is none. */
export function countedScope(filter: LogFilter): CountedScope | undefined {
  const { userId = 0, tokenName = '', modelName = '' } = filter;
  const only = (scope: LogScope, subject: string | number): CountedScope => ({
    scope,
    subjects: (query) => void query.where('subject', String(subject)),
  });
  /** By a subject that ends with a name or a pattern. */
  const named = (scope: LogScope, subject: string): CountedScope =>
    isPattern(subject)
      ? { scope, subjects: (query) => void query.whereRaw(...likePattern('subject', subject)) }
      : only(scope, subject);
  switch (filteredFields(filter).sort().join()) {
    case '':
      return { scope: 'site' };
    case 'userId':
      return only('user', userId);
    case 'tokenName,userId':
      return named('token', tokenSubject(userId, tokenName));
    case 'modelName':
      return named('model', modelName);
    case 'channelId':
      return only('channel', filter.channelId ?? 0);
    case 'channelIds':
      return {
        scope: 'channel',
        subjects: (query) => void query.whereIn('subject', (filter.channelIds ?? []).map(String)),
      };
    case 'group':
      return only('group', filter.group ?? '');
    default:
      return undefined;
  }
}

export interface RangeParts {
  readonly hours: HourRange;
  /** The counted entries outside those hours, newest part first, and the uncounted ones. */
  readonly newer: LogFilter | undefined;
  readonly older: LogFilter | undefined;
  readonly uncounted: LogFilter;
}

/** Undefined if the range contains no whole hour. */
export function rangeParts(filter: LogFilter, progress: LogProgress): RangeParts | undefined {
  const startSec = Math.max(filter.sinceSec ?? 0, progress.clearedBeforeSec, 0);
  const fromSec = hourOf(startSec + HOUR_SEC - 1);
  const toSec = filter.untilSec === undefined ? undefined : hourOf(filter.untilSec + 1);
  if (toSec !== undefined && toSec <= fromSec) return undefined;
  const counted = { ...filter, upToId: progress.countedId };
  const hasOlder = fromSec > (filter.sinceSec ?? 0);
  return {
    hours: { fromSec, toSec },
    newer: toSec === undefined ? undefined : { ...counted, sinceSec: toSec },
    older: hasOlder ? { ...counted, untilSec: fromSec - 1 } : undefined,
    uncounted: { ...filter, afterId: progress.countedId },
  };
}

/** The parts of a sum that are read from entries. */
export function entryParts(spans: RangeParts): LogFilter[] {
  return [spans.newer, spans.older, spans.uncounted].filter((part) => part !== undefined);
}

const TOKENS = { prompt_tokens: 'prompt_tokens', completion_tokens: 'completion_tokens' };
const COSTS = { cost: 'cost', costed_quota: 'costed_quota' };
const NO_LOGS = SUMS.read({});

function readSums(row: Row | undefined): LogSums {
  return SUMS.read({ ...row, count: row?.total });
}

const SUM_NAMES = Object.keys(NO_LOGS) as (keyof LogSums)[]; // the reader's own columns

function addSums(a: LogSums, b: LogSums): LogSums {
  const sum: Row = {};
  for (const name of SUM_NAMES) sum[name] = a[name] + b[name];
  return SUMS.read(sum);
}

/** Sums of entries. */
function summedEntries(reads: Knex, filter: LogFilter): Knex.QueryBuilder {
  return filteredLogs(reads, filter)
    .select(sumExpressions(reads, filter.type))
    .select(costSums(reads))
    .sum(TOKENS);
}

/** Sums of statistics cells. */
function summedCells(reads: Knex, cells: Knex.QueryBuilder, { type }: LogFilter) {
  return cells.select(sumExpressions(reads, type, 'lines')).sum({ ...TOKENS, ...COSTS });
}

async function sumOfEntries(reads: Knex, filter: LogFilter): Promise<LogSums> {
  return readSums(await summedEntries(reads, filter).first());
}

export function sumOfLogs(reads: Knex, filter: LogFilter): Promise<LogSums> {
  return readConsistently(reads, async (progress) => {
    const counted = countedScope(filter);
    const spans = rangeParts(filter, progress);
    if (counted === undefined) return sumOfCombined(reads, filter, progress);
    if (spans === undefined) return sumOfEntries(reads, filter);
    const hours = selectHours(reads, { ...counted, ...spans.hours, type: filter.type });
    let sum = readSums(await summedCells(reads, hours, filter).first());
    for (const part of entryParts(spans)) sum = addSums(sum, await sumOfEntries(reads, part));
    return sum;
  });
}

/** Sums of entries filtered by several columns. */
async function sumOfCombined(
  reads: Knex,
  filter: LogFilter,
  progress: LogProgress,
): Promise<LogSums> {
  const parts = await combinedQuery(reads, filter, progress);
  if (parts === undefined) return sumOfEntries(reads, filter);
  const cells = summedCells(reads, combinedCells(reads, filter, parts), filter);
  let sum = readSums(await cells.first());
  for (const part of [...parts.spans, parts.uncounted])
    sum = addSums(sum, await sumOfEntries(reads, part));
  return sum;
}

/** By user: the id. By day: the first second of the UTC day. */
const ENTRY_KEYS = {
  model: 'model_name',
  day: 'created_at - (created_at % 86400)',
  user: 'user_id',
  channel: 'channel_id',
  token: 'token_name',
} as const satisfies Readonly<Record<LogBreakdown, string>>;

interface CountedParts extends CountedScope {
  readonly key: string;
}

function countedParts(filter: LogFilter, by: LogBreakdown): CountedParts | undefined {
  if (by === 'day') {
    const counted = countedScope(filter);
    return counted && { ...counted, key: 'hour - (hour % 86400)' };
  }
  const about = filteredFields(filter).join();
  if (about === '') return { scope: by, key: 'subject' };
  if (by !== 'token' || about !== 'userId') return undefined;
  return { scope: 'token', subjects: tokensOfUser(filter.userId ?? 0), key: 'subject' };
}

/** The tokens of a user: from `7/` to before `70`, because `/` directly precedes the digits. */
export function tokensOfUser(userId: number): (query: Knex.QueryBuilder) => void {
  return (query) =>
    void query.where('subject', '>=', `${userId}/`).where('subject', '<', `${userId}0`);
}

/** Sums per value of `by`, highest spend first. */
export function sumsOfLogs(
  reads: Knex,
  filter: LogFilter,
  by: LogBreakdown,
  limit: number,
): Promise<(LogSums & { readonly key: string })[]> {
  return readConsistently(reads, async (progress) => {
    const sums = new Map<string, LogSums>();
    for (const [key, sum] of await keyedSums(reads, filter, by, progress))
      sums.set(key, addSums(sums.get(key) ?? NO_LOGS, sum));
    return [...sums]
      .map(([key, sum]) => ({ key, ...sum }))
      .sort((a, b) => b.quota - a.quota || (a.key < b.key ? -1 : 1))
      .slice(0, limit);
  });
}

/** Sums of parts of the log, in which a key can occur more than once. */
async function keyedSums(
  reads: Knex,
  filter: LogFilter,
  by: LogBreakdown,
  progress: LogProgress,
): Promise<(readonly [string, LogSums])[]> {
  const linesBy = (part: LogFilter) => grouped(reads, summedEntries(reads, part), ENTRY_KEYS[by]);
  const counted = countedParts(filter, by);
  const spans = rangeParts(filter, progress);
  if (counted === undefined) {
    const column = by === 'day' ? undefined : ENTRY_KEYS[by];
    const parts = await combinedQuery(reads, filter, progress, column);
    if (parts === undefined) return linesBy(filter);
    const cells = summedCells(reads, combinedCells(reads, filter, parts), filter);
    const sums = [...(await grouped(reads, cells, column ?? 'day'))];
    for (const part of [...parts.spans, parts.uncounted]) sums.push(...(await linesBy(part)));
    return sums;
  }
  if (spans === undefined) return linesBy(filter);
  const hours = selectHours(reads, { ...counted, ...spans.hours, type: filter.type });
  const found = await grouped(reads, summedCells(reads, hours, filter), counted.key);
  const sums = found.map(([key, sum]) => [by === 'token' ? tokenNameOf(key) : key, sum] as const);
  for (const part of entryParts(spans)) sums.push(...(await linesBy(part)));
  return sums;
}

/**
 * SQLite prefers an index with the groups in order, and scans all of it, over the one that finds
 * the few rows; the plus hides the column from it, as in `filteredLogs`.
 */
async function grouped(
  reads: Knex,
  query: Knex.QueryBuilder,
  key: string,
): Promise<(readonly [string, LogSums])[]> {
  const hidden = engineOf(reads) === 'sqlite' ? `+${key}` : key;
  const rows: Row[] = await query.select({ part: reads.raw(hidden) }).groupBy('part');
  return rows.map((row) => [textValue(row.part), readSums(row)] as const);
}

/** The token name in a token's subject. */
function tokenNameOf(subject: string): string {
  return subject.slice(subject.indexOf('/') + 1);
}
