/** Tests channels for tasks with a query that names no task and costs nothing. */
import type { Context } from '../context.ts';
import { AppError } from '../domain/errors/errors.ts';
import { parseJson } from '../json/read-json.ts';
import { TASK_PROVIDERS } from '../providers/tasks/all.ts';
import { type Reply, sendRequest } from '../relay/http/channel-exchange.ts';
import { taskRequestOf } from '../relay/tasks/task-upstream.ts';
import type { ChannelEntry } from '../services/cache/routing-cache.ts';

/** The upstream's reply, and whether it conforms to the protocol. @throws as `sendRequest`. */
export async function pollNoTask(
  ctx: Context,
  channel: ChannelEntry,
  signal: AbortSignal | undefined,
): Promise<{ readonly reply: Reply; readonly isAnswer: boolean }> {
  const provider = TASK_PROVIDERS.find(({ channelTypes }) => channelTypes.includes(channel.type));
  if (provider === undefined) throw new AppError('internal');
  const { poll } = provider;
  const key = channel.keys[0]?.key ?? '';
  const question = taskRequestOf(ctx, provider, { channel, key }, poll.build([]));
  const reply = await sendRequest(ctx, channel, { ...question, signal });
  return { reply, isAnswer: poll.isAnswer(parseJson(reply.text)) };
}
