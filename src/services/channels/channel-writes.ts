/** Final steps shared by every write of one or more channels. */
import type { Actor } from '../../api/call.ts';
import { nowSec } from '../../context.ts';
import type { ChannelSet, GatewayEvent } from '../../domain/logs/events.ts';
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import { rebuildAbilities } from '../../store/tables/abilities-table.ts';
import { announceChanges } from '../../store/tables/changes-table.ts';
import { enableAllKeys } from '../../store/tables/channel-keys-table.ts';
import { lockChannels, updateChannels } from '../../store/tables/channel-sets.ts';
import type { ChannelFields, ChannelRow } from '../../store/tables/channels-table.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { recordAction } from '../logs/audit.ts';

type AboutChannels = Extract<GatewayEvent, { params: { channels: ChannelSet } }>;

/** An event of channels, with its parameters beside it and without the channels. */
export type ChannelEvent = {
  [E in AboutChannels as E['event']]: { readonly event: E['event'] } & Omit<
    E['params'],
    'channels'
  >;
}[AboutChannels['event']];

/** Most ids that a log entry lists; above that only the count is given. */
const MAX_LISTED = 50;

/**
 * Writes the same fields to locked channels and updates what depends on them. Setting a status
 * counts as a manual change even if it stays the same: it clears the reason and re-enables keys.
 */
export async function changeChannels(
  ctx: TxContext,
  ids: readonly number[],
  fields: Partial<ChannelFields>,
): Promise<void> {
  await updateChannels(ctx.db, ids, fields);
  if (fields.status !== undefined) await setStatusOf(ctx, ids, fields.status, '');
  await finishWrite(ctx, ids);
}

/** Does not update abilities; call `finishWrite` afterwards. */
export async function setStatusOf(
  ctx: TxContext,
  ids: readonly number[],
  status: number,
  reason: string,
): Promise<void> {
  const other_info = JSON.stringify({ status_reason: reason, status_time: nowSec(ctx) });
  await updateChannels(ctx.db, ids, { status, other_info });
  if (status === CHANNEL_STATUS.enabled) await enableAllKeys(ctx.db, ids);
}

/** Rebuilds the abilities of the channels, announces the change to caches and returns them. */
export async function finishWrite(
  ctx: TxContext,
  ids: readonly number[],
): Promise<readonly ChannelRow[]> {
  const channels = await lockChannels(ctx.db, ids);
  await rebuildAbilities(ctx.db, ...channels);
  await announceChanges(ctx.db, 'channels', ids);
  return channels;
}

/** Writes a log entry about one or more channels. */
export function recordChannelAction(
  ctx: TxContext,
  actor: Actor,
  channels: readonly { readonly id: number; readonly name: string }[],
  { event, ...params }: ChannelEvent,
): Promise<void> {
  const [only] = channels;
  const count = channels.length;
  const named: ChannelSet =
    only !== undefined && count === 1 ? { count, id: only.id, name: only.name } : { count };
  const ids = channels.slice(0, MAX_LISTED).map((channel) => channel.id);
  return recordAction(ctx, actor, {
    action: 'channel_change',
    event: { event, params: { channels: named, ...params } } as GatewayEvent, // by its type
    facts: channels.length === 1 ? { channel_id: only?.id } : { channel_ids: ids },
  });
}
