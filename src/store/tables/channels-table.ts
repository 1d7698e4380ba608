/** Rows of `channels`. */
import type { Knex } from 'knex';
import type { ChannelHealth } from '../../domain/channels/channel-health.ts';
import { CHANNEL } from '../../domain/nouns/channel.ts';
import type { StoredFields } from '../../domain/nouns/columns.ts';
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import { orId, whereContains, whereGiven } from '../sql/filters.ts';
import { insertId } from '../sql/inserts.ts';
import {
  columnNumbers,
  columnReaders,
  NEWEST_FIRST,
  numberValue,
  type PageOfRows,
  type RowOf,
  type RowOrder,
  type RowWindow,
  rowReader,
  rowsById,
  textValue,
} from '../sql/read-rows.ts';
import { nullableBooleanValue } from '../sql/sql-dialect.ts';
import { failingChannels } from './channel-outcomes-table.ts';

export const CHANNELS = rowReader({
  id: numberValue,
  ...columnReaders(CHANNEL),
  status: numberValue,
  other_info: textValue,
  created_time: numberValue,
  test_time: numberValue,
  response_time: numberValue,
  /** Of the latest test; null before the first one. */
  test_ok: nullableBooleanValue,
  balance: numberValue,
  balance_currency: textValue,
  balance_updated_time: numberValue,
});
export type ChannelRow = RowOf<typeof CHANNELS>;

/** The columns that an edit writes. */
export type ChannelFields = StoredFields<typeof CHANNEL> & Pick<ChannelRow, 'status'>;

export function channelById(db: Knex, id: number): Promise<ChannelRow | undefined> {
  return CHANNELS.first(db('channels').where({ id }));
}

/** Same as `channelById`, but locks the row until this transaction ends. */
export function lockChannel(trx: Knex.Transaction, id: number): Promise<ChannelRow | undefined> {
  return CHANNELS.first(trx('channels').where({ id }).forUpdate());
}

export interface ChannelFilter {
  /** Part of the name or base URL, or the id. */
  readonly keyword?: string | undefined;
  /** Channels with a key that matches the keyword. */
  readonly orIds?: readonly number[] | undefined;
  /** A member of the channel's groups. */
  readonly group?: string | undefined;
  /** Part of the model list. */
  readonly model?: string | undefined;
  readonly type?: number | undefined;
  readonly status?: number | undefined;
  readonly tag?: string | undefined;
  /** Only channels without a tag. */
  readonly untagged?: boolean | undefined;
  readonly health?: ChannelHealth | undefined;
}

/** `failing_since`: failing channels first, the oldest failure before the others. */
export type ChannelOrder = 'id' | 'priority' | 'failing_since';

const BY_PRIORITY: RowOrder = [{ column: 'priority', order: 'desc' }, ...NEWEST_FIRST];
export const CHANNEL_ORDERS: Readonly<Record<ChannelOrder, RowOrder>> = {
  id: NEWEST_FIRST,
  priority: BY_PRIORITY,
  failing_since: [{ column: 'failing_since_ms', order: 'asc' }, ...BY_PRIORITY],
};

export function pageOfChannels(
  reads: Knex,
  filter: ChannelFilter,
  window: RowWindow,
  order: ChannelOrder,
): Promise<PageOfRows<ChannelRow>> {
  return CHANNELS.page(filteredChannels(reads, filter, order), window, CHANNEL_ORDERS[order]);
}

/** Sorts after every time of a failure. */
const NEVER_MS = Number.MAX_SAFE_INTEGER;

/** The channels with a column `failing_since_ms`. */
function channelsWithFailures(reads: Knex): Knex.QueryBuilder {
  return reads('channels')
    .leftJoin(failingChannels(reads).as('failing'), 'failing_id', 'id')
    .select('channels.*')
    .select(
      reads.raw('case when status = ? then coalesce(since_ms, ?) else ? end as failing_since_ms', [
        CHANNEL_STATUS.enabled,
        NEVER_MS,
        NEVER_MS,
      ]),
    )
    .as('channels');
}

