/** Channels as administrators read them: with masked keys, and reasons in their language. */
import type * as z from 'zod/mini';
import { terminalVisit, type Visit } from '../../api/call.ts';
import type { Channel } from '../../api/channels/channel.ts';
import type { Context } from '../../context.ts';
import { storedText } from '../../locales/event-text.ts';
import { channelUse } from '../../store/ledger/ledger-sums.ts';
import { type ChannelKeyRow, channelKeysOf } from '../../store/tables/channel-keys-table.ts';
import { type ChannelRow, channelById } from '../../store/tables/channels-table.ts';
import { eventAudience } from '../logs/audit.ts';
import { requireChannel } from './channel-fields.ts';
import { maskedKey } from './channel-keys.ts';
import { wordedStatusInfo } from './channel-reasons.ts';

type View = z.input<typeof Channel>;

function shown(
  ctx: Pick<Context, 'options'>,
  channel: ChannelRow,
  { keys, used }: { readonly keys: readonly ChannelKeyRow[]; readonly used: number },
  visit: Visit = terminalVisit(),
): View {
  const reader = eventAudience(ctx, visit.language);
  return {
    ...channel,
    used_quota: used,
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
  ctx: Pick<Context, 'options' | 'reads'>,
  rows: readonly ChannelRow[],
  visit: Visit | undefined,
): Promise<View[]> {
  const ids = rows.map((row) => row.id);
  const keys = await channelKeysOf(ctx.reads, ids);
  const used = await channelUse(ctx.reads, ids);
  return rows.map((row) =>
    shown(ctx, row, { keys: keys.get(row.id) ?? [], used: used.get(row.id) ?? 0 }, visit),
  );
}

/** In a transaction: as it leaves the channel. @throws AppError `channel_missing`. */
export async function channelView(
  ctx: Pick<Context, 'options' | 'reads'>,
  id: number,
  visit: Visit | undefined,
): Promise<View> {
  const channel = requireChannel(await channelById(ctx.reads, id), id);
  const keys = (await channelKeysOf(ctx.reads, [id])).get(id) ?? [];
  const used = (await channelUse(ctx.reads, [id])).get(id) ?? 0;
  return shown(ctx, channel, { keys, used }, visit);
}
