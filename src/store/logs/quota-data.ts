/** Usage per model and hour, of one user (`quota_data`) or all; kept longer than the log, old days as one row. */
import type { Knex } from 'knex';
import type { HourlyUsage } from '../../domain/logs/log-hours.ts';
import { upsertRows } from '../sql/inserts.ts';
import { numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { sumExpressions } from './log-filter.ts';
import { selectHours } from './log-hours.ts';

const USAGE = rowReader({
  /** 0 for summed rows, and for rows not stored yet. */
  id: numberValue,
  user_id: numberValue,
  username: textValue,
  model_name: textValue,
  created_at: numberValue,
  token_used: numberValue,
  count: numberValue,
  quota: numberValue,
});
export type StoredUsage = RowOf<typeof USAGE>;

export async function addHourlyUsage(
  trx: Knex.Transaction,
  rows: readonly HourlyUsage[],
): Promise<void> {
  if (rows.length === 0) return;
  await upsertRows(trx, 'quota_data', rows, {
    key: ['user_id', 'model_name', 'created_at'],
    add: ['token_used', 'count', 'quota'],
  });
}

/** Epoch seconds, both ends included. */
export interface UsageRange {
  readonly sinceSec: number;
  readonly untilSec: number;
}

const SUMMED = { token_used: 'token_used', count: 'count', quota: 'quota' };

function inRange(db: Knex, { sinceSec, untilSec }: UsageRange): Knex.QueryBuilder {
  return db('quota_data').whereBetween('created_at', [sinceSec, untilSec]);
}

export function usageOfUser(
  reads: Knex,
  userId: number,
  range: UsageRange,
): Promise<StoredUsage[]> {
  return USAGE.all(usageOfUsers(reads, [userId], range));
}

/** The rows of these users. */
export function usageOfUsers(
  db: Knex,
  userIds: readonly number[],
  range: UsageRange,
): Knex.QueryBuilder {
  return inRange(db, range).whereIn('user_id', [...userIds]);
}

/** Usage of all users together, per model and hour, summed from the rows per user. */
export async function usageOfAll(reads: Knex, range: UsageRange): Promise<StoredUsage[]> {
  const rows: Row[] = await inRange(reads, range)
    .select('model_name', 'created_at')
    .sum(SUMMED)
    .groupBy('model_name', 'created_at');
  return rows.map(USAGE.read);
}

/** The same from the statistics per model, without summing over users. */
export async function usageOfSite(
  reads: Knex,
  { sinceSec, untilSec }: UsageRange,
): Promise<StoredUsage[]> {
  const range = { fromSec: sinceSec, toSec: untilSec + 1 };
  const hours = selectHours(reads, { ...range, scope: 'model', type: 'spend' });
  const { total, quota } = sumExpressions(reads, 'spend', 'lines');
  const rows: Row[] = await hours
    .select({ model_name: 'subject', created_at: 'hour', count: total, quota })
    .sum({ prompt: 'prompt_tokens', completion: 'completion_tokens' })
    .groupBy('subject', 'hour');
  return rows.map((row) => ({
    ...USAGE.read(row),
    token_used: numberValue(row.prompt) + numberValue(row.completion),
  }));
}
