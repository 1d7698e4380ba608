/**
 * Entries of hours that a boundary cuts: days of zones such as Asia/Kolkata begin within an hour of
 * UTC. Such an hour is divided by its entries instead of its statistics.
 */
import type { Knex } from 'knex';
import { type CountedEntry, HOUR_SEC, hourOf, type LogScope } from '../../domain/logs/log-hours.ts';
import { numberValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import type { TypeFilter } from './log-filter.ts';
import type { LogProgress } from './log-hours.ts';
import { countedEntries } from './log-rows.ts';

const MAX_ENTRIES = 20_000;
const MAX_HOURS = 1_000;

export interface SplitHours {
  /** The first seconds of the hours that were read; all others stay whole. */
  readonly hours: ReadonlySet<number>;
  /** All counted entries of these hours. */
  readonly entries: readonly CountedEntry[];
}

/**
 * The most important of the hours that `boundaries` (epoch seconds, most important first) cut: as
 * many as are not too much to read, and whose entries have not been deleted.
 */
export async function readSplitHours(
  reads: Knex,
  { countedId, clearedBeforeSec }: LogProgress,
  { userId, type }: { readonly userId: number | undefined; readonly type?: TypeFilter },
  boundaries: readonly number[],
): Promise<SplitHours> {
  const cut = new Set(boundaries.filter((at) => at % HOUR_SEC !== 0).map(hourOf));
  const wanted = [...cut].filter((hour) => hour >= clearedBeforeSec).slice(0, MAX_HOURS);
  const lines = await linesPerHour(reads, userId, wanted);
  const hours = new Set<number>();
  const entries: CountedEntry[] = [];
  let left = MAX_ENTRIES;
  for (const hour of wanted) {
    const count = lines.get(hour) ?? 0;
    if (count > left) continue;
    left -= count;
    hours.add(hour);
    if (count === 0) continue;
    const span = { sinceSec: hour, untilSec: hour + HOUR_SEC - 1, upToId: countedId };
    entries.push(...(await countedEntries(reads, { userId, type, ...span })));
  }
  return { hours, entries };
}

async function linesPerHour(
  reads: Knex,
  userId: number | undefined,
  hours: readonly number[],
): Promise<Map<number, number>> {
  if (hours.length === 0) return new Map();
  const scope: LogScope = userId === undefined ? 'site' : 'user';
  const rows: Row[] = await reads('log_hours')
    .where({ scope, subject: userId === undefined ? '' : String(userId) })
    .whereIn('hour', [...hours])
    .select('hour')
    .sum({ total: 'lines' })
    .groupBy('hour');
  return new Map(rows.map((row) => [numberValue(row.hour), numberValue(row.total)]));
}
