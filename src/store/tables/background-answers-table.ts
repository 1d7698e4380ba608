/** Rows of `background_answers`: responses still being generated upstream, not yet charged. */
import type { Knex } from 'knex';
import { numberValue, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

export interface BackgroundResponseRow {
  readonly request_id: string;
  readonly user_id: number;
  readonly id_hash: string;
  /** The upstream's response id. */
  readonly response_id: string;
  readonly channel_id: number;
  readonly key_id: number;
  /** JSON. */
  readonly facts: string;
  /** Epoch seconds. */
  readonly created_at: number;
}

/** Replaces the node of a hold that outlives its process: only its expiry ends it. */
export const BACKGROUND_NODE = 'background';

/** Stores the response, and keeps the call's hold when this process is gone. */
export async function insertBackgroundResponse(
  trx: Knex.Transaction,
  row: BackgroundResponseRow,
): Promise<void> {
  await trx('background_answers').insert(row);
  await trx('holds').where({ request_id: row.request_id }).update({ node: BACKGROUND_NODE });
}

export async function findBackgroundResponse(
  db: Knex,
  userId: number,
  idHash: string,
): Promise<BackgroundResponseRow | undefined> {
  const row: Row | undefined = await db('background_answers')
    .where({ user_id: userId, id_hash: idHash })
    .first();
  return row && readRow(row);
}

/** In request id order, after `after`. */
export async function pageOfBackgroundResponses(
  reads: Knex,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<BackgroundResponseRow[]> {
  const rows: Row[] = await reads('background_answers')
    .where('request_id', '>', after)
    .orderBy('request_id')
    .limit(limit);
  return rows.map(readRow);
}

/** False if it no longer existed. */
export async function deleteBackgroundResponse(
  trx: Knex.Transaction,
  requestId: string,
): Promise<boolean> {
  const gone: number = await trx('background_answers').where({ request_id: requestId }).delete();
  return gone > 0;
}

function readRow(row: Row): BackgroundResponseRow {
  return {
    request_id: textValue(row.request_id),
    user_id: numberValue(row.user_id),
    id_hash: textValue(row.id_hash),
    response_id: textValue(row.response_id),
    channel_id: numberValue(row.channel_id),
    key_id: numberValue(row.key_id),
    facts: textValue(row.facts),
    created_at: numberValue(row.created_at),
  };
}
