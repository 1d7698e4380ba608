/**
 * Applies the outcome of a channel test to the tested key and the channel, as the options allow.
 */
import type { Context } from '../context.ts';
import type { ChannelEntry } from '../services/cache/routing-cache.ts';
import { disableChannel, disableKey, enableKey } from '../services/channels/channel-health.ts';
import { refusalReason } from '../services/channels/channel-reasons.ts';
import { endKeyCooldowns } from '../services/channels/stored-key-cooldowns.ts';
import { shouldDisable } from '../upstream-errors/error-policy.ts';
import type { TestOutcome } from './test-outcome.ts';

/**
 * A success re-enables a key that was disabled automatically; an error that shows an invalid key,
 * or a slow answer, disables the key. A channel without keys is slow itself.
 */
export async function applyTestOutcome(
  ctx: Context,
  channel: ChannelEntry,
  outcome: TestOutcome,
): Promise<void> {
  const options = ctx.options();
  const key = channel.keys[0];
  const channelId = channel.id;
  if (outcome.message === '') {
    if (key === undefined) return;
    await endKeyCooldowns(ctx, { channelId, keyIds: [key.id] });
    if (options.get('AutomaticEnableChannelEnabled'))
      await enableKey(ctx, { channelId, keyId: key.id });
    return;
  }
  if (!options.get('AutomaticDisableChannelEnabled') || !channel.autoBan) return;
  const { slow } = outcome;
  if (slow !== undefined && key === undefined)
    return void (await disableChannel(ctx, { channelId, reason: slow }));
  if (key === undefined) return;
  if (slow !== undefined)
    return void (await disableKey(ctx, { channelId, keyId: key.id, reason: slow }));
  if (outcome.error === undefined) return;
  const question = {
    channelType: channel.type,
    keywords: options.get('AutomaticDisableKeywords'),
    // The test's own request contains nothing of a caller.
    isInRequest: () => false,
  };
  if (shouldDisable(outcome.error, question))
    await disableKey(ctx, {
      channelId,
      keyId: key.id,
      reason: refusalReason(outcome.error),
    });
}
