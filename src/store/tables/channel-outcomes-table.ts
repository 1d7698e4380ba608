/** Rows of `channel_outcomes`: the results of the latest calls and tests of each channel. */
import type { Knex } from 'knex';
import { FAILURES_IN_A_ROW } from '../../domain/channels/channel-health.ts';
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import { insertRows } from '../sql/inserts.ts';
import { columnNumbers, numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';
import { booleanValue, type Row } from '../sql/sql-dialect.ts';

/** A short class of the failure; '' if the attempt succeeded. */
export type AttemptErrorClass =
  | ''
  | 'key'
  | 'limit'
  | 'request'
  | 'server'
  | 'timeout'
  | 'network'
  | 'answer'
  | 'slow';

const OUTCOMES = rowReader({
  id: numberValue,
  channel_id: numberValue,
  /** 0 outside a test of all channels. */
  test_run_id: numberValue,
  at_ms: numberValue,
  source: (value: unknown): 'call' | 'test' => (value === 'test' ? 'test' : 'call'),
  ok: booleanValue,
  /** HTTP status of the upstream; 0 if there was no response. */
  status: numberValue,
  latency_ms: numberValue,
  /** 0 if nothing was streamed. */
  first_token_ms: numberValue,
  error_class: (value: unknown) => textValue(value) as AttemptErrorClass, // only this file writes the table
  model: textValue,
  message: textValue,
});
export type StoredOutcome = RowOf<typeof OUTCOMES>;
export type OutcomeRow = Omit<StoredOutcome, 'id'>;

export async function insertOutcomes(db: Knex, rows: readonly OutcomeRow[]): Promise<void> {
  if (rows.length > 0) await insertRows(db, 'channel_outcomes', rows);
}

/** The latest `limit` of each channel, oldest first. */
export async function latestOutcomes(
  reads: Knex,
  channelIds: readonly number[],
  limit: number,
): Promise<StoredOutcome[]> {
  if (channelIds.length === 0) return [];
  const numbered = reads('channel_outcomes')
    .whereIn('channel_id', [...channelIds])
    .select(OUTCOMES.columns)
    .select(
      reads.raw('row_number() over (partition by channel_id order by at_ms desc, id desc) as age'),
    )
    .as('numbered');
  return OUTCOMES.all(
    reads(numbered).where('age', '<=', limit).orderBy(['channel_id', 'at_ms', 'id']),
  );
}

/**
 * A query for the channels that are failing: `failing_id`, and in `since_ms` the first failure after
 * the last success.
 */
export function failingChannels(db: Knex, channelIds?: readonly number[]): Knex.QueryBuilder {
  const successes = db('channel_outcomes')
    .where('ok', true)
    .groupBy('channel_id')
    .select({ good_id: 'channel_id' })
    .max({ good_ms: 'at_ms' })
    .as('successes');
  const failures = db('channel_outcomes')
    .leftJoin(successes, 'good_id', 'channel_id')
    .where('ok', false)
    .whereRaw('(good_ms is null or at_ms > good_ms)')
    .groupBy('channel_id')
    .havingRaw("(count(*) >= ? or max(case when source = 'test' then 1 else 0 end) = 1)", [
      FAILURES_IN_A_ROW,
    ])
    .select({ failing_id: 'channel_id' })
    .min({ since_ms: 'at_ms' });
  return channelIds === undefined ? failures : failures.whereIn('channel_id', [...channelIds]);
}

/** The first failure of each failing channel among these, by channel id, in milliseconds. */
export async function failingSince(
  reads: Knex,
  channelIds: readonly number[],
): Promise<Map<number, number>> {
  if (channelIds.length === 0) return new Map();
  const rows: Row[] = await failingChannels(reads, channelIds);
  return new Map(rows.map((row) => [numberValue(row.failing_id), numberValue(row.since_ms)]));
}

/** Enabled channels that have been failing since before `sinceMs`, those failing for longest first. */
export function enabledFailingIds(reads: Knex, sinceMs: number): Promise<number[]> {
  const failing = reads('channels')
    .join(failingChannels(reads).as('failing'), 'failing_id', 'channels.id')
    .where('channels.status', CHANNEL_STATUS.enabled)
    .where('since_ms', '<=', sinceMs)
    .orderBy(['since_ms', 'channels.id']);
  return columnNumbers(failing, 'channels.id');
}

/** All results of one test of all channels, in insertion order. */
export function outcomesOfRun(reads: Knex, runId: number): Promise<StoredOutcome[]> {
  return OUTCOMES.all(reads('channel_outcomes').where({ test_run_id: runId }).orderBy('id'));
}

/**
 * Deletes all but the latest `keep` of a channel, in two statements: not every database allows
 * reading the table being deleted from. Results of the latest test of all channels are kept.
 */
export async function pruneOutcomes(db: Knex, channelId: number, keep: number): Promise<void> {
  const oldest: Row | undefined = await db('channel_outcomes')
    .where({ channel_id: channelId })
    .orderBy('id', 'desc')
    .offset(keep)
    .limit(1)
    .first('id');
  if (oldest === undefined) return;
  await db('channel_outcomes')
    .where({ channel_id: channelId })
    .where('id', '<=', numberValue(oldest.id))
    .whereNotIn('test_run_id', db('channel_test_runs').select(db.raw('coalesce(max(id), -1)')))
    .delete();
}
