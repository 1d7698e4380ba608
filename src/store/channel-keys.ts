/** Rows of `channel_keys`: the upstream keys of a channel, sealed, each with a status of its own. */
import type { Knex } from 'knex';
import { insertRows, type Row } from './dialect.ts';
import { numberOf, textOf } from './read.ts';

export interface KeyRow {
  readonly id: number;
  readonly channel_id: number;
  readonly position: number;
  readonly key_cipher: string;
  readonly key_hint: string;
  readonly status: number;
  readonly reason: string;
  readonly disabled_at: number;
}

const KEY_COLUMNS = [
  'id',
  'channel_id',
  'position',
  'key_cipher',
  'key_hint',
  'status',
  'reason',
  'disabled_at',
];

function readKey(row: Row): KeyRow {
  return {
    id: numberOf(row.id),
    channel_id: numberOf(row.channel_id),
    position: numberOf(row.position),
    key_cipher: textOf(row.key_cipher),
    key_hint: textOf(row.key_hint),
    status: numberOf(row.status),
    reason: textOf(row.reason),
    disabled_at: numberOf(row.disabled_at),
  };
}

/** Keys per channel, in their order. */
export async function keysOf(
  db: Knex,
  channelIds: readonly number[],
): Promise<Map<number, KeyRow[]>> {
  const keys = new Map<number, KeyRow[]>();
  if (channelIds.length === 0) return keys;
  const rows: Row[] = await db('channel_keys')
    .whereIn('channel_id', [...channelIds])
    .orderBy(['channel_id', 'position', 'id'])
    .select(KEY_COLUMNS);
  for (const key of rows.map(readKey)) {
    const list = keys.get(key.channel_id);
    if (list === undefined) keys.set(key.channel_id, [key]);
    else list.push(key);
  }
  return keys;
}

export interface NewKey {
  readonly key_cipher: string;
  readonly key_hint: string;
}

/** Replaces all keys of the channel; the new ones start enabled. */
export async function replaceKeys(
  trx: Knex.Transaction,
  channelId: number,
  keys: readonly NewKey[],
): Promise<void> {
  await trx('channel_keys').where({ channel_id: channelId }).delete();
  const rows = keys.map((key, position) => ({ ...key, channel_id: channelId, position }));
  if (rows.length > 0) await insertRows(trx, 'channel_keys', rows);
}

/** Enables all keys of the channel again. */
export async function enableKeys(trx: Knex.Transaction, channelId: number): Promise<void> {
  await trx('channel_keys')
    .where({ channel_id: channelId })
    .whereNot({ status: 1 })
    .update({ status: 1, reason: '', disabled_at: 0 });
}

/** Disables one key that is enabled; false when it was not. */
export async function disableKeyRow(
  trx: Knex.Transaction,
  key: { readonly channelId: number; readonly keyId: number },
  why: { readonly reason: string; readonly atSec: number },
): Promise<boolean> {
  const changed = await trx('channel_keys')
    .where({ id: key.keyId, channel_id: key.channelId, status: 1 })
    .update({ status: 3, reason: why.reason, disabled_at: why.atSec });
  return changed === 1;
}

export async function countEnabledKeys(db: Knex, channelId: number): Promise<number> {
  const row: Row | undefined = await db('channel_keys')
    .where({ channel_id: channelId, status: 1 })
    .count({ total: '*' })
    .first();
  return numberOf(row?.total);
}

/** Keys whose hint is the same: the few that a whole key must be compared with. */
export async function keysLike(db: Knex, hint: string): Promise<KeyRow[]> {
  const rows: Row[] = await db('channel_keys').where({ key_hint: hint }).select(KEY_COLUMNS);
  return rows.map(readKey);
}
