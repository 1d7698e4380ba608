/** Rows of `background_answers`: responses still being generated upstream, not yet charged. */
import type { Knex } from 'knex';
import { numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';

const RESPONSES = rowReader({
  request_id: textValue,
  user_id: numberValue,
  id_hash: textValue,
  /** The upstream's response id. */
  response_id: textValue,
  channel_id: numberValue,
  key_id: numberValue,
  /** JSON. */
  facts: textValue,
  /** Epoch seconds. */
  created_at: numberValue,
});
export type BackgroundResponseRow = RowOf<typeof RESPONSES>;

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

export function findBackgroundResponse(
  db: Knex,
  userId: number,
  idHash: string,
): Promise<BackgroundResponseRow | undefined> {
  return RESPONSES.first(db('background_answers').where({ user_id: userId, id_hash: idHash }));
}

/** In request id order, after `after`. */
export function pageOfBackgroundResponses(
  reads: Knex,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<BackgroundResponseRow[]> {
  const query = reads('background_answers').where('request_id', '>', after);
  return RESPONSES.all(query.orderBy('request_id').limit(limit));
}

/** False if it no longer existed. */
export async function deleteBackgroundResponse(
  trx: Knex.Transaction,
  requestId: string,
): Promise<boolean> {
  const gone: number = await trx('background_answers').where({ request_id: requestId }).delete();
  return gone > 0;
}
