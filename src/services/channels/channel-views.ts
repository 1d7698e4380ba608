/** Channels as administrators read them: with masked keys, and reasons in their language. */
import type * as z from 'zod/mini';
import { terminalVisit, type Visit } from '../../api/call.ts';
import type { Channel } from '../../api/channels/channel.ts';
import type { Context } from '../../context.ts';
import { storedText } from '../../locales/event-text.ts';
import { type ChannelKeyRow, channelKeysOf } from '../../store/tables/channel-keys-table.ts';
import { type ChannelRow, channelById } from '../../store/tables/channels-table.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { eventAudience } from '../logs/audit.ts';
import { requireChannel } from './channel-fields.ts';
import { maskedKey } from './channel-keys.ts';
import { wordedStatusInfo } from './channel-reasons.ts';

type View = z.input<typeof Channel>;

export function channelView(
  ctx: Pick<Context, 'options'>,
  channel: ChannelRow,
  keys: readonly ChannelKeyRow[],
  visit: Visit = terminalVisit(),
): View {
  const reader = eventAudience(ctx, visit.language);
  return {
    ...channel,
    other_info: wordedStatusInfo(channel.other_info, reader),
    key: maskedKey(keys),
    keys: keys.map((row) => ({
      id: row.id,
      position: row.position,
      hint: row.key_hint,
      status: row.status,
      reason: storedText(row.reason, reader),
      disabled_at: row.disabled_at,
      resting_until: row.resting_until,
      rest_model: row.rest_model,
      rest_reason: storedText(row.rest_reason, reader),
    })),
  };
}

export async function channelViews(
  ctx: Context,
  rows: readonly ChannelRow[],
  visit: Visit | undefined,
): Promise<View[]> {
  const keys = await channelKeysOf(
    ctx.reads,
    rows.map((row) => row.id),
  );
  return rows.map((row) => channelView(ctx, row, keys.get(row.id) ?? [], visit));
}

/** The channel as the current transaction leaves it. */
export async function storedChannelView(
  ctx: TxContext,
  id: number,
  visit: Visit | undefined,
): Promise<View> {
  const channel = requireChannel(await channelById(ctx.db, id), id);
  const keys = (await channelKeysOf(ctx.db, [id])).get(id) ?? [];
  return channelView(ctx, channel, keys, visit);
}
