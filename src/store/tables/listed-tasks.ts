/** Lists of tasks: rows of `midjourneys`, with times in milliseconds, and of `tasks`, in seconds. */
import type { Knex } from 'knex';
import type { TaskTable } from '../../domain/task.ts';
import { whereGiven, whereWithin } from '../sql/filters.ts';
import { numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';

/** Times are 0 when not set. */
const COMMON = {
  id: numberValue,
  /** '' for imported tasks. */
  request_id: textValue,
  user_id: numberValue,
  channel_id: numberValue,
  quota: numberValue,
  action: textValue,
  /** Empty while being submitted. */
  status: textValue,
  progress: textValue,
  fail_reason: textValue,
  submit_time: numberValue,
  start_time: numberValue,
  finish_time: numberValue,
};
const IMAGE_TASKS = rowReader({
  ...COMMON,
  /** Midjourney proxy codes: 1 submitted, 21 already exists, 22 queued. */
  code: numberValue,
  mj_id: textValue,
  prompt: textValue,
  prompt_en: textValue,
  description: textValue,
  state: textValue,
  /** Empty until there is an image. */
  image_url: textValue,
  /** JSON text. */
  buttons: textValue,
  properties: textValue,
});
const TASKS = rowReader({
  ...COMMON,
  task_id: textValue,
  platform: textValue,
  created_at: numberValue,
  updated_at: numberValue,
  /** JSON text, or empty. */
  properties: textValue,
  data: textValue,
});
export type ImageTaskRow = RowOf<typeof IMAGE_TASKS>;
export type TaskRow = RowOf<typeof TASKS>;

/** Undefined and empty fields match everything; 0 means no channel. */
export interface TaskFilter {
  readonly user_id?: number | undefined;
  readonly channel_id?: number | undefined;
  readonly action?: string | undefined;
  readonly status?: string | undefined;
  /** Of `midjourneys`. */
  readonly mj_id?: string | undefined;
  /** Of `tasks`, like the next one. */
  readonly platform?: string | undefined;
  readonly task_id?: string | undefined;
  /** Submission time, both ends included. */
  readonly start_timestamp?: number | undefined;
  readonly end_timestamp?: number | undefined;
}

export const pageOfImageTasks = IMAGE_TASKS.pages((reads, filter: TaskFilter) =>
  filtered(reads, 'midjourneys', filter),
);

export const pageOfTasks = TASKS.pages((reads, filter: TaskFilter) =>
  filtered(reads, 'tasks', filter),
);

function filtered(
  reads: Knex,
  table: TaskTable,
  { user_id, channel_id, action, status, mj_id, platform, task_id, ...span }: TaskFilter,
): Knex.QueryBuilder {
  const columns = { user_id, channel_id: channel_id || undefined, action, status };
  const query = whereGiven(reads(table), { ...columns, mj_id, platform, task_id });
  whereWithin(query, 'submit_time', span.start_timestamp, span.end_timestamp);
  return query;
}
