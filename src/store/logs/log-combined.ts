/**
 * Splits a query over several columns into days covered by the daily combinations and log entries
 * that must be read for the rest.
 */
import type { Knex } from 'knex';
import {
  type Combination,
  type CombinedColumn,
  smallestCombinationWith,
} from '../../domain/logs/log-combinations.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';
import { textValue } from '../sql/read-rows.ts';
import { likePattern, type Row } from '../sql/sql-dialect.ts';
import { daysIn, nextDayStart } from './log-days.ts';
import { filteredFields, isPattern, type LogFilter, whereType } from './log-filter.ts';
import type { LogProgress } from './log-hours.ts';

const FILTER_COLUMNS: Partial<Readonly<Record<keyof LogFilter, CombinedColumn>>> = {
  userId: 'user_id',
  tokenName: 'token_name',
  modelName: 'model_name',
  channelId: 'channel_id',
  channelIds: 'channel_id',
  group: 'group',
};

export interface CombinedQuery {
  readonly kind: Combination;
  /** The models that a pattern matches on these days. */
  readonly models: readonly string[] | undefined;
  /** Ascending, each with log entries; their counted entries need not be read. */
  readonly days: readonly number[];
  /** The counted entries of all other time, newest first. */
  readonly spans: readonly LogFilter[];
  readonly uncounted: LogFilter;
}

/** Undefined if log entries must be read for the whole range. */
export async function combinedQuery(
  reads: Knex,
  filter: LogFilter,
  progress: LogProgress,
  more?: CombinedColumn,
): Promise<CombinedQuery | undefined> {
  const columns = filteredFields(filter).map((name) => FILTER_COLUMNS[name]);
  const known = columns.filter((column) => column !== undefined);
  if (known.length < columns.length) return undefined;
  const fromSec = nextDayStart(Math.max(filter.sinceSec ?? 0, progress.clearedBeforeSec, 0));
  const toSec = filter.untilSec === undefined ? undefined : filter.untilSec + 1;
  const { valid, stale } = await daysIn(reads, { fromSec, toSec }, 'combinedEntries');
  if (valid.length === 0) return undefined;
  const counted = { ...filter, upToId: progress.countedId };
  const names = filter.modelName ?? '';
  return {
    models: isPattern(names) ? await matchingModels(reads, names, valid) : undefined,
    kind: smallestCombinationWith(more === undefined ? known : [...known, more]),
    days: valid,
    spans: spansOutside(filter, fromSec, stale).map((span) => ({ ...counted, ...span })),
    uncounted: { ...filter, afterId: progress.countedId },
  };
}

/** There are few models but many cells, so the pattern is matched once per name. */
async function matchingModels(
  reads: Knex,
  pattern: string,
  days: readonly number[],
): Promise<readonly string[]> {
  const rows: Row[] = await reads('log_days')
    .where({ scope: 'model' })
    .whereIn('day', [...days])
    .whereRaw(...likePattern('subject', pattern))
    .distinct('subject');
  return rows.map((row) => textValue(row.subject));
}

type TimeSpan = Pick<LogFilter, 'sinceSec' | 'untilSec'>;

/** The time range of a filter without its valid whole days; newest first. */
function spansOutside(filter: LogFilter, fromSec: number, stale: readonly number[]): TimeSpan[] {
  const spans: { sinceSec: number | undefined; untilSec: number | undefined }[] = [];
  if (fromSec > (filter.sinceSec ?? 0))
    spans.push({ sinceSec: filter.sinceSec, untilSec: fromSec - 1 });
  const endSec = filter.untilSec === undefined ? undefined : filter.untilSec + 1;
  const parts = stale.map((day) => ({ sinceSec: day, untilSec: day + DAY_SEC - 1 }));
  if (endSec !== undefined && endSec % DAY_SEC !== 0)
    parts.push({ sinceSec: endSec - (endSec % DAY_SEC), untilSec: endSec - 1 });
  for (const part of parts) {
    const last = spans.at(-1);
    if (last?.untilSec === part.sinceSec - 1) last.untilSec = part.untilSec;
    else spans.push(part);
  }
  return spans.reverse();
}

/** The cells of `log_combinations` that match a filter. */
export function combinedCells(
  reads: Knex,
  filter: LogFilter,
  { kind, days, models }: CombinedQuery,
): Knex.QueryBuilder {
  const query = reads('log_combinations')
    .where({ kind })
    .whereIn('day', [...days]);
  whereType(query, filter.type);
  for (const name of filteredFields(filter)) {
    const column = FILTER_COLUMNS[name];
    const value = filter[name];
    if (column === undefined || value === undefined) continue;
    if (typeof value === 'object') query.whereIn(column, [...value]);
    else if (column === 'model_name' && models !== undefined) query.whereIn(column, [...models]);
    else if (column === 'token_name' && isPattern(String(value)))
      query.whereRaw(...likePattern(column, String(value)));
    else query.where(column, value);
  }
  return query;
}
