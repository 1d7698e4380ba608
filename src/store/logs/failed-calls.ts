/** Rows of `failed_calls`: calls that ended without an answer, kept for some days. */
import type { Knex } from 'knex';
import { insertRows } from '../sql/inserts.ts';
import { numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';
import { booleanValue } from '../sql/sql-dialect.ts';

const FAILED_CALLS = rowReader({
  request_id: textValue,
  /** Epoch seconds. */
  created_at: numberValue,
  /** 0 without a valid key. */
  user_id: numberValue,
  token_id: numberValue,
  token_name: textValue,
  group: textValue,
  model: textValue,
  endpoint: textValue,
  is_stream: booleanValue,
  duration_ms: numberValue,
  /** HTTP status sent to the client; 0 if it had disconnected. */
  status: numberValue,
  /** Where the error originated. */
  source: (value: unknown): 'gateway' | 'upstream' | 'client' =>
    value === 'upstream' || value === 'client' ? value : 'gateway',
  /** For the gateway a row of `domain/errors/errors.ts`, otherwise the upstream's own code. */
  code: textValue,
  /** JSON: parameters of the gateway's error. */
  params: textValue,
  /** JSON: the attempted channels, in order. */
  attempts: textValue,
});
export type FailedCallRow = RowOf<typeof FAILED_CALLS>;

export async function insertFailedCalls(db: Knex, rows: readonly FailedCallRow[]): Promise<void> {
  if (rows.length > 0) await insertRows(db, 'failed_calls', rows);
}

export function failedCallOfRequest(
  reads: Knex,
  requestId: string,
): Promise<FailedCallRow | undefined> {
  const calls = reads('failed_calls').where({ request_id: requestId });
  return FAILED_CALLS.first(calls.orderBy('id'));
}

/** Deletes the calls before `beforeSec`. Returns their number. */
export async function pruneFailedCalls(db: Knex, beforeSec: number): Promise<number> {
  return db('failed_calls').where('created_at', '<', beforeSec).delete();
}
