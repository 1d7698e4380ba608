/**
 * In-memory index of the channels that serve each model for each group. Loaded once, then updated
 * by the change feed: a disabled channel is removed at once in the process that wrote it and within
 * one poll elsewhere. The index uses client-facing names, prefix included.
 */

import type { Knex } from 'knex';
import type { Context } from '../../context.ts';
import { lookupName } from '../../domain/channels/model-names.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { readChannelCost } from '../../domain/pricing/channel-cost.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import { parsedObject, parsedStrings } from '../../json/parse-json-object.ts';
import type { Logger } from '../../log.ts';
import type { Secrets } from '../../secrets.ts';
import {
  fromColumn,
  numberValue,
  type RowOf,
  rowReader,
  textValue,
} from '../../store/sql/read-rows.ts';
import { chunksOf } from '../../store/sql/sql-dialect.ts';
import type { ChangeFeed } from '../cluster/change-feed.ts';

export interface ChannelKey {
  readonly id: number;
  readonly key: string;
}

type Row = Readonly<Record<string, unknown>>;

export type ChannelSetting = Readonly<ReturnType<typeof readSetting>>;

function readSetting(text: unknown) {
  const setting = parsedObject(textValue(text));
  const firstContentSec = countIn(setting, 'first_content_timeout_seconds');
  return {
    proxy: textValue(setting.proxy),
    forceFormat: setting.force_format === true,
    thinkingToContent: setting.thinking_to_content === true,
    pseudoStream: setting.stream_support === 'NON_STREAM_ONLY',
    passThroughBody: setting.pass_through_body === true,
    /** The upstream lacks OpenAI's Responses API. */
    chatOnly: setting.chat_only === true,
    /** Path of Anthropic's Messages API upstream; '' for none, undefined for the type's default. */
    messagesPath: typeof setting.messages_path === 'string' ? setting.messages_path : undefined,
    /** Concurrent calls; 0 for no limit. */
    maxConcurrency: countIn(setting, 'max_concurrency') ?? 0,
    tokensPerMinute: countIn(setting, 'tokens_per_minute') ?? 0,
    /** Longest wait for the first content of a stream; undefined to use the site's option. */
    firstContentTimeoutMs: firstContentSec === undefined ? undefined : firstContentSec * 1000,
    /** Limit for a complete non-streamed response; 0 if only the process-wide limit applies. */
    answerTimeoutMs: (countIn(setting, 'answer_timeout_seconds') ?? 0) * 1000,
  };
}

