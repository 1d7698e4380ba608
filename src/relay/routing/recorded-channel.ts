/**
 * Finds the channel and key that a task or a background response was submitted with, even if
 * disabled, because no other account knows it.
 */
import type { Context } from '../../context.ts';
import { type ChannelEntry, readChannelEntry } from '../../services/cache/routing-cache.ts';

export interface RecordedChannel {
  readonly channel: ChannelEntry;
  readonly key: string;
}

/**
 * Undefined when the channel is deleted. If the key is deleted, the channel's first key is used.
 */
export async function recordedChannel(
  ctx: Context,
  { channelId, keyId }: { readonly channelId: number; readonly keyId: number },
): Promise<RecordedChannel | undefined> {
  const channel = await readChannelEntry(ctx.reads, ctx.secrets, ctx.log, channelId, {
    allKeys: true,
  });
  if (channel === undefined) return undefined;
  const key = channel.keys.find(({ id }) => id === keyId) ?? channel.keys[0];
  return { channel, key: key?.key ?? '' };
}
