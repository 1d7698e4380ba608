/** Rows of `stored_responses`: which upstream stores a response, until it expires there. */
import type { Knex } from 'knex';
import { upsertRows } from '../sql/inserts.ts';

export interface StoredResponseRow {
  readonly user_id: number;
  readonly id_hash: string;
  readonly channel_id: number;
  readonly key_id: number;
  /** The model the client requested. */
  readonly model: string;
  /** Epoch seconds. */
  readonly expires_at: number;
}

const KEY = ['user_id', 'id_hash'];

export async function saveStoredResponses(
  db: Knex,
  rows: readonly StoredResponseRow[],
): Promise<void> {
  await upsertRows(db, 'stored_responses', rows, { key: KEY });
}

/** The user's stored responses that have not expired at `nowSec`. */
export async function findStoredResponses(
  db: Knex,
  userId: number,
  idHashes: readonly string[],
  nowSec: number,
): Promise<readonly StoredResponseRow[]> {
  const rows = await db('stored_responses')
    .where({ user_id: userId })
    .whereIn('id_hash', idHashes)
    .where('expires_at', '>', nowSec)
    .select('user_id', 'id_hash', 'channel_id', 'key_id', 'model', 'expires_at');
  return rows.map((row) => ({
    user_id: Number(row.user_id),
    id_hash: String(row.id_hash),
    channel_id: Number(row.channel_id),
    key_id: Number(row.key_id),
    model: String(row.model),
    expires_at: Number(row.expires_at),
  }));
}

export async function deleteStoredResponse(
  db: Knex,
  userId: number,
  idHash: string,
): Promise<void> {
  await db('stored_responses').where({ user_id: userId, id_hash: idHash }).delete();
}

/** Deletes those that had expired by `nowSec`. Returns their number. */
export async function pruneStoredResponses(db: Knex, nowSec: number): Promise<number> {
  return db('stored_responses').where('expires_at', '<=', nowSec).delete();
}
