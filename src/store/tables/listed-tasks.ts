/** Lists of tasks: rows of `midjourneys`, with times in milliseconds, and of `tasks`, in seconds. */
import type { Knex } from 'knex';
import { IMAGE_TASK, TASK } from '../../domain/nouns/task.ts';
import type { TaskTable } from '../../domain/task.ts';
import { whereGiven, whereWithin } from '../sql/filters.ts';
import {
  columnReaders,
  numberValue,
  type PageOfRows,
  type RowOf,
  type RowWindow,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';

/** The request id is '' for imported tasks. */
const OWN = { id: numberValue, request_id: textValue };
const IMAGE_TASKS = rowReader({ ...OWN, ...columnReaders(IMAGE_TASK) });
const TASKS = rowReader({ ...OWN, ...columnReaders(TASK) });
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

export function pageOfImageTasks(
  reads: Knex,
  filter: TaskFilter,
  window: RowWindow,
): Promise<PageOfRows<ImageTaskRow>> {
  return IMAGE_TASKS.page(filtered(reads, 'midjourneys', filter), window);
}

export function pageOfTasks(
  reads: Knex,
  filter: TaskFilter,
  window: RowWindow,
): Promise<PageOfRows<TaskRow>> {
  return TASKS.page(filtered(reads, 'tasks', filter), window);
}

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
