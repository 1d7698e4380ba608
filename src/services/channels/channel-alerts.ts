/** Reports channels that fail although they are enabled, and models that they leave without a channel. */
import type { Context } from '../../context.ts';
import { modelsServedOnlyBy } from '../../store/tables/abilities-table.ts';
import { enabledFailingIds } from '../../store/tables/channel-outcomes-table.ts';
import { channelById } from '../../store/tables/channels-table.ts';
import { notifyFailingChannel, notifyModelsDown } from '../messaging/notify/events.ts';

/** Long enough that a short outage causes no message. */
const FAILING_FOR_MS = 5 * 60_000;
/** More failing channels have one cause, and one message says so. */
const MOST_CHANNELS = 10;

/** Each channel is reported at most once a day, and so is each set of models. */
export async function reportFailures(ctx: Context, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const sinceMs = ctx.now() - FAILING_FOR_MS;
  const failing = await enabledFailingIds(ctx.reads, sinceMs);
  if (failing.length === 0) return;
  for (const id of failing.slice(0, MOST_CHANNELS)) {
    const channel = await channelById(ctx.reads, id);
    if (channel !== undefined) notifyFailingChannel(ctx, channel);
  }
  const models = await modelsServedOnlyBy(ctx.reads, failing);
  if (models.length > 0) notifyModelsDown(ctx, models);
}
