/**
 * Channel management. Every write rebuilds the channel's abilities in the same transaction; keys
 * are stored encrypted and returned masked, except to those who may reveal them.
 */

import type * as z from 'zod/mini';
import { type Actor, pageWindow, type Service, toPage, type Visit } from '../../api/call.ts';
import type { ChannelList, channelCalls } from '../../api/channels/channel.ts';
import { type Context, nowSec } from '../../context.ts';
import { keyHint } from '../../domain/channels/channel-keys.ts';
import { definedFields } from '../../domain/defined-fields.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { ROLES } from '../../domain/roles.ts';
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import {
  dropOrphanAbilities,
  rebuildAbilities,
  servedModels,
} from '../../store/tables/abilities-table.ts';
import { deleteBudgetsOf } from '../../store/tables/budget-records.ts';
import { announceChange, announceChanges } from '../../store/tables/changes-table.ts';
import {
  channelKeysOf,
  keysWithHint,
  type NewChannelKey,
  replaceChannelKeys,
} from '../../store/tables/channel-keys-table.ts';
import {
  channelsOfTags,
  deleteChannels,
  lockChannelsNamed,
  pageOfTags,
} from '../../store/tables/channel-sets.ts';
import {
  allChannels,
  type ChannelFields,
  type ChannelRow,
  channelById,
  insertChannel,
  lockChannel,
  pageOfChannels,
  updateChannel,
} from '../../store/tables/channels-table.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import { requireOwnerProof } from '../credentials/owner-proof.ts';
import { recordAction, requireRole } from '../logs/audit.ts';
import { requireSameKeyDestination } from './channel-destination.ts';
import { checkedChannelFields, editableFields, requireChannel } from './channel-fields.ts';
import { disableWithoutKeys } from './channel-health.ts';
import { decryptKeys, newChannelKeys, resolveKeys } from './channel-keys.ts';
import { channelView, channelViews } from './channel-views.ts';
import { channelWarnings } from './channel-warnings.ts';
import {
  type ChannelEvent,
  finishWrite,
  recordChannelAction,
  setStatusOf,
} from './channel-writes.ts';
import { reportingModels } from './model-impact.ts';
import { endKeyCooldowns } from './stored-key-cooldowns.ts';

type Calls = Service<typeof channelCalls, Context>;

export const list: Calls['list'] = async (ctx, _actor, input, visit) => {
  const window = pageWindow(input);
  const order = input.sort || (input.id_sort ? 'id' : 'priority');
  const filter = await filterOf(ctx, input);
  if (input.tag_mode) {
    const tagOrder = order === 'id' ? 'id' : 'priority';
    const { tags, total } = await pageOfTags(ctx.reads, filter, window, tagOrder);
    return toPage(
      window,
      await channelViews(ctx, await channelsOfTags(ctx.reads, tags, tagOrder), visit),
      total,
    );
  }
  const { rows, total } = await pageOfChannels(ctx.reads, filter, window, order);
  return toPage(window, await channelViews(ctx, rows, visit), total);
};

export const search = list;

async function filterOf(ctx: Context, input: z.output<typeof ChannelList>) {
  const { id_sort: _idSort, sort: _sort, tag_mode: _mode, type, health, ...filter } = input;
  return {
    ...filter,
    health: health === '' ? undefined : health,
    type: type === '' ? undefined : type,
    orIds: filter.keyword ? await ownersOfKey(ctx, filter.keyword) : [],
  };
}

/** Revealing keys is logged with the actor. */
export const get: Calls['get'] = async (ctx, actor, { id, reveal, password }, visit) => {
  const view = await channelView(ctx, id, visit);
  if (reveal === false || !(await mayReadKeys(ctx, actor, visit, { reveal, password })))
    return view;
  await writing(ctx, (ctx) =>
    recordChannelAction(ctx, actor, [view], { event: 'channel_keys_shown' }),
  );
  const keys = (await channelKeysOf(ctx.reads, [id])).get(id) ?? [];
  return { ...view, key: decryptKeys(ctx, keys) };
};

export const key: Calls['key'] = async (ctx, actor, input, visit) => {
  const shown = await get(ctx, actor, { ...input, reveal: true }, visit);
  return { key: shown.key };
};

