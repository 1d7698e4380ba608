/** Rows of `midjourneys`: image tasks. Times are in milliseconds. */
import type { Knex } from 'knex';
import {
  numberValue,
  type PageOfRows,
  pageOfRows,
  type RowWindow,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';

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

const READER = rowReader<ImageTaskRow>({
  id: numberValue,
  code: numberValue,
  user_id: numberValue,
  submit_time: numberValue,
  start_time: numberValue,
  finish_time: numberValue,
  channel_id: numberValue,
  quota: numberValue,
  action: textValue,
  mj_id: textValue,
  prompt: textValue,
  prompt_en: textValue,
  description: textValue,
  state: textValue,
  image_url: textValue,
  status: textValue,
  progress: textValue,
  fail_reason: textValue,
  buttons: textValue,
  properties: textValue,
});

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
    columns: READER.columns,
    order: [{ column: 'id', order: 'desc' }],
    read: READER.read,
  });
}
