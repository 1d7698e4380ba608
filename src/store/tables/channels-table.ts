/** Rows of `channels`. */
import type { Knex } from 'knex';
import { insertId } from '../sql/inserts.ts';
import {
  NEWEST_FIRST,
  numberValue,
  type PageOfRows,
  type RowOf,
  type RowOrder,
  type RowWindow,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';
import { likeContains, type Row } from '../sql/sql-dialect.ts';

export const CHANNELS = rowReader({
  id: numberValue,
  name: textValue,
  type: numberValue,
  status: numberValue,
  base_url: textValue,
  other: textValue,
  openai_organization: textValue,
  models: textValue,
  group: textValue,
  model_mapping: textValue,
  status_code_mapping: textValue,
  setting: textValue,
  param_override: textValue,
  system_prompt: textValue,
  test_model: textValue,
  auto_ban: numberValue,
  priority: numberValue,
  weight: numberValue,
  tag: textValue,
  model_prefix: textValue,
  /** 0 means no limit. */
  max_input_tokens: numberValue,
  /** JSON (domain/pricing/channel-cost.ts); empty means unknown. */
  cost: textValue,
  other_info: textValue,
  created_time: numberValue,
  test_time: numberValue,
  response_time: numberValue,
  balance: numberValue,
  balance_currency: textValue,
  balance_updated_time: numberValue,
});
export type ChannelRow = RowOf<typeof CHANNELS>;

/** The columns that an edit writes. */
export type ChannelFields = Omit<
  ChannelRow,
  | 'id'
  | 'other_info'
  | 'created_time'
  | 'test_time'
  | 'response_time'
  | 'balance'
  | 'balance_currency'
  | 'balance_updated_time'
>;

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
}

export const BY_PRIORITY: RowOrder = [{ column: 'priority', order: 'desc' }, ...NEWEST_FIRST];

export function pageOfChannels(
  reads: Knex,
  filter: ChannelFilter,
  window: RowWindow,
  order: 'id' | 'priority',
): Promise<PageOfRows<ChannelRow>> {
  return CHANNELS.page(
    filteredChannels(reads, filter),
    window,
    order === 'id' ? NEWEST_FIRST : BY_PRIORITY,
  );
}

/** A query for the channels that match the filter; the caller selects columns and order. */
export function filteredChannels(reads: Knex, filter: ChannelFilter): Knex.QueryBuilder {
  const query = reads('channels');
  if (filter.keyword) {
    const { keyword, orIds = [] } = filter;
    query.where((either) => {
      either.whereRaw(...likeContains('name', keyword));
      either.orWhereRaw(...likeContains('base_url', keyword));
      if (/^\d{1,15}$/.test(keyword)) either.orWhere('id', Number(keyword));
      if (orIds.length > 0) either.orWhereIn('id', orIds);
    });
  }
  if (filter.group) {
    const members = reads('abilities').where('group', filter.group).select('channel_id');
    query.whereIn('id', members);
  }
  if (filter.model) query.whereRaw(...likeContains('models', filter.model));
  if (filter.type !== undefined) query.where('type', filter.type);
  if (filter.status !== undefined) query.where('status', filter.status);
  if (filter.tag) query.where('tag', filter.tag);
  if (filter.untagged) query.whereNull('tag');
  return query;
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
export async function channelTypes(db: Knex): Promise<number[]> {
  const rows: Row[] = await db('channels').distinct('type');
  return rows.map((row) => numberValue(row.type));
}

export function enabledChannels(db: Knex): Promise<ChannelRow[]> {
  return CHANNELS.all(db('channels').where({ status: 1 }).orderBy('id'));
}

export async function channelNamesOf(
  db: Knex,
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows: Row[] = await db('channels')
    .whereIn('id', [...new Set(ids)])
    .select('id', 'name');
  return new Map(rows.map((row) => [numberValue(row.id), textValue(row.name)]));
}

export type ChannelState = Pick<ChannelRow, 'name' | 'status' | 'other_info'>;

export async function channelStatesOf(
  db: Knex,
  ids: readonly number[],
): Promise<Map<number, ChannelState>> {
  if (ids.length === 0) return new Map();
  const rows: Row[] = await db('channels')
    .whereIn('id', [...new Set(ids)])
    .select('id', 'name', 'status', 'other_info');
  const stateOf = (row: Row): ChannelState => ({
    name: textValue(row.name),
    status: numberValue(row.status),
    other_info: textValue(row.other_info),
  });
  return new Map(rows.map((row) => [numberValue(row.id), stateOf(row)]));
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
export async function recordTestTimes(
  db: Knex,
  id: number,
  times: { readonly responseTimeMs: number; readonly testedAtSec: number },
): Promise<void> {
  await db('channels')
    .where({ id })
    .update({ response_time: times.responseTimeMs, test_time: times.testedAtSec });
}
