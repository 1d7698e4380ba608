/** Rows of `tasks`: music and other long-running tasks. Times are in seconds. */
import type { Knex } from 'knex';
import {
  numberValue,
  type PageOfRows,
  type RowOf,
  type RowWindow,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';

/** Undefined and empty fields match everything; 0 means no channel. */
export interface TaskFilter {
  readonly userId?: number | undefined;
  readonly channelId?: number | undefined;
  readonly platform?: string | undefined;
  readonly taskId?: string | undefined;
  readonly status?: string | undefined;
  readonly action?: string | undefined;
  /** Submission time, both ends included. */
  readonly sinceSec?: number | undefined;
  readonly untilSec?: number | undefined;
}

const TASKS = rowReader({
  id: numberValue,
  user_id: numberValue,
  channel_id: numberValue,
  quota: numberValue,
  created_at: numberValue,
  updated_at: numberValue,
  submit_time: numberValue,
  start_time: numberValue,
  finish_time: numberValue,
  task_id: textValue,
  platform: textValue,
  action: textValue,
  status: textValue,
  /** '' for imported tasks. */
  request_id: textValue,
  fail_reason: textValue,
  progress: textValue,
  /** JSON text, or empty. */
  properties: textValue,
  data: textValue,
});
export type TaskRow = RowOf<typeof TASKS>;

export function pageOfTasks(
  reads: Knex,
  filter: TaskFilter,
  window: RowWindow,
): Promise<PageOfRows<TaskRow>> {
  const query = reads('tasks');
  const exact = {
    user_id: filter.userId,
    channel_id: filter.channelId || undefined,
    platform: filter.platform,
    task_id: filter.taskId,
    status: filter.status,
    action: filter.action,
  };
  for (const [column, value] of Object.entries(exact))
    if (value !== undefined && value !== '') query.where(column, value);
  if (filter.sinceSec !== undefined) query.where('submit_time', '>=', filter.sinceSec);
  if (filter.untilSec !== undefined) query.where('submit_time', '<=', filter.untilSec);
  return TASKS.page(query, window);
}
