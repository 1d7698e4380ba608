/**
 * In-memory index of the channels that serve each model for each group. Loaded once, then updated
 * by the change feed: a disabled channel is removed at once in the process that wrote it and within
 * one poll elsewhere. The index uses client-facing names, prefix included.
 */

import type { Knex } from 'knex';
import type { Context } from '../../context.ts';
import { lookupName } from '../../domain/channels/model-names.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { type ChannelCost, readChannelCost } from '../../domain/pricing/channel-cost.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import { parsedObject, parsedStrings } from '../../json/parse-json-object.ts';
import type { Logger } from '../../log.ts';
import type { Secrets } from '../../secrets.ts';
import { chunksOf } from '../../store/sql/sql-dialect.ts';
import type { ChangeFeed } from '../cluster/change-feed.ts';

export interface ChannelKey {
  readonly id: number;
  readonly key: string;
}

export interface ChannelSetting {
  readonly proxy: string;
  readonly forceFormat: boolean;
  readonly thinkingToContent: boolean;
  readonly pseudoStream: boolean;
  readonly passThroughBody: boolean;
  /** The upstream lacks OpenAI's Responses API. */
  readonly chatOnly: boolean;
  /** Path of Anthropic's Messages API upstream; '' for none, undefined for the type's default. */
  readonly messagesPath: string | undefined;
  /** Concurrent calls; 0 for no limit. */
  readonly maxConcurrency: number;
  readonly tokensPerMinute: number;
  /** Longest wait for the first content of a stream; undefined to use the site's option. */
  readonly firstContentTimeoutMs: number | undefined;
  /** Limit for a complete non-streamed response; 0 if only the process-wide limit applies. */
  readonly answerTimeoutMs: number;
}

export interface ChannelEntry {
  readonly id: number;
  readonly type: number;
  readonly name: string;
  readonly status: number;
  readonly keys: readonly ChannelKey[];
  readonly baseUrl: string;
  readonly other: string;
  readonly organization: string;
  /** Names without the prefix. */
  readonly models: ReadonlySet<string>;
  readonly groups: readonly string[];
  readonly mapping: Readonly<Record<string, string>>;
  readonly statusMapping: Readonly<Record<string, string>>;
  readonly setting: ChannelSetting;
  readonly paramOverride: Readonly<Record<string, unknown>> | undefined;
  readonly systemPrompt: string;
  readonly testModel: string;
  readonly createdAtSec: number;
  readonly autoBan: boolean;
  readonly priority: number;
  readonly weight: number;
  readonly prefix: string;
  /** Largest estimated prompt, in tokens; 0 means no limit. */
  readonly maxInputTokens: number;
  /** What the upstream charges; undefined if unknown. */
  readonly cost: ChannelCost | undefined;
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
  const row = await reads('channels').where({ id }).first<Row | undefined>('*');
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

type Row = Readonly<Record<string, unknown>>;

const BATCH_CHANNELS = 500;

async function readChannels(
  reads: Knex,
  secrets: Secrets,
  log: Logger,
  ids: readonly number[] | 'all',
): Promise<ChannelEntry[]> {
  if (ids === 'all') {
    const [rows, keys] = await Promise.all([reads('channels').select<Row[]>('*'), keyRows(reads)]);
    return toEntries(rows, keys, secrets, log);
  }
  const entries: ChannelEntry[] = [];
  for (const some of chunksOf(ids, BATCH_CHANNELS)) {
    const rows = await reads('channels').whereIn('id', some).select<Row[]>('*');
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
  rows: readonly Row[],
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
  return rows.map((row) => toEntry(row, byChannel.get(Number(row.id)) ?? []));
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

function toEntry(row: Row, keys: readonly ChannelKey[]): ChannelEntry {
  const setting = parsedObject(String(row.setting ?? ''));
  return {
    id: Number(row.id),
    type: Number(row.type),
    name: String(row.name),
    status: Number(row.status),
    keys,
    baseUrl: String(row.base_url ?? ''),
    other: String(row.other ?? ''),
    organization: String(row.openai_organization ?? ''),
    models: new Set(splitList(String(row.models ?? ''))),
    groups: splitList(String(row.group ?? '')),
    mapping: parsedStrings(String(row.model_mapping ?? '')),
    statusMapping: parsedStrings(String(row.status_code_mapping ?? '')),
    setting: readSetting(setting),
    paramOverride: emptyToUndefined(parsedObject(String(row.param_override ?? ''))),
    systemPrompt: String(row.system_prompt ?? ''),
    testModel: String(row.test_model ?? ''),
    createdAtSec: Number(row.created_time ?? 0),
    autoBan: Number(row.auto_ban ?? 1) === 1,
    priority: Number(row.priority ?? 0),
    weight: Number(row.weight ?? 0),
    prefix: String(row.model_prefix ?? ''),
    maxInputTokens: Number(row.max_input_tokens ?? 0),
    cost: readChannelCost(String(row.cost ?? '')),
  };
}

function readSetting(setting: Row): ChannelSetting {
  const firstContentSec = countIn(setting, 'first_content_timeout_seconds');
  return {
    proxy: String(setting.proxy ?? ''),
    forceFormat: setting.force_format === true,
    thinkingToContent: setting.thinking_to_content === true,
    pseudoStream: setting.stream_support === 'NON_STREAM_ONLY',
    passThroughBody: setting.pass_through_body === true,
    chatOnly: setting.chat_only === true,
    messagesPath: typeof setting.messages_path === 'string' ? setting.messages_path : undefined,
    maxConcurrency: countIn(setting, 'max_concurrency') ?? 0,
    tokensPerMinute: countIn(setting, 'tokens_per_minute') ?? 0,
    firstContentTimeoutMs: firstContentSec === undefined ? undefined : firstContentSec * 1000,
    answerTimeoutMs: (countIn(setting, 'answer_timeout_seconds') ?? 0) * 1000,
  };
}

/** Rows written before this was validated may hold any value. */
function countIn(setting: Row, name: string): number | undefined {
  const value = setting[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function emptyToUndefined(row: Row): Row | undefined {
  return Object.keys(row).length === 0 ? undefined : row;
}
