/** API calls of the task logs: administrators see all tasks, others their own. */
import type * as z from 'zod/mini';
import { type MjTask, mjTaskCalls, type Task, taskCalls } from '../../../../src/api/logs/task.ts';
import { client } from '../../lib/api/api.ts';

export type ImageTask = z.output<typeof MjTask>;
export type TaskRow = z.output<typeof Task>;

const imageTasks = client(mjTaskCalls);
const tasks = client(taskCalls);

/** Times in milliseconds, like all of image tasks. */
export type ImageTaskQuery = z.input<typeof mjTaskCalls.list.input>;
/** Times in seconds. */
export type TaskQuery = z.input<typeof taskCalls.list.input>;

export function listImageTasks(
  isAdmin: boolean,
  query: ImageTaskQuery,
  signal: AbortSignal,
): ReturnType<typeof imageTasks.list> {
  return isAdmin ? imageTasks.list(query, { signal }) : imageTasks.listOwn(query, { signal });
}

export function listTasks(
  isAdmin: boolean,
  query: TaskQuery,
  signal: AbortSignal,
): ReturnType<typeof tasks.list> {
  return isAdmin ? tasks.list(query, { signal }) : tasks.listOwn(query, { signal });
}
