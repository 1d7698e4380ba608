/**
 * Serves a caller's own tasks from the database, and forwards queries that only the upstream can
 * answer.
 */

import { AppError } from '../../domain/errors/errors.ts';
import { isObject, parseJson } from '../../json/read-json.ts';
import { optionalText, requiredList } from '../../providers/tasks/fields.ts';
import type { TaskProvider } from '../../providers/tasks/task-provider.ts';
import { ownerAudience } from '../../services/logs/audit.ts';
import { wordedTask } from '../../services/tasks/task-reasons.ts';
import { type StoredTask, tasksOfUser } from '../../store/tables/task-rows.ts';
import { authenticate } from '../admission/authenticate.ts';
import { admitAddress, takeRateLimits } from '../admission/rate-limits.ts';
import { readAll } from '../body/read-fields.ts';
import { readSent } from '../call/call-intent.ts';
import type { Caller } from '../call/caller.ts';
import { callerLanguage, type Incoming } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import { asUpstreamFailure, sendThrough } from '../http/channel-exchange.ts';
import { recordedChannel } from '../routing/recorded-channel.ts';
import { read, whileReceived } from '../stages/read.ts';
import type { TaskAnswer } from './submit-task.ts';
import { taskScopeOf } from './task-call.ts';
import { taskRequestOf } from './task-upstream.ts';

const MOST_IDS = 500;
/** Limit of the body that lists task ids. */
const MOST_LIST_BYTES = 1024 * 1024;
const REQUEST_TIMEOUT_MS = 15_000;

/** @throws AppError task_missing; errors of authentication. */
export async function fetchTask(
  relay: Ports<'callers' | 'ctx'>,
  provider: TaskProvider,
  incoming: Incoming,
  publicId: string,
): Promise<TaskAnswer> {
  const task = await ownTask(relay, provider, await reader(relay, incoming), publicId);
  return { status: 200, body: provider.one(shownTask(relay, provider, incoming, task)) };
}

/** Returns the tasks of the caller among the ids in the body. @throws AppError field_*, body_*. */
export async function listTasks(
  relay: Ports<'callers' | 'ctx'>,
  provider: TaskProvider,
  incoming: Incoming,
): Promise<TaskAnswer> {
  const caller = await reader(relay, incoming);
  const received = read(incoming, caller.user.id, MOST_LIST_BYTES);
  const { sent } = await whileReceived(received, incoming, (whole) => readSent(whole, readAll));
  const ids = Array.isArray(sent.ids) && sent.ids.length === 0 ? [] : requiredList(sent, 'ids');
  const publicIds = [...new Set(ids.map(String))].slice(0, MOST_IDS);
  const action = optionalText(sent, 'action').toUpperCase() || undefined;
  const share = taskScopeOf(provider);
  const tasks = await tasksOfUser(relay.ctx.reads, share, caller.user.id, { publicIds, action });
  const shown = tasks.map((task) => shownTask(relay, provider, incoming, task));
  return { status: 200, body: provider.many(shown) };
}

/**
 * Sends a query about a task to its upstream and returns the answer.
 * @throws AppError task_missing, task_unfinished, upstream_*.
 */
export async function requestOfTask(
  relay: Ports<'callers' | 'ctx' | 'pools'>,
  provider: TaskProvider,
  incoming: Incoming,
  target: { readonly publicId: string; readonly name: string },
): Promise<TaskAnswer> {
  const caller = await authenticate(relay, incoming, 'read');
  // Counts towards rate limits, because unlike database reads it uses the upstream.
  const { countSuccess } = await takeRateLimits(relay, caller, incoming);
  const task = await ownTask(relay, provider, caller, target.publicId);
  const way = await recordedChannel(relay.ctx, task);
  const { upstreamId } = task;
  if (way === undefined) throw new AppError('channel_disabled');
  if (upstreamId === '' || provider.buildQuestion === undefined)
    throw new AppError('task_unfinished', { task: task.publicId });
  const request = provider.buildQuestion(upstreamId, target.name);
  const channelRequest = taskRequestOf(relay.ctx, provider, way, request);
  const withTimeout = { ...channelRequest, timeoutMs: REQUEST_TIMEOUT_MS };
  const reply = await sendThrough(relay.pools, relay.ctx, way.channel, withTimeout).catch(
    (error: unknown) => {
      throw asUpstreamFailure(error);
    },
  );
  const body = parseJson(reply.text);
  if (!isObject(body)) throw new AppError('upstream_garbled');
  await countSuccess();
  return { status: reply.status, body };
}

/** Authenticates a read, which is exempt from rate limits and needs no quota. */
async function reader(relay: Ports<'callers' | 'ctx'>, incoming: Incoming): Promise<Caller> {
  const caller = await authenticate(relay, incoming, 'read');
  admitAddress(caller, incoming);
  return caller;
}

async function ownTask(
  relay: Ports<'ctx'>,
  provider: TaskProvider,
  { user }: Caller,
  publicId: string,
): Promise<StoredTask> {
  const filter = { publicIds: [publicId] };
  const [task] = await tasksOfUser(relay.ctx.reads, taskScopeOf(provider), user.id, filter);
  if (task === undefined) throw new AppError('task_missing', { task: publicId });
  return task;
}

function shownTask(
  { ctx }: Ports<'ctx'>,
  provider: TaskProvider,
  incoming: Incoming,
  { row }: StoredTask,
) {
  const language = callerLanguage(incoming) ?? 'en';
  const site = { options: ctx.options(), nowMs: ctx.now() };
  return provider.shown(wordedTask(row, ownerAudience(ctx, language)), site);
}
