/**
 * Polls the upstreams for the state of unfinished tasks, in batches per channel and key, and fails
 * the tasks that can no longer finish.
 */

import type { Context } from '../../context.ts';
import type { GatewayEvent } from '../../domain/logs/events.ts';
import { parseJson } from '../../json/read-json.ts';
import { TASK_PROVIDERS } from '../../providers/tasks/all.ts';
import type { TaskProvider, TaskReport } from '../../providers/tasks/task-provider.ts';
import { inParallel } from '../../services/cluster/in-parallel.ts';
import { LeaseLost } from '../../services/cluster/lease-work.ts';
import { type StoredTask, unfinishedTasks } from '../../store/tables/task-rows.ts';
import { sendRequest } from '../http/channel-exchange.ts';
import { type RecordedChannel, recordedChannel } from '../routing/recorded-channel.ts';
import { applyReport, failTask } from './report-task.ts';
import { taskScopeOf } from './task-call.ts';
import { taskRequestOf } from './task-upstream.ts';

const PAGE = 500;
const WIDTH = 4;
const TIMEOUT_MS = 15_000;
/** A submission takes less time than this; an older one lost its process. */
const SUBMITTING_MS = 10 * 60_000;

/** Stops early, by throwing, when `signal` fires. */
export async function pollTasks(ctx: Context, signal: AbortSignal): Promise<void> {
  for (const provider of TASK_PROVIDERS) {
    let afterId = 0;
    for (;;) {
      signal.throwIfAborted();
      const window = { afterId, limit: PAGE };
      const tasks = await unfinishedTasks(ctx.reads, taskScopeOf(provider), window);
      await pollPage(ctx, provider, tasks, signal);
      if (tasks.length < PAGE) break;
      afterId = tasks.at(-1)?.id ?? afterId;
    }
  }
  signal.throwIfAborted();
}

async function pollPage(
  ctx: Context,
  provider: TaskProvider,
  tasks: readonly StoredTask[],
  signal: AbortSignal,
): Promise<void> {
  const submitted = tasks.filter(({ upstreamId }) => upstreamId !== '');
  for (const task of tasks.filter(({ upstreamId }) => upstreamId === ''))
    if (ctx.now() - task.submittedAtMs > SUBMITTING_MS)
      await failTask(ctx, provider, task, { event: 'task_not_taken' });
  await inParallel(batchesOf(provider, submitted), { width: WIDTH, signal }, async (batch) => {
    try {
      await pollBatch(ctx, provider, batch, signal);
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      const [first] = batch;
      ctx.log.error({ err: error, channelId: first?.channelId }, 'tasks could not be polled');
    }
  });
}

/** Tasks grouped by channel and key, in batches no larger than one upstream query allows. */
function batchesOf(provider: TaskProvider, tasks: readonly StoredTask[]): StoredTask[][] {
  const groups = new Map<string, StoredTask[]>();
  for (const task of tasks) {
    const name = `${task.channelId} ${task.keyId}`;
    groups.set(name, [...(groups.get(name) ?? []), task]);
  }
  const batches: StoredTask[][] = [];
  for (const group of groups.values())
    for (let at = 0; at < group.length; at += provider.poll.batch)
      batches.push(group.slice(at, at + provider.poll.batch));
  return batches;
}

async function pollBatch(
  ctx: Context,
  provider: TaskProvider,
  tasks: readonly StoredTask[],
  signal: AbortSignal,
): Promise<void> {
  const [first] = tasks;
  const target = first && (await recordedChannel(ctx, first));
  const reports =
    target === undefined
      ? new Map<string, TaskReport>()
      : await fetchReports(ctx, provider, target, tasks);
  for (const task of tasks) {
    if (signal.aborted) return;
    const report = reports.get(task.upstreamId);
    if (report !== undefined) await applyReport(ctx, provider, task, report);
    if (report !== undefined && report.outcome !== 'open') continue;
    if (target === undefined)
      await failTask(ctx, provider, task, { event: 'task_without_channel' });
    else if (ctx.now() - task.submittedAtMs > provider.lifetimeSec * 1000)
      await failTask(ctx, provider, task, overdue(provider));
  }
}

function overdue({ lifetimeSec }: TaskProvider): GatewayEvent {
  return { event: 'task_unfinished', params: { count: Math.round(lifetimeSec / 60) } };
}

/** Empty when the upstream does not answer; the next poll queries it again. */
async function fetchReports(
  ctx: Context,
  provider: TaskProvider,
  { channel, key }: RecordedChannel,
  tasks: readonly StoredTask[],
): Promise<ReadonlyMap<string, TaskReport>> {
  try {
    const request = taskRequestOf(ctx, provider, { channel, key }, provider.poll.build(tasks));
    const reply = await sendRequest(ctx, channel, { ...request, timeoutMs: TIMEOUT_MS });
    const reports = reply.status === 200 ? provider.poll.read(parseJson(reply.text)) : [];
    if (reply.status !== 200)
      ctx.log.warn(
        { channelId: channel.id, status: reply.status },
        'the state of tasks could not be read from an upstream',
      );
    return new Map(reports.map((report) => [report.upstreamId, report]));
  } catch (error) {
    ctx.log.warn(
      { err: error, channelId: channel.id },
      'the state of tasks could not be read from an upstream',
    );
    return new Map();
  }
}
