/**
 * Applies an upstream's report to a task: updates the row, refunds a failure, and notifies an owner
 * who requested a callback. Poll, callback and timeout all use it, possibly at the same time.
 */
import type { Context } from '../../context.ts';
import { nowSec } from '../../context.ts';
import type { GatewayEvent } from '../../domain/logs/events.ts';
import type { TaskColumns } from '../../domain/task.ts';
import { storedEvent } from '../../locales/event-text.ts';
import type { TaskProvider, TaskReport } from '../../providers/tasks/task-provider.ts';
import { writing } from '../../services/cluster/announced-write.ts';
import { ownerAudience } from '../../services/logs/audit.ts';
import { fetchForUser } from '../../services/network/worker-fetch.ts';
import { wordedTask } from '../../services/tasks/task-reasons.ts';
import { refundTask } from '../../services/tasks/task-refunds.ts';
import { type StoredTask, taskTime, updateTask } from '../../store/tables/task-rows.ts';

const HOOK_TIMEOUT_MS = 10_000;
const NO_REASON = storedEvent({ event: 'task_without_reason' });

/** True when the report changed something. */
export async function applyReport(
  ctx: Context,
  provider: TaskProvider,
  task: StoredTask,
  report: TaskReport,
): Promise<boolean> {
  const changes = changesIn(task, report);
  if (changes === undefined) return false;
  const columns = report.outcome === 'open' ? changes : withEnd(ctx, task, changes);
  const { fail_reason: reason = NO_REASON } = report.columns;
  return move(
    ctx,
    provider,
    task,
    columns,
    report.outcome === 'failed' ? String(reason) : undefined,
  );
}

/** Fails a task that can no longer finish, for a reason of the gateway. */
export function failTask(
  ctx: Context,
  provider: TaskProvider,
  task: StoredTask,
  event: GatewayEvent,
): Promise<boolean> {
  const reason = storedEvent(event);
  const columns = { status: 'FAILURE', fail_reason: reason };
  return move(ctx, provider, task, withEnd(ctx, task, columns), reason);
}

/** Columns whose values differ from the stored row; undefined for none. */
function changesIn(
  { row }: StoredTask,
  { columns, ifEmpty = {} }: TaskReport,
): TaskColumns | undefined {
  const isNew = ([column, value]: [string, string | number]) =>
    String(row[column] ?? '') !== String(value);
  const isMissing = ([column]: [string, string | number]) => String(row[column] ?? '') === '';
  const changes = [
    ...Object.entries(columns).filter(isNew),
    ...Object.entries(ifEmpty).filter(isMissing),
  ];
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

/** Sets a finish time even when the upstream sends none. */
function withEnd(ctx: Context, { table }: StoredTask, columns: TaskColumns): TaskColumns {
  return { finish_time: taskTime(table, ctx.now()), ...columns };
}

async function move(
  ctx: Context,
  provider: TaskProvider,
  task: StoredTask,
  columns: TaskColumns,
  failure: string | undefined,
): Promise<boolean> {
  const moved = await writing(ctx, async (ctx) => {
    const touched: TaskColumns = task.table === 'tasks' ? { updated_at: nowSec(ctx) } : {};
    const moved = await updateTask(ctx.db, task, { ...columns, ...touched });
    if (moved !== undefined && failure !== undefined) await refundTask(ctx, moved, failure);
    return moved;
  });
  if (moved === undefined) return false;
  if (moved.notifyHook !== '') notifyOwner(ctx, provider, moved);
  return true;
}

/** One delivery attempt, in the background; an owner who misses it can still poll. */
function notifyOwner(ctx: Context, provider: TaskProvider, task: StoredTask): void {
  if (provider.callbacks?.isWanted(ctx.options()) !== true) return;
  const shown = provider.shown(wordedTask(task.row, ownerAudience(ctx, 'en')), {
    options: ctx.options(),
    nowMs: ctx.now(),
  });
  ctx.background.run('reporting a task', async () => {
    await fetchForUser(ctx, task.notifyHook, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(shown),
      timeoutMs: HOOK_TIMEOUT_MS,
    });
  });
}
