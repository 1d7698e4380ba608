/** The channel and key that a task was submitted with, in service or not: no other knows it. */
import type { Context } from '../../context.ts';
import { type ChannelEntry, readChannel } from '../../services/cache/routing-cache.ts';
import type { StoredTask } from '../../store/tables/task-rows.ts';

export interface TaskChannel {
  readonly channel: ChannelEntry;
  readonly key: string;
}

/** Undefined when the channel is gone. A key that is gone is stood in for by the channel's first. */
export async function channelOfTask(
  ctx: Context,
  { channelId, keyId }: Pick<StoredTask, 'channelId' | 'keyId'>,
): Promise<TaskChannel | undefined> {
  const channel = await readChannel(ctx.reads, ctx.secrets, ctx.log, channelId, { allKeys: true });
  if (channel === undefined) return undefined;
  const key = channel.keys.find(({ id }) => id === keyId) ?? channel.keys[0];
  return { channel, key: key?.key ?? '' };
}
