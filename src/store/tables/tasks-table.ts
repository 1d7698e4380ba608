/** Rows of `tasks`: music and other long-running tasks. Times are in seconds. */
import type { Knex } from 'knex';
import { whereGiven, whereWithin } from '../sql/filters.ts';
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
  readonly user_id?: number | undefined;
  readonly channel_id?: number | undefined;
  readonly platform?: string | undefined;
  readonly task_id?: string | undefined;
  readonly status?: string | undefined;
  readonly action?: string | undefined;
  /** Submission time, both ends included. */
  readonly start_timestamp?: number | undefined;
  readonly end_timestamp?: number | undefined;
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
  { user_id, channel_id, platform, task_id, status, action, ...span }: TaskFilter,
  window: RowWindow,
): Promise<PageOfRows<TaskRow>> {
  const columns = { user_id, channel_id: channel_id || undefined, platform, task_id };
  const query = whereGiven(reads('tasks'), { ...columns, status, action });
  whereWithin(query, 'submit_time', span.start_timestamp, span.end_timestamp);
  return TASKS.page(query, window);
}
