/** Rows of `midjourneys`: image tasks. Times are in milliseconds. */
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
export interface ImageTaskFilter {
  readonly user_id?: number | undefined;
  readonly channel_id?: number | undefined;
  readonly mj_id?: string | undefined;
  readonly action?: string | undefined;
  readonly status?: string | undefined;
  /** Submission time, both ends included. */
  readonly start_timestamp?: number | undefined;
  readonly end_timestamp?: number | undefined;
}

const IMAGE_TASKS = rowReader({
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
  /** '' for imported tasks. */
  request_id: textValue,
  progress: textValue,
  fail_reason: textValue,
  buttons: textValue,
  properties: textValue,
});
export type ImageTaskRow = RowOf<typeof IMAGE_TASKS>;

export function pageOfImageTasks(
  reads: Knex,
  { user_id, channel_id, mj_id, action, status, ...span }: ImageTaskFilter,
  window: RowWindow,
): Promise<PageOfRows<ImageTaskRow>> {
  const columns = { user_id, channel_id: channel_id || undefined, mj_id, action, status };
  const query = whereGiven(reads('midjourneys'), columns);
  whereWithin(query, 'submit_time', span.start_timestamp, span.end_timestamp);
  return IMAGE_TASKS.page(query, window);
}
