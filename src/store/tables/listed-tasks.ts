/** Lists of tasks: rows of `midjourneys`, with times in milliseconds, and of `tasks`, in seconds. */
import type { Knex } from 'knex';
import { IMAGE_TASK, OTHER_TASK } from '../../domain/nouns/listed-task.ts';
import type { TaskTable } from '../../domain/task.ts';
import { whereGiven, whereWithin } from '../sql/filters.ts';
import { columnReaders, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';

/** '' for imported tasks. */
const request_id = textValue;

const IMAGE_TASKS = rowReader({ request_id, ...columnReaders(IMAGE_TASK) });
const TASKS = rowReader({
  request_id,
  ...columnReaders(OTHER_TASK),
  /** JSON text, or empty, like the next one. */
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
