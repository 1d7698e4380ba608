/** Rows of `failed_calls`: calls that ended without an answer, kept for some days. */
import type { Knex } from 'knex';
import { insertRows } from '../sql/inserts.ts';
import { numberValue, textValue } from '../sql/read-rows.ts';
import { booleanValue, type Row } from '../sql/sql-dialect.ts';

export interface FailedCallRow {
  readonly request_id: string;
  /** Epoch seconds. */
  readonly created_at: number;
  /** 0 without a valid key. */
  readonly user_id: number;
  readonly token_id: number;
  readonly token_name: string;
  readonly group: string;
  readonly model: string;
  readonly endpoint: string;
  readonly is_stream: boolean;
  readonly duration_ms: number;
  /** HTTP status sent to the client; 0 if it had disconnected. */
  readonly status: number;
  /** Where the error originated. */
  readonly source: 'gateway' | 'upstream' | 'client';
  /** For the gateway a row of `domain/errors/errors.ts`, otherwise the upstream's own code. */
  readonly code: string;
  /** JSON: parameters of the gateway's error. */
  readonly params: string;
  /** JSON: the attempted channels, in order. */
  readonly attempts: string;
}

export async function insertFailedCalls(db: Knex, rows: readonly FailedCallRow[]): Promise<void> {
  if (rows.length > 0) await insertRows(db, 'failed_calls', rows);
}

export async function failedCallOfRequest(
  reads: Knex,
  requestId: string,
): Promise<FailedCallRow | undefined> {
  const row: Row | undefined = await reads('failed_calls')
    .where({ request_id: requestId })
    .orderBy('id')
    .first<Row | undefined>('*');
  return row && readFailedCall(row);
}

/** Deletes the calls before `beforeSec`. Returns their number. */
export async function pruneFailedCalls(db: Knex, beforeSec: number): Promise<number> {
  return db('failed_calls').where('created_at', '<', beforeSec).delete();
}

function readFailedCall(row: Row): FailedCallRow {
  const source = textValue(row.source);
  return {
    request_id: textValue(row.request_id),
    created_at: numberValue(row.created_at),
    user_id: numberValue(row.user_id),
    token_id: numberValue(row.token_id),
    token_name: textValue(row.token_name),
    group: textValue(row.group),
    model: textValue(row.model),
    endpoint: textValue(row.endpoint),
    is_stream: booleanValue(row.is_stream),
    duration_ms: numberValue(row.duration_ms),
    status: numberValue(row.status),
    source: source === 'upstream' || source === 'client' ? source : 'gateway',
    code: textValue(row.code),
    params: textValue(row.params),
    attempts: textValue(row.attempts),
  };
}
