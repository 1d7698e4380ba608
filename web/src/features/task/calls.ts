/** API calls of the task logs: administrators see all tasks, others their own. */
import type * as z from 'zod/mini';
import { type MjTask, mjTaskCalls, type Task, taskCalls } from '../../../../src/api/logs/task.ts';
import { client } from '../../lib/api/api.ts';

export type ImageTask = z.output<typeof MjTask>;
export type TaskRow = z.output<typeof Task>;

const imageTasks = client(mjTaskCalls);
const tasks = client(taskCalls);

export interface ImageTaskQuery {
  readonly p: number;
  readonly page_size: number;
  readonly mj_id?: string;
  readonly channel_id?: number;
  /** Milliseconds, like all times of image tasks. */
  readonly start_timestamp?: number;
  readonly end_timestamp?: number;
}

export function listImageTasks(
  isAdmin: boolean,
  query: ImageTaskQuery,
  signal: AbortSignal,
): ReturnType<typeof imageTasks.list> {
  return isAdmin ? imageTasks.list(query, { signal }) : imageTasks.listOwn(query, { signal });
}

export interface TaskQuery {
  readonly p: number;
  readonly page_size: number;
  readonly task_id?: string;
  readonly channel_id?: number;
  /** Seconds. */
  readonly start_timestamp?: number;
  readonly end_timestamp?: number;
}

export function listTasks(
  isAdmin: boolean,
  query: TaskQuery,
  signal: AbortSignal,
): ReturnType<typeof tasks.list> {
  return isAdmin ? tasks.list(query, { signal }) : tasks.listOwn(query, { signal });
}
