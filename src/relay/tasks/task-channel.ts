/**
 * Finds the channel and key that a task was submitted with, even if disabled, because no other
 * account knows the task.
 */
import type { Context } from '../../context.ts';
import { type ChannelEntry, readChannelEntry } from '../../services/cache/routing-cache.ts';
import type { StoredTask } from '../../store/tables/task-rows.ts';

export interface TaskChannel {
  readonly channel: ChannelEntry;
  readonly key: string;
}

/**
 * Undefined when the channel is deleted. If the key is deleted, the channel's first key is used.
 */
export async function channelOfTask(
  ctx: Context,
  { channelId, keyId }: Pick<StoredTask, 'channelId' | 'keyId'>,
): Promise<TaskChannel | undefined> {
  const channel = await readChannelEntry(ctx.reads, ctx.secrets, ctx.log, channelId, {
    allKeys: true,
  });
  if (channel === undefined) return undefined;
  const key = channel.keys.find(({ id }) => id === keyId) ?? channel.keys[0];
  return { channel, key: key?.key ?? '' };
}
