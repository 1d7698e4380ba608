/** Operations on many channels: selected by ids, by tag or by status, locked in id order. */
import type { Knex } from 'knex';
import { columnNumbers, numberValue, type RowWindow, textValue } from '../sql/read-rows.ts';
import { chunksOf, type Row } from '../sql/sql-dialect.ts';
import {
  CHANNEL_ORDERS,
  CHANNELS,
  type ChannelFields,
  type ChannelFilter,
  type ChannelOrder,
  type ChannelRow,
  filteredChannels,
  storedFields,
} from './channels-table.ts';

/** Bound values per statement. */
const BATCH_ROWS = 1_000;

/** The existing channels among `ids`, locked until this transaction ends. */
export function lockChannels(trx: Knex.Transaction, ids: readonly number[]): Promise<ChannelRow[]> {
  return lock(trx('channels').whereIn('id', [...new Set(ids)]));
}

export function channelIdsOfTag(reads: Knex, tag: string): Promise<number[]> {
  return columnNumbers(reads('channels').where({ tag }).orderBy('id'));
}

export function lockChannelsOfTag(trx: Knex.Transaction, tag: string): Promise<ChannelRow[]> {
  return lock(trx('channels').where({ tag }));
}

/** Channels disabled manually or automatically, locked. */
export function lockDisabledChannels(trx: Knex.Transaction): Promise<ChannelRow[]> {
  return lock(trx('channels').whereIn('status', [2, 3]));
}

/** Channels of exactly this name, locked. */
export function lockChannelsNamed(trx: Knex.Transaction, name: string): Promise<ChannelRow[]> {
  return lock(trx('channels').where({ name }));
}

function lock(query: Knex.QueryBuilder): Promise<ChannelRow[]> {
  return CHANNELS.all(query.orderBy('id').forUpdate());
}

export async function updateChannels(
  trx: Knex.Transaction,
  ids: readonly number[],
  fields: Partial<ChannelFields> & { readonly other_info?: string },
): Promise<void> {
  if (Object.keys(fields).length === 0) return;
  for (const part of chunksOf(ids, BATCH_ROWS))
    await trx('channels').whereIn('id', part).update(storedFields(fields));
}

/** Deletes the channels and all dependent rows. Returns their number. */
export async function deleteChannels(
  trx: Knex.Transaction,
  ids: readonly number[],
): Promise<number> {
  let gone = 0;
  for (const part of chunksOf(ids, BATCH_ROWS)) {
    for (const table of ['abilities', 'channel_keys', 'channel_outcomes'])
      await trx(table).whereIn('channel_id', part).delete();
    gone += await trx('channels').whereIn('id', part).delete();
  }
  return gone;
}

/** Tags of the channels that match the filter, in the order of their first channel. */
export async function pageOfTags(
  reads: Knex,
  filter: ChannelFilter,
  window: RowWindow,
  order: Exclude<ChannelOrder, 'failing_since'>,
): Promise<{ readonly tags: string[]; readonly total: number }> {
  const query = filteredChannels(reads, filter).whereNotNull('tag').whereNot('tag', '');
  const counted: Row | undefined = await query.clone().countDistinct({ total: 'tag' }).first();
  const rows: Row[] = await query
    .clone()
    .groupBy('tag')
    .select('tag')
    .max({ top: order === 'id' ? 'id' : 'priority' })
    .orderBy([{ column: 'top', order: 'desc' }, { column: 'tag' }])
    .limit(window.limit)
    .offset(window.offset);
  return { tags: rows.map((row) => textValue(row.tag)), total: numberValue(counted?.total) };
}

/** All channels of these tags, tag by tag in the given order. */
export async function channelsOfTags(
  reads: Knex,
  tags: readonly string[],
  order: Exclude<ChannelOrder, 'failing_since'>,
): Promise<ChannelRow[]> {
  if (tags.length === 0) return [];
  const query = reads('channels').whereIn('tag', [...tags]);
  const channels = await CHANNELS.all(query.orderBy([...CHANNEL_ORDERS[order]]));
  return tags.flatMap((tag) => channels.filter((channel) => channel.tag === tag));
}
