/**
 * Merges the rows of one day (UTC) in `log_hours` and `quota_data` to one per subject, at noon: in
 * every zone from -12:00 to +11:59 the day keeps its date there. Sums of whole days, histograms
 * included, stay what they were. Callers hold the lock of `lockLogProgress`.
 */
import type { Knex } from 'knex';
import {
  addHour,
  cellKey,
  HOUR_SEC,
  type LogHour,
  type LogScope,
} from '../../domain/logs/log-hours.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';
import { columnNumbers, columnTexts, numberValue, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { addHours, readHours, selectHours } from './log-hours.ts';
import { addHourlyUsage, usageOfUsers } from './quota-data.ts';

const NOON_SEC = 12 * HOUR_SEC;

/**
 * Days before `beforeSec` (a first second of a day) with rows of single hours, oldest first. The
 * rows of the site decide, as they are few and merged last.
 */
export async function daysWithHours(reads: Knex, beforeSec: number): Promise<number[]> {
  const rows: Row[] = await onlySingleHours(reads('log_hours'), 'hour')
    .where({ scope: 'site', subject: '' })
    .where('hour', '<', beforeSec)
    .select({ day: reads.raw(`hour - (hour % ${DAY_SEC})`) })
    .groupBy('day')
    .orderBy('day');
  return rows.map((row) => numberValue(row.day));
}

function onlySingleHours(query: Knex.QueryBuilder, column: string): Knex.QueryBuilder {
  return query.whereRaw(`?? % ${DAY_SEC} <> ${NOON_SEC}`, [column]);
}

/** The subjects of a scope that have rows of single hours on this day. */
export async function subjectsWithHours(
  reads: Knex,
  scope: LogScope,
  day: number,
): Promise<string[]> {
  const hours = selectHours(reads, { scope, fromSec: day, toSec: day + DAY_SEC });
  return columnTexts(onlySingleHours(hours, 'hour').distinct(), 'subject');
}

export async function mergeHoursOfDay(
  trx: Knex.Transaction,
  scope: LogScope,
  subjects: readonly string[],
  day: number,
): Promise<void> {
  const ofDay = {
    scope,
    fromSec: day,
    toSec: day + DAY_SEC,
    subjects: (query: Knex.QueryBuilder) => void query.whereIn('subject', [...subjects]),
  };
  const merged = new Map<string, LogHour>();
  for (const cell of await readHours(trx, ofDay)) {
    const atNoon = { ...cell, hour: day + NOON_SEC };
    const sum = merged.get(cellKey(atNoon));
    if (sum === undefined) merged.set(cellKey(atNoon), atNoon);
    else addHour(sum, cell);
  }
  await selectHours(trx, ofDay).delete();
  await addHours(trx, [...merged.values()]);
}

/** The users who have rows of single hours in `quota_data` on this day. */
export async function usersWithHours(reads: Knex, day: number): Promise<number[]> {
  const ofDay = reads('quota_data').whereBetween('created_at', [day, day + DAY_SEC - 1]);
  return columnNumbers(onlySingleHours(ofDay, 'created_at').distinct(), 'user_id');
}

export async function mergeUsageOfDay(
  trx: Knex.Transaction,
  userIds: readonly number[],
  day: number,
): Promise<void> {
  const ofDay = usageOfUsers(trx, userIds, { sinceSec: day, untilSec: day + DAY_SEC - 1 });
  const rows: Row[] = await ofDay
    .clone()
    .select('user_id', 'model_name')
    .max({ username: 'username' })
    .sum({ token_used: 'token_used', count: 'count', quota: 'quota' })
    .groupBy('user_id', 'model_name');
  await ofDay.delete();
  await addHourlyUsage(
    trx,
    rows.map((row) => ({
      user_id: numberValue(row.user_id),
      username: textValue(row.username),
      model_name: textValue(row.model_name),
      created_at: day + NOON_SEC,
      token_used: numberValue(row.token_used),
      count: numberValue(row.count),
      quota: numberValue(row.quota),
    })),
  );
}
