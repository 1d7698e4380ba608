/**
 * Channels. Every write rebuilds the channel's abilities in its own transaction; keys are sealed and
 * leave masked, save to those who may reveal them.
 */
import type * as z from 'zod/mini';
import { type Actor, pageWindow, type Service } from '../api/call.ts';
import type { Channel, channelCalls } from '../api/channel.ts';
import { type Context, nowSec } from '../context.ts';
import { keyHint, splitKeys } from '../domain/channel-keys.ts';
import { splitList } from '../domain/comma-list.ts';
import { AppError } from '../domain/errors.ts';
import { ROLES } from '../domain/roles.ts';
import { CHANNEL_STATUS } from '../domain/statuses.ts';
import { dropOrphanAbilities, rebuildAbilities, servedModels } from '../store/abilities.ts';
import { announceChange } from '../store/changes.ts';
import { enableKeys, type KeyRow, keysLike, keysOf, replaceKeys } from '../store/channel-keys.ts';
import {
  allChannels,
  type ChannelFields,
  type ChannelRow,
  channelById,
  deleteChannel,
  insertChannel,
  lockChannel,
  pageOfChannels,
  updateChannel,
} from '../store/channels.ts';
import { note, requireRole } from './audit.ts';
import { asPage } from './pages.ts';
import { invalid, requireGroup } from './validate.ts';
import { type TxContext, writing } from './writing.ts';

type Calls = Service<typeof channelCalls, Context>;
type Shown = z.input<typeof Channel>;

/** Their region is in `other`; iFlytek's API version too. */
const VERTEX = 41;
const IFLYTEK = 18;

export const list: Calls['list'] = async (ctx, _actor, input) => {
  const window = pageWindow(input);
  const { id_sort, type, ...filter } = input;
  const { rows, total } = await pageOfChannels(
    ctx.reads,
    {
      ...filter,
      type: type === '' ? undefined : type,
      orIds: filter.keyword ? await ownersOfKey(ctx, filter.keyword) : [],
    },
    window,
    id_sort ? 'id' : 'priority',
  );
  const keys = await keysOf(
    ctx.reads,
    rows.map((row) => row.id),
  );
  const items = rows.map((row) => shown(row, keys.get(row.id) ?? []));
  return asPage(window, items, total);
};

export const search = list;

export const get: Calls['get'] = async (ctx, actor, { id, reveal }) => {
  const channel = requireChannel(await channelById(ctx.reads, id), id);
  const keys = (await keysOf(ctx.reads, [id])).get(id) ?? [];
  if (!reveal) return shown(channel, keys);
  requireRole(actor, ROLES.super_admin);
  const key = keys.map((row) => ctx.secrets.decrypt(row.key_cipher)).join('\n');
  return { ...shown(channel, keys), key };
};

export const create: Calls['create'] = async (ctx, actor, { key, ...input }) => {
  const fields = checkedFields(ctx, input, input);
  const keys = sealed(ctx, key);
  return writing(ctx, async (ctx) => {
    const id = await insertChannel(ctx.db, fields, nowSec(ctx));
    await replaceKeys(ctx.db, id, keys);
    return afterWrite(ctx, actor, id, 'created');
  });
};

export const edit: Calls['edit'] = async (ctx, actor, { id, key, ...sent }) => {
  const keys = key === undefined ? undefined : sealed(ctx, key);
  return writing(ctx, async (ctx) => {
    const channel = requireChannel(await lockChannel(ctx.db, id), id);
    const present = Object.fromEntries(
      Object.entries(sent).filter(([, value]) => value !== undefined),
    );
    await updateChannel(ctx.db, id, checkedFields(ctx, { ...channel, ...present }, sent));
    if (keys !== undefined) await replaceKeys(ctx.db, id, keys);
    if (sent.status !== undefined && sent.status !== channel.status)
      await applyStatus(ctx, channel, sent.status, '');
    const names = [...Object.keys(present), ...(keys === undefined ? [] : ['key'])];
    return afterWrite(ctx, actor, id, `changed: ${names.join(', ')}`);
  });
};

export const remove: Calls['remove'] = (ctx, actor, { id }) =>
  writing(ctx, async (ctx) => {
    const channel = requireChannel(await lockChannel(ctx.db, id), id);
    await deleteChannel(ctx.db, id);
    await announceChange(ctx.db, 'channels', id);
    await recordChange(ctx, actor, channel, 'deleted');
  });

/** Enabling by hand gives all keys another chance. */
export const setStatus: Calls['setStatus'] = (ctx, actor, { id, status, reason }) =>
  writing(ctx, async (ctx) => {
    const channel = requireChannel(await lockChannel(ctx.db, id), id);
    await applyStatus(ctx, channel, status, reason ?? '');
    return afterWrite(ctx, actor, id, status === CHANNEL_STATUS.enabled ? 'enabled' : 'disabled');
  });

export const copy: Calls['copy'] = (ctx, actor, { id, name }) =>
  writing(ctx, async (ctx) => {
    const { id: _, ...source } = requireChannel(await channelById(ctx.db, id), id);
    const fields = { ...source, name: name ?? `${source.name}_copy` };
    const copied = await insertChannel(
      ctx.db,
      { ...ownFields(fields), status: CHANNEL_STATUS.disabled },
      nowSec(ctx),
    );
    const keys = (await keysOf(ctx.db, [id])).get(id) ?? [];
    await replaceKeys(
      ctx.db,
      copied,
      keys.map(({ key_cipher, key_hint }) => ({ key_cipher, key_hint })),
    );
    return afterWrite(ctx, actor, copied, `copied from #${id}`);
  });

