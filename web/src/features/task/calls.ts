/** API calls of the task logs: administrators see all tasks, others their own. */
import type * as z from 'zod/mini';
import { type MjTask, mjTaskCalls, type Task, taskCalls } from '../../../../src/api/logs/task.ts';
import { type CallOptions, client } from '../../lib/api/api.ts';
import { imageTaskQuery, type TaskChoice, taskQuery } from './filter.ts';

export type ImageTask = z.output<typeof MjTask>;
export type TaskRow = z.output<typeof Task>;

const imageTasks = client(mjTaskCalls);
const tasks = client(taskCalls);

interface Asked extends TaskChoice {
  readonly isAdmin: boolean;
  readonly p: number;
  readonly page_size: number;
}

export function listImageTasks({ isAdmin, p, page_size, ...choice }: Asked, how: CallOptions) {
  const query = { ...imageTaskQuery(choice, isAdmin, nowSec()), p, page_size };
  return isAdmin ? imageTasks.list(query, how) : imageTasks.listOwn(query, how);
}

export function listTasks({ isAdmin, p, page_size, ...choice }: Asked, how: CallOptions) {
  const query = { ...taskQuery(choice, isAdmin, nowSec()), p, page_size };
  return isAdmin ? tasks.list(query, how) : tasks.listOwn(query, how);
}

function nowSec(): number {
  return Math.floor(Date.now() / 1000);
}
