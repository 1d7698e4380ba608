/** Channels as administrators read them: with masked keys, and reasons in their language. */
import type * as z from 'zod/mini';
import type { Visit } from '../../api/call.ts';
import type { Channel } from '../../api/channels/channel.ts';
import type { Context } from '../../context.ts';
import { channelHealth } from '../../domain/channels/channel-health.ts';
import { storedText } from '../../locales/event-text.ts';
import { channelUse } from '../../store/ledger/ledger-sums.ts';
import { type ChannelKeyRow, channelKeysOf } from '../../store/tables/channel-keys-table.ts';
import {
  failingSince,
  latestOutcomes,
  type StoredOutcome,
} from '../../store/tables/channel-outcomes-table.ts';
import { type ChannelRow, channelById } from '../../store/tables/channels-table.ts';
import { eventAudience } from '../logs/audit.ts';
import { requireChannel } from './channel-fields.ts';
import { maskedKey } from './channel-keys.ts';
import { wordedStatusInfo } from './channel-reasons.ts';

type View = z.input<typeof Channel>;

interface ViewFacts {
  readonly keys: readonly ChannelKeyRow[];
  readonly used: number;
  /** The first failure, if the channel fails. */
  readonly failingSinceMs: number | undefined;
  readonly latest: StoredOutcome | undefined;
}

function shown(
  ctx: Pick<Context, 'options'>,
  channel: ChannelRow,
  { keys, used, failingSinceMs, latest }: ViewFacts,
  visit: Visit,
): View {
  const reader = eventAudience(ctx, visit.language);
  const health = channelHealth({
    status: channel.status,
    isFailing: failingSinceMs !== undefined,
    hasOutcomes: latest !== undefined,
  });
  return {
    ...channel,
    used_quota: used,
    other_info: wordedStatusInfo(channel.other_info, reader),
    health,
    failing_since: health === 'failing' ? Math.floor((failingSinceMs ?? 0) / 1000) : 0,
    latest_outcome:
      latest === undefined
        ? null
        : {
            ok: latest.ok,
            at_ms: latest.at_ms,
            latency_ms: latest.latency_ms,
            message: storedText(latest.message, reader),
          },
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
  visit: Visit,
): Promise<View[]> {
  const ids = rows.map((row) => row.id);
  const keys = await channelKeysOf(ctx.reads, ids);
  const used = await channelUse(ctx.reads, ids);
  const failing = await failingSince(ctx.reads, ids);
  const outcomes = await latestOutcomes(ctx.reads, ids, 1);
  const latest = new Map(outcomes.map((outcome) => [outcome.channel_id, outcome]));
  return rows.map((row) => {
    const facts = {
      keys: keys.get(row.id) ?? [],
      used: used.get(row.id) ?? 0,
      failingSinceMs: failing.get(row.id),
      latest: latest.get(row.id),
    };
    return shown(ctx, row, facts, visit);
  });
}

/** In a transaction: as it leaves the channel. @throws AppError `channel_missing`. */
export async function channelView(
  ctx: Pick<Context, 'options' | 'reads'>,
  id: number,
  visit: Visit,
): Promise<View> {
  const channel = requireChannel(await channelById(ctx.reads, id), id);
  const [view] = await channelViews(ctx, [channel], visit);
  return requireChannel(view, id);
}