export const fixAbilities: Calls['fixAbilities'] = (ctx, actor) =>
  writing(ctx, async (ctx) => {
    await dropOrphanAbilities(ctx.db);
    let rows = 0;
    for (const channel of await allChannels(ctx.db)) {
      rows += await rebuildAbilities(ctx.db, channel);
      await announceChange(ctx.db, 'channels', channel.id);
    }
    await note(ctx, actor, { action: 'channel_fix', content: 'Abilities rebuilt' });
    return rows;
  });

export const modelsEnabled: Calls['modelsEnabled'] = (ctx) => servedModels(ctx.reads);

async function applyStatus(
  ctx: TxContext,
  channel: ChannelRow,
  status: number,
  reason: string,
): Promise<void> {
  const other_info = JSON.stringify({ status_reason: reason, status_time: nowSec(ctx) });
  await updateChannel(ctx.db, channel.id, { status, other_info });
  if (status === CHANNEL_STATUS.enabled) await enableKeys(ctx.db, channel.id);
}

/** What every write ends with: abilities, announcement, audit line, and the channel as it is now. */
async function afterWrite(ctx: TxContext, actor: Actor, id: number, what: string): Promise<Shown> {
  const channel = requireChannel(await channelById(ctx.db, id), id);
  await rebuildAbilities(ctx.db, channel);
  await announceChange(ctx.db, 'channels', id);
  await recordChange(ctx, actor, channel, what);
  return shown(channel, (await keysOf(ctx.db, [id])).get(id) ?? []);
}

function recordChange(
  ctx: TxContext,
  actor: Actor,
  channel: ChannelRow,
  what: string,
): Promise<void> {
  return note(ctx, actor, {
    action: 'channel_change',
    content: `Channel #${channel.id} ${channel.name} ${what}`,
    facts: { channel_id: channel.id },
  });
}

/**
 * The columns of the channel as it shall be. Only what was sent is judged: an edit of the name must
 * not fail for a group that has been removed since.
 * @throws AppError group_missing, input_invalid for a region that the type needs.
 */
function checkedFields(
  ctx: Context,
  given: ChannelFields,
  sent: Partial<ChannelFields>,
): ChannelFields {
  for (const group of splitList(sent.group ?? '')) requireGroup(ctx, group);
  const isTypeSent = sent.type !== undefined || sent.other !== undefined;
  if (isTypeSent && given.type === VERTEX) requireRegion(given.other);
  const other = given.type === IFLYTEK && given.other === '' ? 'v2.1' : given.other;
  return { ...ownFields(given), other };
}

/** Plain text, or a map from models to regions with a `default`. */
function requireRegion(other: string): void {
  if (other === '') throw invalid('other', 'must name the region');
  if (!other.startsWith('{')) return;
  try {
    const regions: unknown = JSON.parse(other);
    if (typeof regions === 'object' && regions !== null && 'default' in regions) return;
  } catch {
    throw invalid('other', 'is not valid JSON');
  }
  throw invalid('other', 'must have a "default" region');
}

function ownFields(given: ChannelFields): ChannelFields {
  return {
    name: given.name,
    type: given.type,
    status: given.status,
    base_url: given.base_url,
    other: given.other,
    openai_organization: given.openai_organization,
    models: given.models,
    group: given.group,
    model_mapping: given.model_mapping,
    status_code_mapping: given.status_code_mapping,
    setting: given.setting,
    param_override: given.param_override,
    system_prompt: given.system_prompt,
    test_model: given.test_model,
    auto_ban: given.auto_ban,
    priority: given.priority,
    weight: given.weight,
    tag: given.tag,
    model_prefix: given.model_prefix,
  };
}

function sealed(ctx: Context, text: string): { key_cipher: string; key_hint: string }[] {
  const keys = splitKeys(text);
  if (keys.length === 0) throw invalid('key', 'must not be empty');
  return keys.map((key) => ({ key_cipher: ctx.secrets.encrypt(key), key_hint: keyHint(key) }));
}

/** Channels that own exactly this key. */
async function ownersOfKey(ctx: Context, key: string): Promise<number[]> {
  const alike = await keysLike(ctx.reads, keyHint(key));
  return alike
    .filter((row) => ctx.secrets.decrypt(row.key_cipher) === key)
    .map((row) => row.channel_id);
}

function requireChannel(channel: ChannelRow | undefined, id: number): ChannelRow {
  if (channel === undefined) throw new AppError('channel_missing', { channel: String(id) });
  return channel;
}

function shown(channel: ChannelRow, keys: readonly KeyRow[]): Shown {
  return {
    ...channel,
    key: keys.map((row) => row.key_hint).join('\n'),
    keys: keys.map((row) => ({
      id: row.id,
      position: row.position,
      hint: row.key_hint,
      status: row.status,
      reason: row.reason,
      disabled_at: row.disabled_at,
    })),
  };
}
