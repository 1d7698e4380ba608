/** Reports channels that fail although they are enabled, and models that they leave without a channel. */
import { type Context, nowSec } from '../../context.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import { modelsOfBrokenChannels, workingModels } from '../../store/tables/abilities-table.ts';
import { alertStates, beginAlert, endAlert } from '../../store/tables/alert-states-table.ts';
import { enabledFailingIds } from '../../store/tables/channel-outcomes-table.ts';
import { channelById } from '../../store/tables/channels-table.ts';
import { notifyFailingChannel, notifyModels } from '../messaging/notify/events.ts';

/** Long enough that a short outage causes no message. */
const FAILING_FOR_MS = 5 * 60_000;
/** More failing channels have one cause, and one message says so. */
const MOST_CHANNELS = 10;

/** Each channel is reported at most once a day, a model once until it works again. */
export async function reportFailures(ctx: Context, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const failing = await enabledFailingIds(ctx.reads, ctx.now() - FAILING_FOR_MS);
  for (const id of failing.slice(0, MOST_CHANNELS)) {
    const channel = await channelById(ctx.reads, id);
    if (channel !== undefined) notifyFailingChannel(ctx, channel);
  }
  await reportModels(ctx, failing);
}

/** Of several processes, the one that changes the row of a model sends the notification. */
async function reportModels(ctx: Context, failing: readonly number[]): Promise<void> {
  const broken = await modelsOfBrokenChannels(ctx.reads, failing);
  const reported = await alertStates(ctx.reads, 'model_down');
  const known = new Set(reported.map(({ subject }) => subject));
  const working = await workingModels(ctx.reads, [...new Set([...broken, ...known])], failing);
  const down = new Set(broken.filter((model) => !working.has(model)));
  const since_at = nowSec(ctx);
  const { lost, back } = await inTransaction(ctx, async ({ db }) => ({
    lost: await claimed([...down].filter(isNotIn(known)), (subject) =>
      beginAlert(db, 'model_down', { subject, since_at, note: '' }),
    ),
    back: await claimed([...known].filter(isNotIn(down)), (subject) =>
      endAlert(db, 'model_down', subject),
    ),
  }));
  notifyModels(ctx, 'models_down', lost);
  // A model that no enabled channel has any more is neither down nor back.
  const again = back.filter((model) => working.has(model));
  notifyModels(ctx, 'models_back', again);
}

function isNotIn(models: ReadonlySet<string>): (model: string) => boolean {
  return (model) => !models.has(model);
}

async function claimed(
  models: readonly string[],
  claim: (model: string) => Promise<boolean>,
): Promise<string[]> {
  const mine: string[] = [];
  for (const model of models) if (await claim(model)) mine.push(model);
  return mine;
}