/** @throws AppError permission_denied and those of `requireOwnerProof`, only with `reveal`. */
async function mayReadKeys(
  ctx: Context,
  actor: Actor,
  visit: Visit,
  { reveal, password }: Pick<Parameters<Calls['get']>[2], 'reveal' | 'password'>,
): Promise<boolean> {
  try {
    requireRole(actor, ROLES.super_admin);
    await requireOwnerProof(ctx, actor, visit, { password });
    return true;
  } catch (error) {
    if (reveal || password !== undefined || !(error instanceof AppError)) throw error;
    return false;
  }
}

export const create: Calls['create'] = async (ctx, actor, { key, mode, ...input }, visit) => {
  const fields = checkedChannelFields(ctx, input, input);
  const keys = newChannelKeys(ctx, key, fields);
  return writing(ctx, async (ctx) => {
    const warned = channelWarnings([fields], input, visit);
    if (mode !== 'batch') {
      const id = await insertChannelWithKeys(ctx, actor, fields, keys);
      return { ...(await channelView(ctx, id, visit)), ...warned };
    }
    const ids: number[] = [];
    for (const [at, each] of keys.entries())
      ids.push(
        await insertChannelWithKeys(ctx, actor, numbered(fields, at + 1, keys.length), [each]),
      );
    const [first] = ids;
    if (first === undefined) throw invalidInput('key', 'empty');
    return { ...(await channelView(ctx, first, visit)), ids, ...warned };
  });
};

function numbered(fields: ChannelFields, number: number, of: number): ChannelFields {
  return of === 1 ? fields : { ...fields, name: `${fields.name}-${number}` };
}

/** Inserts a channel with its related rows, in the current transaction; returns its id. */
export async function insertChannelWithKeys(
  ctx: TxContext,
  actor: Actor,
  fields: ChannelFields,
  keys: readonly NewChannelKey[],
): Promise<number> {
  const id = await insertChannel(ctx.db, fields, nowSec(ctx));
  await replaceChannelKeys(ctx.db, id, keys);
  await finishChannelWrite(ctx, actor, id, { event: 'channel_created' });
  return id;
}

/**
 * @throws AppError changed_meanwhile, channel_missing, those of `checkedChannelFields` and of the
 * keys.
 */
export const edit: Calls['edit'] = (ctx, actor, { id, key, before, impact: _, ...sent }, visit) =>
  writing(ctx, async (ctx) => {
    const channel = requireChannel(await lockChannel(ctx.db, id), id);
    requireUnchanged(channel, before ?? {});
    const present = definedFields(sent);
    requireManualStatus(channel, sent.status);
    const fields = checkedChannelFields(ctx, { ...channel, ...present }, sent);
    await updateChannel(ctx.db, id, fields);
    const stored = (await channelKeysOf(ctx.db, [id])).get(id) ?? [];
    const wanted = key === undefined ? undefined : resolveKeys(ctx, key, fields, stored);
    if (wanted === undefined || wanted.hasMasked) requireSameKeyDestination(actor, channel, fields);
    if (wanted?.isChanged) await replaceChannelKeys(ctx.db, id, wanted.keys);
    if (sent.status !== undefined && sent.status !== channel.status)
      await setStatusOf(ctx, [id], sent.status, '');
    const names = [...Object.keys(present), ...(wanted?.isChanged ? ['key'] : [])];
    await reportingModels(ctx, visit, [id], async () => {
      if (wanted?.isChanged) await disableWithoutKeys(ctx, id);
      await finishChannelWrite(ctx, actor, id, { event: 'channel_changed', fields: names });
    });
    return {
      ...(await channelView(ctx, id, visit)),
      ...channelWarnings([fields], sent, visit),
    };
  });

function requireUnchanged(channel: ChannelRow, before: Partial<ChannelFields>): void {
  if (Object.entries(before).some(([field, value]) => Reflect.get(channel, field) !== value))
    throw new AppError('changed_meanwhile', { what: channel.name });
}

/** Only the gateway sets status 3; sent back by a client that read it, it means "no change". */
function requireManualStatus(channel: ChannelRow, status: number | undefined): void {
  const { auto_disabled } = CHANNEL_STATUS;
  if (status === auto_disabled && channel.status !== auto_disabled)
    throw invalidInput('status', 'not_status');
}