/** Rows written before this was validated may hold any value. */
function countIn(setting: Row, name: string): number | undefined {
  const value = setting[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function membersOf(text: unknown): Row | undefined {
  const members = parsedObject(textValue(text));
  return Object.keys(members).length === 0 ? undefined : members;
}

const listValue = (text: unknown): readonly string[] => splitList(textValue(text));
const stringsValue = (text: unknown): Readonly<Record<string, string>> =>
  parsedStrings(textValue(text));

const CHANNELS = rowReader({
  id: numberValue,
  type: numberValue,
  name: textValue,
  status: numberValue,
  baseUrl: fromColumn('base_url', textValue),
  other: textValue,
  organization: fromColumn('openai_organization', textValue),
  /** Names without the prefix. */
  models: (text: unknown): ReadonlySet<string> => new Set(listValue(text)),
  groups: fromColumn('group', listValue),
  mapping: fromColumn('model_mapping', stringsValue),
  statusMapping: fromColumn('status_code_mapping', stringsValue),
  setting: (text: unknown): ChannelSetting => readSetting(text),
  paramOverride: fromColumn('param_override', membersOf),
  systemPrompt: fromColumn('system_prompt', textValue),
  testModel: fromColumn('test_model', textValue),
  createdAtSec: fromColumn('created_time', numberValue),
  autoBan: fromColumn('auto_ban', (value) => Number(value ?? 1) === 1),
  priority: numberValue,
  weight: numberValue,
  prefix: fromColumn('model_prefix', textValue),
  /** Largest estimated prompt, in tokens; 0 means no limit. */
  maxInputTokens: fromColumn('max_input_tokens', numberValue),
  /** What the upstream charges; undefined if unknown. */
  cost: (text: unknown) => readChannelCost(textValue(text)),
});

export interface ChannelEntry extends RowOf<typeof CHANNELS> {
  readonly keys: readonly ChannelKey[];
}

export interface Routing {
  /** Enabled channels that serve the client-facing name for the group, highest priority first. */
  candidates(group: string, model: string): readonly ChannelEntry[];
  /** Whether any channel has the model for the group, even if disabled or without a usable key. */
  offers(group: string, model: string): boolean;
  channel(id: number): ChannelEntry | undefined;
  /** Client-facing names that an enabled channel of the group serves. */
  models(group: string): readonly string[];
  /** Resolves after the first load of the channels. */
  load(): Promise<void>;
}

const ENABLED = 1;
const NO_CHANNELS: readonly ChannelEntry[] = [];

export function createRouting(
  reads: Knex,
  secrets: Secrets,
  changes: ChangeFeed,
  log: Logger,
): Routing {
  const channels = new Map<number, ChannelEntry>();
  let index: ReadonlyMap<string, ReadonlyMap<string, readonly ChannelEntry[]>> = new Map();

  const read = async (ids: readonly number[] | 'all'): Promise<void> => {
    const entries = await readChannels(reads, secrets, log, ids);
    if (ids === 'all') channels.clear();
    else for (const id of ids) channels.delete(id);
    for (const entry of entries) channels.set(entry.id, entry);
    index = indexOf([...channels.values()]);
  };
  changes.on('channels', read);

  return {
    candidates: (group, model) => index.get(group)?.get(lookupName(model)) ?? NO_CHANNELS,
    offers: (group, model) =>
      [...channels.values()].some((entry) => isOffered(entry, group, lookupName(model))),
    channel: (id) => channels.get(id),
    models: (group) => [...(index.get(group)?.keys() ?? [])],
    load: () => read('all'),
  };
}

/**
 * One channel as the relay sees it. Includes disabled keys when no other key is left, or when all
 * are requested.
 */
export async function readChannelEntry(
  reads: Knex,
  secrets: Secrets,
  log: Logger,
  id: number,
  { allKeys = false }: { readonly allKeys?: boolean } = {},
): Promise<ChannelEntry | undefined> {
  const row = await CHANNELS.first(reads('channels').where({ id }));
  if (row === undefined) return undefined;
  const enabled = allKeys ? [] : await keyRows(reads).where({ channel_id: id });
  const keys = enabled.length > 0 ? enabled : await allKeyRows(reads).where({ channel_id: id });
  return toEntries([row], keys, secrets, log)[0];
}

/** @throws AppError `channel_missing`. */
export async function requireChannelEntry(ctx: Context, id: number): Promise<ChannelEntry> {
  const channel = await readChannelEntry(ctx.reads, ctx.secrets, ctx.log, id);
  if (channel === undefined) throw new AppError('channel_missing', { channel: String(id) });
  return channel;
}

/** group -> client-facing model name -> channels, ordered by priority (descending), then id. */
function indexOf(
  entries: readonly ChannelEntry[],
): Map<string, Map<string, readonly ChannelEntry[]>> {
  const index = new Map<string, Map<string, ChannelEntry[]>>();
  const usable = entries
    .filter((entry) => entry.status === ENABLED && entry.keys.length > 0)
    .sort((a, b) => b.priority - a.priority || a.id - b.id);
  for (const entry of usable) {
    for (const group of entry.groups) {
      const models = index.get(group) ?? new Map<string, ChannelEntry[]>();
      index.set(group, models);
      for (const model of entry.models) addChannel(models, entry.prefix + model, entry);
    }
  }
  return index;
}

function isOffered({ groups, prefix, models }: ChannelEntry, group: string, name: string): boolean {
  return groups.includes(group) && name.startsWith(prefix) && models.has(name.slice(prefix.length));
}

/** If a name can be split two ways (`a/` + `b/x` and `a/b/` + `x`), the longest prefix wins. */
function addChannel(models: Map<string, ChannelEntry[]>, name: string, entry: ChannelEntry): void {
  const list = models.get(name) ?? [];
  const length = list[0]?.prefix.length ?? entry.prefix.length;
  if (entry.prefix.length > length) models.set(name, [entry]);
  else if (entry.prefix.length === length) models.set(name, [...list, entry]);
}

const BATCH_CHANNELS = 500;

async function readChannels(
  reads: Knex,
  secrets: Secrets,
  log: Logger,
  ids: readonly number[] | 'all',
): Promise<ChannelEntry[]> {
  if (ids === 'all') {
    const [rows, keys] = await Promise.all([CHANNELS.all(reads('channels')), keyRows(reads)]);
    return toEntries(rows, keys, secrets, log);
  }
  const entries: ChannelEntry[] = [];
  for (const some of chunksOf(ids, BATCH_CHANNELS)) {
    const rows = await CHANNELS.all(reads('channels').whereIn('id', some));
    const keys = await keyRows(reads).whereIn('channel_id', some);
    entries.push(...toEntries(rows, keys, secrets, log));
  }
  return entries;
}

function keyRows(reads: Knex) {
  return allKeyRows(reads).where({ status: ENABLED });
}

function allKeyRows(reads: Knex) {
  return reads('channel_keys')
    .orderBy([{ column: 'channel_id' }, { column: 'position' }, { column: 'id' }])
    .select<Row[]>('id', 'channel_id', 'key_cipher');
}

function toEntries(
  rows: readonly RowOf<typeof CHANNELS>[],
  keys: readonly Row[],
  secrets: Secrets,
  log: Logger,
): ChannelEntry[] {
  const byChannel = new Map<number, ChannelKey[]>();
  for (const row of keys) {
    const channelId = Number(row.channel_id);
    const key = decryptKey(row, secrets, log);
    if (key !== undefined) byChannel.set(channelId, [...(byChannel.get(channelId) ?? []), key]);
  }
  return rows.map((row) => ({ ...row, keys: byChannel.get(row.id) ?? [] }));
}

/** A key that cannot be decrypted must not affect other channels; it is skipped. */
function decryptKey(row: Row, secrets: Secrets, log: Logger): ChannelKey | undefined {
  try {
    return { id: Number(row.id), key: secrets.decrypt(String(row.key_cipher)) };
  } catch {
    log.error(
      { channelId: Number(row.channel_id), keyId: Number(row.id) },
      'a channel key cannot be decrypted',
    );
    return undefined;
  }
}
