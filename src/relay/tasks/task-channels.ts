/**
 * Finds the channels for a submission: any that offers the action, or the channel of the task that
 * it continues.
 */
import { AppError } from '../../domain/errors/errors.ts';
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import type { TaskPlan, TaskProvider } from '../../providers/tasks/task-provider.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import { type StoredTask, tasksOfUser } from '../../store/tables/task-rows.ts';
import type { Caller } from '../call/caller.ts';
import type { Choice } from '../call/choice.ts';
import type { Ports } from '../call/relay-ports.ts';
import type { Candidates } from '../features/feature.ts';
import { pinnedChannel } from '../routing/candidates.ts';
import { noChannel } from '../routing/no-channel.ts';
import { taskScopeOf } from './task-call.ts';

export interface TaskCandidates extends Candidates {
  /** The upstream id of the task it continues; '' without one. */
  readonly originUpstreamId: string;
}

interface Asked {
  readonly provider: TaskProvider;
  readonly plan: TaskPlan;
  readonly caller: Caller;
}

/**
 * @throws AppError model_unknown, channel_none, channel_disabled, channel_id_invalid, endpoint_unsupported,
 * task_missing, task_unfinished.
 */
export async function taskCandidatesFor(
  relay: Ports<'chooser' | 'ctx' | 'routing'>,
  asked: Asked,
): Promise<TaskCandidates> {
  const { provider, plan, caller } = asked;
  if (plan.origin !== undefined)
    return candidatesOfOrigin(relay, asked, await originOf(relay, asked));
  if (caller.pinned !== '') {
    const channel = pinnedChannel(relay, caller.pinned);
    requireType(provider, plan, channel);
    return onlyChoice(relay.chooser.pinned(channel, plan.model), '');
  }
  const all = relay.routing.candidates(caller.group, plan.model);
  if (all.length === 0) throw noChannel(relay, modelOf(asked));
  const channels = all.filter(({ type }) => provider.channelTypes.includes(type));
  if (channels.length === 0) throw wrongType(asked);
  return { channels, originUpstreamId: '' };
}

async function originOf(
  relay: Ports<'ctx'>,
  { provider, plan, caller }: Asked,
): Promise<StoredTask> {
  const publicId = plan.origin?.publicId ?? '';
  const share = taskScopeOf(provider);
  const found = await tasksOfUser(relay.ctx.reads, share, caller.user.id, {
    publicIds: [publicId],
  });
  const [origin] = found;
  if (origin === undefined) throw new AppError('task_missing', { task: publicId });
  const isTooEarly = plan.origin?.mustHaveSucceeded && origin.status !== 'SUCCESS';
  if (isTooEarly || origin.upstreamId === '')
    throw new AppError('task_unfinished', { task: publicId });
  return origin;
}

/** A continued task must go to the upstream account that created the original. */
function candidatesOfOrigin(
  relay: Ports<'routing'>,
  asked: Asked,
  origin: StoredTask,
): TaskCandidates {
  const { provider, plan } = asked;
  const channel = relay.routing.channel(origin.channelId);
  if (channel === undefined || channel.status !== CHANNEL_STATUS.enabled)
    throw new AppError('channel_disabled');
  requireType(provider, plan, channel);
  if (!channel.models.has(plan.model)) throw noChannel(relay, modelOf(asked));
  const key = channel.keys.find(({ id }) => id === origin.keyId) ?? channel.keys[0];
  return onlyChoice(key && { channel, key }, origin.upstreamId);
}

function onlyChoice(required: Choice | undefined, originUpstreamId: string): TaskCandidates {
  if (required === undefined) throw new AppError('channel_disabled');
  return { channels: [required.channel], required, originUpstreamId };
}

function requireType(provider: TaskProvider, plan: TaskPlan, { type }: ChannelEntry): void {
  if (!provider.channelTypes.includes(type)) throw wrongType({ provider, plan });
}

function wrongType({ provider, plan }: Pick<Asked, 'provider' | 'plan'>): AppError {
  return new AppError('endpoint_unsupported', { model: plan.model, endpoint: provider.platform });
}

function modelOf({ plan: { model }, caller: { group } }: Asked) {
  return { group, model };
}
