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
import { textOf } from '../sql/read-rows.ts';
import { likePattern, type Row } from '../sql/sql-dialect.ts';
import { dayFrom, daysIn } from './log-days.ts';
import { isPattern, type LogFilter, subjectsOf, whereType } from './log-filter.ts';
import type { LogProgress } from './log-hours.ts';

const COLUMNS: Partial<Readonly<Record<keyof LogFilter, CombinedColumn>>> = {
  userId: 'user_id',
  tokenName: 'token_name',
  modelName: 'model_name',
  channelId: 'channel_id',
  group: 'group',
};

export interface Combined {
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
export async function combinedParts(
  reads: Knex,
  filter: LogFilter,
  progress: LogProgress,
  more?: CombinedColumn,
): Promise<Combined | undefined> {
  const columns = subjectsOf(filter).map((name) => COLUMNS[name]);
  const known = columns.filter((column) => column !== undefined);
  if (known.length < columns.length) return undefined;
  const fromSec = dayFrom(Math.max(filter.sinceSec ?? 0, progress.clearedBeforeSec, 0));
  const toSec = filter.untilSec === undefined ? undefined : filter.untilSec + 1;
  const { standing, stale } = await daysIn(reads, { fromSec, toSec }, 'combinedLines');
  if (standing.length === 0) return undefined;
  const counted = { ...filter, upToId: progress.countedId };
  const names = filter.modelName ?? '';
  return {
    models: isPattern(names) ? await modelsLike(reads, names, standing) : undefined,
    kind: smallestCombinationWith(more === undefined ? known : [...known, more]),
    days: standing,
    spans: spansBeside(filter, fromSec, stale).map((span) => ({ ...counted, ...span })),
    uncounted: { ...filter, afterId: progress.countedId },
  };
}

/** There are few models but many cells, so the pattern is matched once per name. */
async function modelsLike(
  reads: Knex,
  pattern: string,
  days: readonly number[],
): Promise<readonly string[]> {
  const rows: Row[] = await reads('log_days')
    .where({ scope: 'model' })
    .whereIn('day', [...days])
    .whereRaw(...likePattern('subject', pattern))
    .distinct('subject');
  return rows.map((row) => textOf(row.subject));
}

type Span = Pick<LogFilter, 'sinceSec' | 'untilSec'>;

/** The time range of a filter without its valid whole days; newest first. */
function spansBeside(filter: LogFilter, fromSec: number, stale: readonly number[]): Span[] {
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
  { kind, days, models }: Combined,
): Knex.QueryBuilder {
  const query = reads('log_combinations')
    .where({ kind })
    .whereIn('day', [...days]);
  whereType(query, filter.type);
  for (const name of subjectsOf(filter)) {
    const column = COLUMNS[name];
    const value = filter[name];
    if (column === undefined || value === undefined) continue;
    if (column === 'model_name' && models !== undefined) query.whereIn(column, [...models]);
    else query.where(column, value);
  }
  return query;
}
