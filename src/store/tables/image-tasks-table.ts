/** Rows of `midjourneys`: image tasks. Times are in milliseconds. */
import type { Knex } from 'knex';
import {
  numberValue,
  type PageOfRows,
  pageOfRows,
  type RowWindow,
  textValue,
} from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

export interface ImageTaskRow {
  readonly id: number;
  readonly code: number;
  readonly user_id: number;
  readonly action: string;
  readonly mj_id: string;
  readonly prompt: string;
  readonly prompt_en: string;
  readonly description: string;
  readonly state: string;
  readonly submit_time: number;
  readonly start_time: number;
  readonly finish_time: number;
  readonly image_url: string;
  readonly status: string;
  readonly progress: string;
  readonly fail_reason: string;
  readonly channel_id: number;
  readonly quota: number;
  readonly buttons: string;
  readonly properties: string;
}

/** Undefined and empty fields match everything; 0 means no channel. */
export interface ImageTaskFilter {
  readonly userId?: number | undefined;
  readonly channelId?: number | undefined;
  readonly mjId?: string | undefined;
  readonly action?: string | undefined;
  readonly status?: string | undefined;
  /** Submission time, both ends included. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

const NUMBERS = [
  'id',
  'code',
  'user_id',
  'submit_time',
  'start_time',
  'finish_time',
  'channel_id',
  'quota',
] as const;
const TEXTS = [
  'action',
  'mj_id',
  'prompt',
  'prompt_en',
  'description',
  'state',
  'image_url',
  'status',
  'progress',
  'fail_reason',
  'buttons',
  'properties',
] as const;

export function pageOfImageTasks(
  reads: Knex,
  filter: ImageTaskFilter,
  window: RowWindow,
): Promise<PageOfRows<ImageTaskRow>> {
  const query = reads('midjourneys');
  const exact = {
    user_id: filter.userId,
    channel_id: filter.channelId || undefined,
    mj_id: filter.mjId,
    action: filter.action,
    status: filter.status,
  };
  for (const [column, value] of Object.entries(exact))
    if (value !== undefined && value !== '') query.where(column, value);
  if (filter.sinceMs !== undefined) query.where('submit_time', '>=', filter.sinceMs);
  if (filter.untilMs !== undefined) query.where('submit_time', '<=', filter.untilMs);
  return pageOfRows(query, window, {
    columns: [...NUMBERS, ...TEXTS],
    order: [{ column: 'id', order: 'desc' }],
    read: readMjTask,
  });
}

function readMjTask(row: Row): ImageTaskRow {
  const numbers = NUMBERS.map((name) => [name, numberValue(row[name])]);
  const texts = TEXTS.map((name) => [name, textValue(row[name])]);
  return Object.fromEntries([...numbers, ...texts]) as ImageTaskRow; // columns of both lists
}
