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
import { pinnedChannel } from '../routing/candidates.ts';
import { noChannel } from '../routing/no-channel.ts';
import { taskScopeOf } from './task-call.ts';

export interface TaskCandidates {
  /** The upstream id of the task it continues; '' without one. */
  readonly originUpstreamId: string;
  /** Maximum number of attempts. */
  readonly attempts: number;
  /**
   * The next channel to try; undefined when none is left.
   * @throws AppError channel_resting when all are in cooldown.
   */
  next(number: number, tried: ReadonlySet<number>): Choice | undefined;
}

interface Submission {
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
  submission: Submission,
): Promise<TaskCandidates> {
  const { provider, plan, caller } = submission;
  if (plan.origin !== undefined)
    return candidatesOfOrigin(relay, submission, await originOf(relay, submission));
  if (caller.pinned !== '') {
    const channel = pinnedChannel(relay, caller.pinned);
    requireType(provider, plan, channel);
    return singleChoice(relay.chooser.pinned(channel, plan.model), '');
  }
  const all = relay.routing.candidates(caller.group, plan.model);
  if (all.length === 0) throw noChannel(relay, modelOf(submission));
  const candidates = all.filter(({ type }) => provider.channelTypes.includes(type));
  if (candidates.length === 0) throw wrongType(submission);
  return {
    originUpstreamId: '',
    attempts: 1 + relay.ctx.options().get('RetryTimes'),
    next: (number, tried) => nextOf(relay, submission, candidates, number, tried),
  };
}

function nextOf(
  relay: Ports<'chooser'>,
  { plan, caller: { group } }: Submission,
  candidates: readonly ChannelEntry[],
  attempt: number,
  tried: ReadonlySet<number>,
): Choice | undefined {
  const { model } = plan;
  const chosen = relay.chooser.choose({ candidates, model, attempt, tried });
  if (chosen === undefined || 'channel' in chosen) return chosen;
  if (tried.size > 0) return undefined;
  const wait = { retryAfterSec: Math.max(1, Math.ceil(chosen.waitMs / 1000)) };
  throw new AppError('channel_resting', { group, model }, wait);
}

async function originOf(
  relay: Ports<'ctx'>,
  { provider, plan, caller }: Submission,
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
  submission: Submission,
  origin: StoredTask,
): TaskCandidates {
  const { provider, plan } = submission;
  const channel = relay.routing.channel(origin.channelId);
  if (channel === undefined || channel.status !== CHANNEL_STATUS.enabled)
    throw new AppError('channel_disabled');
  requireType(provider, plan, channel);
  if (!channel.models.has(plan.model)) throw noChannel(relay, modelOf(submission));
  const key = channel.keys.find(({ id }) => id === origin.keyId) ?? channel.keys[0];
  return singleChoice(key && { channel, key }, origin.upstreamId);
}

function singleChoice(choice: Choice | undefined, originUpstreamId: string): TaskCandidates {
  if (choice === undefined) throw new AppError('channel_disabled');
  return {
    originUpstreamId,
    attempts: 1,
    next: (_number, tried) => (tried.size === 0 ? choice : undefined),
  };
}

function requireType(provider: TaskProvider, plan: TaskPlan, { type }: ChannelEntry): void {
  if (!provider.channelTypes.includes(type)) throw wrongType({ provider, plan });
}

function wrongType({ provider, plan }: Pick<Submission, 'provider' | 'plan'>): AppError {
  return new AppError('endpoint_unsupported', { model: plan.model, endpoint: provider.platform });
}

function modelOf({ plan: { model }, caller: { group } }: Submission) {
  return { group, model };
}
