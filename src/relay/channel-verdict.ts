/** What a test means for the key it was made with and for its channel, where the options allow it. */
import type { Context } from '../context.ts';
import { shouldDisable } from '../providers/error-policy.ts';
import { disableChannel, disableKey, enableKey } from '../services/channel-health.ts';
import { wakeKeys } from '../services/key-rests.ts';
import type { ChannelEntry } from '../services/views/routing.ts';
import type { TrialOutcome } from './channel-trial.ts';

export interface Judging {
  /** An answer that takes longer counts as a failure. */
  readonly slowAfterMs: number;
}

/**
 * A good answer brings back what had gone by itself; a refusal that shows a dead key takes the key
 * away; an answer that comes too late takes the channel away.
 * @returns what is wrong with it all the same: '' or that it was slow.
 */
export async function judge(
  ctx: Context,
  channel: ChannelEntry,
  { outcome, timeMs }: { readonly outcome: TrialOutcome; readonly timeMs: number },
  { slowAfterMs }: Judging,
): Promise<string> {
  const options = ctx.options();
  const key = channel.keys[0];
  const mayDisable = options.get('AutomaticDisableChannelEnabled') && channel.autoBan;
  if (outcome.message === '') {
    if (key !== undefined) await wakeKeys(ctx, { channelId: channel.id, keyIds: [key.id] });
    const slow = slowness(timeMs, slowAfterMs);
    if (slow === '' && options.get('AutomaticEnableChannelEnabled') && key !== undefined)
      await enableKey(ctx, { channelId: channel.id, keyId: key.id });
    if (slow !== '' && mayDisable)
      await disableChannel(ctx, { channelId: channel.id, reason: slow });
    return slow;
  }
  if (!mayDisable || key === undefined || outcome.error === undefined) return '';
  const question = { channelType: channel.type, keywords: options.get('AutomaticDisableKeywords') };
  if (shouldDisable(outcome.error, question)) {
    await disableKey(ctx, {
      channelId: channel.id,
      keyId: key.id,
      reason: `${outcome.status} ${outcome.message}`,
    });
  }
  return '';
}

function slowness(timeMs: number, slowAfterMs: number): string {
  if (timeMs <= slowAfterMs) return '';
  return `slow: ${(timeMs / 1000).toFixed(1)} s, at most ${slowAfterMs / 1000} s are allowed`;
}
