/** Bulk changes of channels, all or nothing; each call returns the number of affected channels. */

import type { Actor, Service } from '../../api/call.ts';
import type { channelBatchCalls } from '../../api/channels/channel-batch.ts';
import type { Context } from '../../context.ts';
import { definedFields } from '../../domain/defined-fields.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { deleteBudgetsOf } from '../../store/tables/budget-records.ts';
import { announceChanges } from '../../store/tables/changes-table.ts';
import {
  deleteChannels,
  lockChannels,
  lockDisabledChannels,
} from '../../store/tables/channel-sets.ts';
import type { ChannelFields, ChannelRow } from '../../store/tables/channels-table.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import { type ChannelEvent, changeChannels, recordChannelAction } from './channel-writes.ts';
import { reportingModels } from './model-impact.ts';

type Calls = Service<typeof channelBatchCalls, Context>;

export const remove: Calls['remove'] = (ctx, actor, { ids }, visit) =>
  writing(ctx, async (ctx) => {
    const channels = await lockChannels(ctx.db, ids);
    return reportingModels(ctx, visit, ids, () => removeAll(ctx, actor, channels));
  });

export const removeDisabled: Calls['removeDisabled'] = (ctx, actor) =>
  writing(ctx, async (ctx) => removeAll(ctx, actor, await lockDisabledChannels(ctx.db)));

export const setTag: Calls['setTag'] = (ctx, actor, { ids, tag }) =>
  writing(ctx, async (ctx) => {
    const channels = await lockChannels(ctx.db, ids);
    return changeLockedChannels(
      ctx,
      actor,
      channels,
      { tag: tag ?? '' },
      tag === null ? { event: 'channel_untagged' } : { event: 'channel_tagged', tag },
    );
  });

/** @throws AppError `input_invalid` when no field was sent. */
export const edit: Calls['edit'] = async (ctx, actor, { ids, impact: _, ...sent }, visit) => {
  const fields = definedFields(sent);
  if (Object.keys(fields).length === 0) throw invalidInput('status', 'batch_empty');
  return writing(ctx, async (ctx) => {
    const channels = await lockChannels(ctx.db, ids);
    return reportingModels(ctx, visit, ids, () =>
      changeLockedChannels(ctx, actor, channels, fields, { event: 'channel_set', values: fields }),
    );
  });
};

/** Writes the fields to locked channels and logs the change. */
export async function changeLockedChannels(
  ctx: TxContext,
  actor: Actor,
  channels: readonly ChannelRow[],
  fields: Partial<ChannelFields>,
  event: ChannelEvent,
): Promise<number> {
  if (channels.length === 0) return 0;
  await changeChannels(ctx, idsOf(channels), fields);
  await recordChannelAction(ctx, actor, channels, event);
  return channels.length;
}

async function removeAll(
  ctx: TxContext,
  actor: Actor,
  channels: readonly ChannelRow[],
): Promise<number> {
  if (channels.length === 0) return 0;
  const gone = await deleteChannels(ctx.db, idsOf(channels));
  await deleteBudgetsOf(ctx.db, 'channel', idsOf(channels));
  await announceChanges(ctx.db, 'channels', idsOf(channels));
  await recordChannelAction(ctx, actor, channels, { event: 'channel_deleted' });
  return gone;
}

function idsOf(channels: readonly ChannelRow[]): number[] {
  return channels.map((channel) => channel.id);
}
