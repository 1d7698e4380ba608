/** Rows of `channels`. */
import type { Knex } from 'knex';
import { insertId } from '../sql/inserts.ts';
import { numberOf, type PageOfRows, pageOfRows, textOf, type Window } from '../sql/read-rows.ts';
import { likeContains, type Row } from '../sql/sql-dialect.ts';

/** The columns that an edit writes. */
export interface ChannelFields {
  readonly name: string;
  readonly type: number;
  readonly status: number;
  readonly base_url: string;
  readonly other: string;
  readonly openai_organization: string;
  readonly models: string;
  readonly group: string;
  readonly model_mapping: string;
  readonly status_code_mapping: string;
  readonly setting: string;
  readonly param_override: string;
  readonly system_prompt: string;
  readonly test_model: string;
  readonly auto_ban: number;
  readonly priority: number;
  readonly weight: number;
  readonly tag: string;
  readonly model_prefix: string;
  /** 0 means no limit. */
  readonly max_input_tokens: number;
}

export interface ChannelRow extends ChannelFields {
  readonly id: number;
  readonly other_info: string;
  readonly created_time: number;
  readonly test_time: number;
  readonly response_time: number;
  readonly balance: number;
  readonly balance_currency: string;
  readonly balance_updated_time: number;
  readonly used_quota: number;
}

const TEXTS = [
  'name',
  'base_url',
  'other',
  'openai_organization',
  'models',
  'group',
  'model_mapping',
  'status_code_mapping',
  'setting',
  'param_override',
  'system_prompt',
  'test_model',
  'tag',
  'model_prefix',
  'other_info',
  'balance_currency',
];
const NUMBERS = [
  'id',
  'type',
  'status',
  'auto_ban',
  'priority',
  'weight',
  'created_time',
  'test_time',
  'response_time',
  'balance',
  'balance_updated_time',
  'used_quota',
  'max_input_tokens',
];
export const CHANNEL_COLUMNS: readonly string[] = [...NUMBERS, ...TEXTS];

export function readChannel(row: Row): ChannelRow {
  return {
    id: numberOf(row.id),
    name: textOf(row.name),
    type: numberOf(row.type),
    status: numberOf(row.status),
    base_url: textOf(row.base_url),
    other: textOf(row.other),
    openai_organization: textOf(row.openai_organization),
    models: textOf(row.models),
    group: textOf(row.group),
    model_mapping: textOf(row.model_mapping),
    status_code_mapping: textOf(row.status_code_mapping),
    setting: textOf(row.setting),
    param_override: textOf(row.param_override),
    system_prompt: textOf(row.system_prompt),
    test_model: textOf(row.test_model),
    auto_ban: numberOf(row.auto_ban),
    priority: numberOf(row.priority),
    weight: numberOf(row.weight),
    tag: textOf(row.tag),
    model_prefix: textOf(row.model_prefix),
    max_input_tokens: numberOf(row.max_input_tokens),
    other_info: textOf(row.other_info),
    created_time: numberOf(row.created_time),
    test_time: numberOf(row.test_time),
    response_time: numberOf(row.response_time),
    balance: numberOf(row.balance),
    balance_currency: textOf(row.balance_currency),
    balance_updated_time: numberOf(row.balance_updated_time),
    used_quota: numberOf(row.used_quota),
  };
}

export async function channelById(db: Knex, id: number): Promise<ChannelRow | undefined> {
  const row: Row | undefined = await db('channels')
    .where({ id })
    .first([...CHANNEL_COLUMNS]);
  return row === undefined ? undefined : readChannel(row);
}

/** Same as `channelById`, but locks the row until this transaction ends. */
export async function lockChannel(
  trx: Knex.Transaction,
  id: number,
): Promise<ChannelRow | undefined> {
  const row: Row | undefined = await trx('channels')
    .where({ id })
    .forUpdate()
    .first([...CHANNEL_COLUMNS]);
  return row === undefined ? undefined : readChannel(row);
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

const BY_ID = [{ column: 'id', order: 'desc' }] as const;
const BY_PRIORITY = [{ column: 'priority', order: 'desc' }, ...BY_ID] as const;

export function pageOfChannels(
  reads: Knex,
  filter: ChannelFilter,
  window: Window,
  order: 'id' | 'priority',
): Promise<PageOfRows<ChannelRow>> {
  return pageOfRows(channelsLike(reads, filter), window, {
    columns: CHANNEL_COLUMNS,
    order: order === 'id' ? BY_ID : BY_PRIORITY,
    read: readChannel,
  });
}

/** A query for the channels that match the filter; the caller selects columns and order. */
export function channelsLike(reads: Knex, filter: ChannelFilter): Knex.QueryBuilder {
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
  return insertId(trx, 'channels', { ...stored(fields), created_time: createdAtSec });
}

export async function updateChannel(
  trx: Knex.Transaction,
  id: number,
  fields: Partial<ChannelFields> & { readonly other_info?: string },
): Promise<void> {
  if (Object.keys(fields).length > 0) await trx('channels').where({ id }).update(stored(fields));
}

/** A tag groups channels, so "no tag" is stored as null, not as a tag of its own. */
export function stored(fields: Partial<ChannelFields>): object {
  return fields.tag === '' ? { ...fields, tag: null } : fields;
}

/** Sets the status if it is `from`; false if it was not. Changes nothing else. */
export async function moveStatus(
  trx: Knex.Transaction,
  id: number,
  move: { readonly from: number; readonly to: number; readonly otherInfo: string },
): Promise<boolean> {
  const moved = await trx('channels')
    .where({ id, status: move.from })
    .update({ status: move.to, other_info: move.otherInfo });
  return moved === 1;
}

export async function allChannels(db: Knex): Promise<ChannelRow[]> {
  const rows: Row[] = await db('channels')
    .orderBy('id')
    .select([...CHANNEL_COLUMNS]);
  return rows.map(readChannel);
}

export async function enabledChannels(db: Knex): Promise<ChannelRow[]> {
  const rows: Row[] = await db('channels')
    .where({ status: 1 })
    .orderBy('id')
    .select([...CHANNEL_COLUMNS]);
  return rows.map(readChannel);
}

export async function channelNamesOf(
  db: Knex,
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows: Row[] = await db('channels')
    .whereIn('id', [...new Set(ids)])
    .select('id', 'name');
  return new Map(rows.map((row) => [numberOf(row.id), textOf(row.name)]));
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
    name: textOf(row.name),
    status: numberOf(row.status),
    other_info: textOf(row.other_info),
  });
  return new Map(rows.map((row) => [numberOf(row.id), stateOf(row)]));
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
export async function recordProbe(
  db: Knex,
  id: number,
  probe: { readonly responseTimeMs: number; readonly testedAtSec: number },
): Promise<void> {
  await db('channels')
    .where({ id })
    .update({ response_time: probe.responseTimeMs, test_time: probe.testedAtSec });
}
