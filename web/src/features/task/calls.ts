/** API calls of the task logs: administrators see all tasks, others their own. */
import type * as z from 'zod/mini';
import { type MjTask, mjTaskCalls, type Task, taskCalls } from '../../../../src/api/logs/task.ts';
import { client } from '../../lib/api/api.ts';
import { entityKeys } from '../../lib/api/query-keys.ts';

export type Drawing = z.output<typeof MjTask>;
export type TaskLine = z.output<typeof Task>;

const drawings = client(mjTaskCalls);
const tasks = client(taskCalls);

export const drawingKeys = entityKeys('drawing');
export const taskKeys = entityKeys('task');

export interface DrawingQuery {
  readonly p: number;
  readonly page_size: number;
  readonly mj_id?: string;
  readonly channel_id?: number;
  /** Milliseconds, like all times of image tasks. */
  readonly start_timestamp?: number;
  readonly end_timestamp?: number;
}

export function listDrawings(
  isAdmin: boolean,
  query: DrawingQuery,
  signal: AbortSignal,
): ReturnType<typeof drawings.list> {
  return isAdmin ? drawings.list(query, { signal }) : drawings.listOwn(query, { signal });
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
