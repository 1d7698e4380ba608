/** Rows of `midjourneys`: image tasks. Times are in milliseconds. */
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
  return IMAGE_TASKS.page(query, window);
}