/** @throws AppError channel_missing. */
export const remove: Calls['remove'] = (ctx, actor, { id }, visit) =>
  writing(ctx, async (ctx) => {
    const channel = requireChannel(await lockChannel(ctx.db, id), id);
    await reportingModels(ctx, visit, [id], () => deleteChannels(ctx.db, [id]));
    await deleteBudgetsOf(ctx.db, 'channel', [id]);
    await announceChange(ctx.db, 'channels', id);
    await recordChannelAction(ctx, actor, [channel], { event: 'channel_deleted' });
  });

/**
 * Enabling a channel manually re-enables all its keys.
 * @throws AppError channel_missing.
 */
export const setStatus: Calls['setStatus'] = (ctx, actor, { id, status, reason }, visit) =>
  writing(ctx, async (ctx) => {
    requireChannel(await lockChannel(ctx.db, id), id);
    await setStatusOf(ctx, [id], status, reason ?? '');
    if (status === CHANNEL_STATUS.enabled) await endKeyCooldowns(ctx, { channelId: id });
    await reportingModels(ctx, visit, [id], () =>
      finishChannelWrite(ctx, actor, id, {
        event: status === CHANNEL_STATUS.enabled ? 'channel_enabled' : 'channel_disabled',
      }),
    );
    return channelView(ctx, id, visit);
  });

export const wake: Calls['wake'] = async (ctx, actor, { id, key_id }, visit) => {
  const channel = requireChannel(await channelById(ctx.reads, id), id);
  await endKeyCooldowns(ctx, {
    channelId: channel.id,
    ...(key_id !== undefined && { keyIds: [key_id] }),
  });
  return get(ctx, actor, { id, reveal: false }, visit);
};

export const copy: Calls['copy'] = (ctx, actor, { id, name, suffix }, visit) =>
  writing(ctx, async (ctx) => {
    const source = requireChannel(await channelById(ctx.db, id), id);
    const fields = {
      ...editableFields(source),
      name: name ?? (suffix ? source.name + suffix : await freeCopyName(ctx, source.name)),
      status: CHANNEL_STATUS.disabled,
    };
    const copied = await insertChannel(ctx.db, fields, nowSec(ctx));
    const keys = (await channelKeysOf(ctx.db, [id])).get(id) ?? [];
    await replaceChannelKeys(
      ctx.db,
      copied,
      keys.map(({ key_cipher, key_hint }) => ({ key_cipher, key_hint })),
    );
    await finishChannelWrite(ctx, actor, copied, { event: 'channel_copied', source: id });
    return channelView(ctx, copied, visit);
  });

async function freeCopyName(ctx: TxContext, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const copy = `${name}_copy${number === 1 ? '' : number}`;
    if ((await lockChannelsNamed(ctx.db, copy)).length === 0) return copy;
  }
}

export const fixAbilities: Calls['fixAbilities'] = (ctx, actor) =>
  writing(ctx, async (ctx) => {
    await dropOrphanAbilities(ctx.db);
    const channels = await allChannels(ctx.db);
    const rows = await rebuildAbilities(ctx.db, ...channels);
    await announceChanges(
      ctx.db,
      'channels',
      channels.map((channel) => channel.id),
    );
    await recordAction(ctx, actor, {
      action: 'channel_fix',
      event: { event: 'abilities_rebuilt' },
    });
    return rows;
  });

export const modelsEnabled: Calls['modelsEnabled'] = (ctx) => servedModels(ctx.reads);

/** Finishes the write of one channel. */
async function finishChannelWrite(
  ctx: TxContext,
  actor: Actor,
  id: number,
  event: ChannelEvent,
): Promise<void> {
  await recordChannelAction(ctx, actor, await finishWrite(ctx, [id]), event);
}

/** Channels that have exactly this key. */
async function ownersOfKey(ctx: Context, key: string): Promise<number[]> {
  const alike = await keysWithHint(ctx.reads, keyHint(key));
  return alike
    .filter((row) => ctx.secrets.decrypt(row.key_cipher) === key)
    .map((row) => row.channel_id);
}
