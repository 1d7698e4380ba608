/**
 * The log's statistics per whole day (UTC): sums of `log_hours` (`log_days`) and entries grouped by
 * several columns (`log_combinations`). They are built from counted entries and are valid only
 * while the day's number of counted entries equals the one they were built from (`log_day_states`):
 * counts only ever grow, so code that counts a late entry need not update them.
 */
import type { Knex } from 'knex';
import type { Combination, CombinedCell } from '../../domain/logs/log-combinations.ts';
import { CELL_SUMS } from '../../domain/logs/log-hours.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';
import { insertRows, upsertRows } from '../sql/inserts.ts';
import { columnNumbers, numberValue, rowReader, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { costSums, filteredLogs } from './log-filter.ts';
import { type HourRange, SUM_READERS, underOwnNames } from './log-hours.ts';

/** Scopes of `log_hours` that are summed per day. */
const DAILY_SCOPES = ['user', 'token', 'model', 'channel'];

export interface DayState {
  /** Counted entries of the day that `log_days` was built from; -1 if not built. */
  readonly dayEntries: number;
  /** Same for `log_combinations`. */
  readonly combinedEntries: number;
}

export const NOT_BUILT: DayState = { dayEntries: -1, combinedEntries: -1 };

/** Counted entries per day, for days that have any, keyed by the day's first second. */
export async function countedPerDay(
  db: Knex,
  { fromSec, toSec }: HourRange,
): Promise<Map<number, number>> {
  const hours = db('log_hours').where({ scope: 'site', subject: '' }).where('hour', '>=', fromSec);
  if (toSec !== undefined) hours.where('hour', '<', toSec);
  const rows: Row[] = await hours
    .select({ day: db.raw(`hour - (hour % ${DAY_SEC})`) })
    .sum({ total: 'lines' })
    .groupBy('day');
  return new Map(rows.map((row) => [numberValue(row.day), numberValue(row.total)]));
}

export async function dayStates(db: Knex): Promise<Map<number, DayState>> {
  const rows: Row[] = await db('log_day_states').select('day', 'day_lines', 'combined_lines');
  return new Map(
    rows.map((row) => [
      numberValue(row.day),
      {
        dayEntries: numberValue(row.day_lines),
        combinedEntries: numberValue(row.combined_lines),
      },
    ]),
  );
}

export interface DaysInRange {
  /** Days with counted entries and valid statistics, ascending; each lies entirely in the range. */
  readonly valid: readonly number[];
  /** The other days with counted entries. */
  readonly stale: readonly number[];
}

/** Considers only days that lie entirely in the range. */
export async function daysIn(
  reads: Knex,
  range: HourRange,
  statistic: keyof DayState,
): Promise<DaysInRange> {
  const fromSec = nextDayStart(range.fromSec);
  const toSec = range.toSec === undefined ? undefined : range.toSec - (range.toSec % DAY_SEC);
  if (toSec !== undefined && toSec <= fromSec) return { valid: [], stale: [] };
  const counted = await countedPerDay(reads, { fromSec, toSec });
  const states = await dayStates(reads);
  const days = [...counted.keys()].sort((a, b) => a - b);
  const isValid = (day: number) => states.get(day)?.[statistic] === counted.get(day);
  return { valid: days.filter(isValid), stale: days.filter((day) => !isValid(day)) };
}

/** The first second of the first day that begins at or after `second`. */
export function nextDayStart(second: number): number {
  return Math.ceil(second / DAY_SEC) * DAY_SEC;
}

const CELLS = rowReader({
  user_id: numberValue,
  token_name: textValue,
  model_name: textValue,
  channel_id: numberValue,
  group: textValue,
  type: numberValue,
  ...SUM_READERS,
});

/** Totals of the entries of a short period, grouped by all columns; only entries up to an id. */
export async function combineEntries(
  reads: Knex,
  range: { readonly sinceSec: number; readonly untilSec: number; readonly upToId: number },
): Promise<CombinedCell[]> {
  const columns = ['user_id', 'token_name', 'model_name', 'channel_id', 'group', 'type'];
  const rows: Row[] = await filteredLogs(reads, range)
    .select(columns)
    .count({ lines: '*' })
    .sum(underOwnNames(['quota', 'prompt_tokens', 'completion_tokens']))
    .select(costSums(reads))
    .groupBy(columns);
  return rows.map(CELLS.read);
}

/** Invalidates the day's statistics; from now on only this owner may write them. */
export async function claimDay(trx: Knex.Transaction, day: number, owner: string): Promise<void> {
  const row = { day, owner, day_lines: -1, combined_lines: -1 };
  await upsertRows(trx, 'log_day_states', [row], { key: ['day'] });
}

/** Whether this owner still holds the day; remains true until the transaction ends. */
export async function ownsDay(trx: Knex.Transaction, day: number, owner: string): Promise<boolean> {
  return (await trx('log_day_states').where({ day, owner }).forUpdate().first()) !== undefined;
}

export async function insertCombinations(
  trx: Knex.Transaction,
  day: number,
  kind: Combination,
  cells: readonly CombinedCell[],
): Promise<void> {
  const rows = cells.map((cell) => ({ kind, day, ...cell }));
  if (rows.length > 0) await insertRows(trx, 'log_combinations', rows);
}

/** Users with cells of this kind on this day: deletion in parts goes by user. */
export async function usersWithCombinations(
  reads: Knex,
  day: number,
  kind: Combination,
): Promise<number[]> {
  return columnNumbers(reads('log_combinations').where({ kind, day }).distinct(), 'user_id');
}

export async function deleteCombinations(
  trx: Knex.Transaction,
  day: number,
  kind: Combination,
  userIds: readonly number[],
): Promise<void> {
  await trx('log_combinations')
    .where({ kind, day })
    .whereIn('user_id', [...userIds])
    .delete();
}

/** Sums the day's hours and records the counted entries. The caller holds `lockLogProgress`. */
export async function writeDay(
  trx: Knex.Transaction,
  day: number,
  { dayEntries, combinedEntries }: DayState,
): Promise<void> {
  await trx('log_days').where({ day }).delete();
  const key = ['scope', 'subject', 'type'];
  const hours = trx('log_hours')
    .whereIn('scope', DAILY_SCOPES)
    .whereBetween('hour', [day, day + DAY_SEC - 1])
    .select(key)
    .select({ day: trx.raw('?', [day]) })
    .sum(underOwnNames(CELL_SUMS))
    .groupBy(key);
  const columns = [...key, 'day', ...CELL_SUMS];
  await trx(trx.raw(`?? (${columns.map(() => '??').join()})`, ['log_days', ...columns])).insert(
    hours,
  );
  await trx('log_day_states')
    .where({ day })
    .update({ day_lines: dayEntries, combined_lines: combinedEntries });
}
