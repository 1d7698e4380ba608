/** Rows of `background_answers`: responses still being generated upstream, not yet charged. */
import type { Knex } from 'knex';
import { numberOf, textOf } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

export interface BackgroundRow {
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
export const NO_NODE = 'background';

/** Stores the response, and keeps the call's hold when this process is gone. */
export async function putBackground(trx: Knex.Transaction, row: BackgroundRow): Promise<void> {
  await trx('background_answers').insert(row);
  await trx('holds').where({ request_id: row.request_id }).update({ node: NO_NODE });
}

export async function findBackground(
  db: Knex,
  userId: number,
  idHash: string,
): Promise<BackgroundRow | undefined> {
  const row: Row | undefined = await db('background_answers')
    .where({ user_id: userId, id_hash: idHash })
    .first();
  return row && readRow(row);
}

/** In request id order, after `after`. */
export async function openBackground(
  reads: Knex,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<BackgroundRow[]> {
  const rows: Row[] = await reads('background_answers')
    .where('request_id', '>', after)
    .orderBy('request_id')
    .limit(limit);
  return rows.map(readRow);
}

/** False if it no longer existed. */
export async function dropBackground(trx: Knex.Transaction, requestId: string): Promise<boolean> {
  const gone: number = await trx('background_answers').where({ request_id: requestId }).delete();
  return gone > 0;
}

function readRow(row: Row): BackgroundRow {
  return {
    request_id: textOf(row.request_id),
    user_id: numberOf(row.user_id),
    id_hash: textOf(row.id_hash),
    response_id: textOf(row.response_id),
    channel_id: numberOf(row.channel_id),
    key_id: numberOf(row.key_id),
    facts: textOf(row.facts),
    created_at: numberOf(row.created_at),
  };
}
