/** Rows of `stored_responses`: which upstream stores a response, until it expires there. */
import type { Knex } from 'knex';
import { upsertRows } from '../sql/inserts.ts';
import { numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';

const RESPONSES = rowReader({
  user_id: numberValue,
  id_hash: textValue,
  channel_id: numberValue,
  key_id: numberValue,
  /** The model the client requested. */
  model: textValue,
  /** Epoch seconds. */
  expires_at: numberValue,
});
export type StoredResponseRow = RowOf<typeof RESPONSES>;

const KEY = ['user_id', 'id_hash'];

export async function saveStoredResponses(
  db: Knex,
  rows: readonly StoredResponseRow[],
): Promise<void> {
  await upsertRows(db, 'stored_responses', rows, { key: KEY });
}

/** The user's stored responses that have not expired at `nowSec`. */
export function findStoredResponses(
  db: Knex,
  userId: number,
  idHashes: readonly string[],
  nowSec: number,
): Promise<readonly StoredResponseRow[]> {
  const query = db('stored_responses').where({ user_id: userId }).whereIn('id_hash', idHashes);
  return RESPONSES.all(query.where('expires_at', '>', nowSec));
}

export async function deleteStoredResponse(
  db: Knex,
  userId: number,
  idHash: string,
): Promise<void> {
  await db('stored_responses').where({ user_id: userId, id_hash: idHash }).delete();
}