/** A query for the channels that match the filter; the caller selects columns and order. */
export function filteredChannels(
  reads: Knex,
  filter: ChannelFilter,
  order: ChannelOrder = 'id',
): Knex.QueryBuilder {
  const query = reads(order === 'failing_since' ? channelsWithFailures(reads) : 'channels');
  if (filter.health !== undefined) whereHealth(query, reads, filter.health);
  const { orIds = [], type, status, tag } = filter;
  whereGiven(query, { type, status, tag });
  whereContains(query, ['name', 'base_url'], filter.keyword, (either, text) => {
    orId(either, text);
    if (orIds.length > 0) either.orWhereIn('id', orIds);
  });
  if (filter.group) {
    const members = reads('abilities').where('group', filter.group).select('channel_id');
    query.whereIn('id', members);
  }
  whereContains(query, ['models'], filter.model);
  if (filter.untagged) query.whereNull('tag');
  return query;
}

function whereHealth(query: Knex.QueryBuilder, reads: Knex, health: ChannelHealth): void {
  if (health === 'off') {
    query.whereNot('status', CHANNEL_STATUS.enabled);
    return;
  }
  query.where('status', CHANNEL_STATUS.enabled);
  const failing = reads(failingChannels(reads).as('failing')).select('failing_id');
  const tried = reads('channel_outcomes').select('channel_id');
  if (health === 'failing') query.whereIn('id', failing);
  else if (health === 'unknown') query.whereNotIn('id', tried);
  else query.whereIn('id', tried).whereNotIn('id', failing);
}

export function insertChannel(
  trx: Knex.Transaction,
  fields: ChannelFields,
  createdAtSec: number,
): Promise<number> {
  return insertId(trx, 'channels', { ...storedFields(fields), created_time: createdAtSec });
}

export async function updateChannel(
  trx: Knex.Transaction,
  id: number,
  fields: Partial<ChannelFields> & { readonly other_info?: string },
): Promise<void> {
  if (Object.keys(fields).length > 0)
    await trx('channels').where({ id }).update(storedFields(fields));
}

/** A tag groups channels, so "no tag" is stored as null, not as a tag of its own. */
export function storedFields(fields: Partial<ChannelFields>): object {
  return fields.tag === '' ? { ...fields, tag: null } : fields;
}

/** Sets the status if it is `from`; false if it was not. Changes nothing else. */
export async function changeChannelStatus(
  trx: Knex.Transaction,
  id: number,
  change: { readonly from: number; readonly to: number; readonly otherInfo: string },
): Promise<boolean> {
  const moved = await trx('channels')
    .where({ id, status: change.from })
    .update({ status: change.to, other_info: change.otherInfo });
  return moved === 1;
}

export function allChannels(db: Knex): Promise<ChannelRow[]> {
  return CHANNELS.all(db('channels').orderBy('id'));
}

/** Every type that a channel has. */
export function channelTypes(db: Knex): Promise<number[]> {
  return columnNumbers(db('channels').distinct(), 'type');
}

export function enabledChannels(db: Knex): Promise<ChannelRow[]> {
  return CHANNELS.all(db('channels').where({ status: 1 }).orderBy('id'));
}

export async function channelNamesOf(
  db: Knex,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const states = await channelStatesOf(db, ids);
  return new Map([...states].map(([id, { name }]) => [id, name]));
}

const STATES = rowReader({
  id: numberValue,
  name: textValue,
  status: numberValue,
  other_info: textValue,
});
export type ChannelState = RowOf<typeof STATES>;

export function channelStatesOf(
  db: Knex,
  ids: readonly number[],
): Promise<Map<number, ChannelState>> {
  return rowsById(STATES, db('channels'), ids);
}

/** Stores the remaining upstream balance, in the upstream's currency. */
export async function recordBalance(
  db: Knex,
  id: number,
  balance: { readonly amount: number; readonly currency: string; readonly atSec: number },
): Promise<void> {
  await db('channels').where({ id }).update({
    balance: balance.amount,
    balance_currency: balance.currency,
    balance_updated_time: balance.atSec,
  });
}

/** Stores the measurements of the last test of a channel. */
export async function recordTest(
  db: Knex,
  id: number,
  measured: {
    readonly responseTimeMs: number;
    readonly testedAtSec: number;
    readonly isOk: boolean;
  },
): Promise<void> {
  await db('channels').where({ id }).update({
    response_time: measured.responseTimeMs,
    test_time: measured.testedAtSec,
    test_ok: measured.isOk,
  });
}
