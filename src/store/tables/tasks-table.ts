/** Rows of `tasks`: music and other long-running tasks. Times are in seconds. */
import type { Knex } from 'knex';
import {
  numberValue,
  type PageOfRows,
  pageOfRows,
  type RowWindow,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';

export interface TaskRow {
  readonly id: number;
  readonly task_id: string;
  readonly platform: string;
  readonly user_id: number;
  readonly channel_id: number;
  readonly quota: number;
  readonly action: string;
  readonly status: string;
  readonly fail_reason: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly submit_time: number;
  readonly start_time: number;
  readonly finish_time: number;
  readonly progress: string;
  /** JSON text, or empty. */
  readonly properties: string;
  readonly data: string;
}

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

const READER = rowReader<TaskRow>({
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
  fail_reason: textValue,
  progress: textValue,
  properties: textValue,
  data: textValue,
});

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
  return pageOfRows(query, window, {
    columns: READER.columns,
    order: [{ column: 'id', order: 'desc' }],
    read: READER.read,
  });
}
