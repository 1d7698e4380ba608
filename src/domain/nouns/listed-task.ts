/** What lists show of tasks that outlive their call, as it is stored. */
import { type NounColumns, NUMBER_COLUMN, TEXT_COLUMN } from './columns.ts';

/** Times are 0 when not set. */
const EACH_TASK = {
  id: NUMBER_COLUMN,
  user_id: NUMBER_COLUMN,
  /** 0 for callers who may not see it. */
  channel_id: NUMBER_COLUMN,
  quota: NUMBER_COLUMN,
  action: TEXT_COLUMN,
  /** Empty while being submitted. */
  status: TEXT_COLUMN,
  progress: TEXT_COLUMN,
  fail_reason: TEXT_COLUMN,
  submit_time: NUMBER_COLUMN,
  start_time: NUMBER_COLUMN,
  finish_time: NUMBER_COLUMN,
} as const satisfies NounColumns;

/** Times are epoch milliseconds. */
export const IMAGE_TASK = {
  ...EACH_TASK,
  /** Midjourney proxy codes: 1 submitted, 21 already exists, 22 queued. */
  code: NUMBER_COLUMN,
  mj_id: TEXT_COLUMN,
  prompt: TEXT_COLUMN,
  prompt_en: TEXT_COLUMN,
  description: TEXT_COLUMN,
  state: TEXT_COLUMN,
  /** Empty until there is an image. */
  image_url: TEXT_COLUMN,
  /** JSON text, like the next one. */
  buttons: TEXT_COLUMN,
  properties: TEXT_COLUMN,
} as const satisfies NounColumns;

/** Music and others. Times are epoch seconds. */
export const OTHER_TASK = {
  ...EACH_TASK,
  task_id: TEXT_COLUMN,
  platform: TEXT_COLUMN,
  created_at: NUMBER_COLUMN,
  updated_at: NUMBER_COLUMN,
} as const satisfies NounColumns;
