/** Rows of `channel_keys`: the encrypted upstream keys of a channel, each with its own status. */
import type { Knex } from 'knex';
import { insertRows } from '../sql/inserts.ts';
import {
  columnNumbers,
  numberValue,
  type RowOf,
  rowCount,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';
import { chunksOf } from '../sql/sql-dialect.ts';

const KEYS = rowReader({
  id: numberValue,
  channel_id: numberValue,
  position: numberValue,
  key_cipher: textValue,
  key_hint: textValue,
  status: numberValue,
  reason: textValue,
  disabled_at: numberValue,
  /** Epoch seconds; 0 or in the past: not in cooldown. */
  resting_until: numberValue,
  /** The model the cooldown applies to; '' for all. */
  rest_model: textValue,
  rest_reason: textValue,
});
export type ChannelKeyRow = RowOf<typeof KEYS>;

/** Keys per channel, in order. */
export async function channelKeysOf(
  db: Knex,
  channelIds: readonly number[],
): Promise<Map<number, ChannelKeyRow[]>> {
  const keys = new Map<number, ChannelKeyRow[]>();
  if (channelIds.length === 0) return keys;
  const query = db('channel_keys').whereIn('channel_id', [...channelIds]);
  for (const key of await KEYS.all(query.orderBy(['channel_id', 'position', 'id']))) {
    const list = keys.get(key.channel_id);
    if (list === undefined) keys.set(key.channel_id, [key]);
    else list.push(key);
  }
  return keys;
}

export interface NewChannelKey {
  readonly key_cipher: string;
  readonly key_hint: string;
}

const BATCH_ROWS = 1_000;

/**
 * Replaces the keys of the channel, in this order: existing rows are kept, new keys start enabled,
 * and rows not in the list are deleted.
 */
export async function replaceChannelKeys(
  trx: Knex.Transaction,
  channelId: number,
  keys: readonly (ChannelKeyRow | NewChannelKey)[],
): Promise<void> {
  const kept = new Set(keys.flatMap((key) => ('id' in key ? [key.id] : [])));
  const stored = await columnNumbers(trx('channel_keys').where({ channel_id: channelId }));
  const gone = stored.filter((id) => !kept.has(id));
  for (const part of chunksOf(gone, BATCH_ROWS))
    await trx('channel_keys').whereIn('id', part).delete();
  const added: object[] = [];
  for (const [position, key] of keys.entries())
    if (!('id' in key)) added.push({ ...key, channel_id: channelId, position });
    else if (key.position !== position)
      await trx('channel_keys').where({ id: key.id }).update({ position });
  if (added.length > 0) await insertRows(trx, 'channel_keys', added);
}

/** Re-enables all keys of the channels. */
export async function enableAllKeys(
  trx: Knex.Transaction,
  channelIds: readonly number[],
): Promise<void> {
  for (const part of chunksOf(channelIds, BATCH_ROWS))
    await trx('channel_keys')
      .whereIn('channel_id', part)
      .whereNot({ status: 1 })
      .update({ status: 1, reason: '', disabled_at: 0 });
}

/** Sets the status of these keys of a channel, by decision of a person. */
export async function setKeyStatus(
  trx: Knex.Transaction,
  {
    channelId,
    keyIds,
    status,
  }: { readonly channelId: number; readonly keyIds: readonly number[]; readonly status: number },
  atSec: number,
): Promise<void> {
  const disabled_at = status === 1 ? 0 : atSec;
  for (const part of chunksOf(keyIds, BATCH_ROWS))
    await trx('channel_keys')
      .where({ channel_id: channelId })
      .whereIn('id', part)
      .whereNot({ status })
      .update({ status, reason: '', disabled_at });
}

/** Enables one auto-disabled key; false if it was not. */
export async function enableKeyRow(
  trx: Knex.Transaction,
  key: { readonly channelId: number; readonly keyId: number },
): Promise<boolean> {
  const changed = await trx('channel_keys')
    .where({ id: key.keyId, channel_id: key.channelId, status: 3 })
    .update({ status: 1, reason: '', disabled_at: 0 });
  return changed === 1;
}

/** Disables one enabled key; false if it was not. */
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

/** Records a cooldown; false if the key is gone or already has a longer one. */
export async function setKeyCooldown(
  trx: Knex.Transaction,
  key: { readonly channelId: number; readonly keyId: number },
  rest: { readonly untilSec: number; readonly model: string; readonly reason: string },
): Promise<boolean> {
  const changed = await trx('channel_keys')
    .where({ id: key.keyId, channel_id: key.channelId })
    .where('resting_until', '<', rest.untilSec)
    .update({ resting_until: rest.untilSec, rest_model: rest.model, rest_reason: rest.reason });
  return changed === 1;
}

/** Ends the cooldowns of a channel's keys (all without `keyIds`); returns the affected ids. */
export async function clearKeyCooldowns(
  trx: Knex.Transaction,
  which: {
    readonly channelId: number;
    readonly keyIds: readonly number[] | undefined;
    readonly nowSec: number;
  },
): Promise<number[]> {
  const inCooldown = trx('channel_keys')
    .where({ channel_id: which.channelId })
    .where('resting_until', '>', which.nowSec);
  if (which.keyIds !== undefined) inCooldown.whereIn('id', [...which.keyIds]);
  const ids = await columnNumbers(inCooldown);
  for (const part of chunksOf(ids, BATCH_ROWS))
    await trx('channel_keys')
      .whereIn('id', part)
      .update({ resting_until: 0, rest_model: '', rest_reason: '' });
  return ids;
}

const COOLDOWNS = rowReader({ id: numberValue, rest_model: textValue, resting_until: numberValue });

/** Cooldowns of these keys, including expired ones; with `all`, only active ones. */
export function keyCooldowns(
  db: Knex,
  ids: readonly number[] | 'all',
  nowSec: number,
): Promise<RowOf<typeof COOLDOWNS>[]> {
  const keys = db('channel_keys');
  return COOLDOWNS.all(
    ids === 'all' ? keys.where('resting_until', '>', nowSec) : keys.whereIn('id', [...ids]),
  );
}

export function countEnabledKeys(db: Knex, channelId: number): Promise<number> {
  return rowCount(db('channel_keys').where({ channel_id: channelId, status: 1 }));
}

/** Keys with the same hint: the few that a full key must be compared with. */
export function keysWithHint(db: Knex, hint: string): Promise<ChannelKeyRow[]> {
  return KEYS.all(db('channel_keys').where({ key_hint: hint }));
}
