/** The columns of task tables that lists show as they are stored. Their times are 0 when not set. */
import type { NounColumns } from './columns.ts';

const NUMBER = { kind: 'number' } as const;
const TEXT = { kind: 'text' } as const;

const COMMON = {
  user_id: NUMBER,
  /** Hidden from callers who may not see it. */
  channel_id: NUMBER,
  quota: NUMBER,
  action: TEXT,
  /** Empty while being submitted. */
  status: TEXT,
  progress: TEXT,
  fail_reason: TEXT,
  submit_time: NUMBER,
  start_time: NUMBER,
  finish_time: NUMBER,
} as const;

/** Of `midjourneys`: image tasks, with times in milliseconds. */
export const IMAGE_TASK = {
  ...COMMON,
  /** Midjourney proxy codes: 1 submitted, 21 already exists, 22 queued. */
  code: NUMBER,
  mj_id: TEXT,
  prompt: TEXT,
  prompt_en: TEXT,
  description: TEXT,
  state: TEXT,
  /** Empty until there is an image. */
  image_url: TEXT,
  /** JSON text. */
  buttons: TEXT,
  properties: TEXT,
} as const satisfies NounColumns;

/** Of `tasks`: music and other long-running tasks, with times in seconds. */
export const TASK = {
  ...COMMON,
  task_id: TEXT,
  platform: TEXT,
  created_at: NUMBER,
  updated_at: NUMBER,
  /** JSON text, or empty. */
  properties: TEXT,
  data: TEXT,
} as const satisfies NounColumns;
