/** Asynchronous tasks that outlive their call: images, music and others. */
import * as z from 'zod/mini';
import { call, PageQuery, pageSchema } from '../call.ts';
import { FilterInt, FilterText, FilterTime } from '../fields.ts';

export const MjTask = z.object({
  id: z.int(),
  /** Midjourney proxy codes: 1 submitted, 21 already exists, 22 queued. */
  code: z.int(),
  user_id: z.int(),
  action: z.string(),
  mj_id: z.string(),
  prompt: z.string(),
  prompt_en: z.string(),
  description: z.string(),
  state: z.string(),
  /** Epoch milliseconds, as all times of image tasks; 0 when not set. */
  created_at: z.int(),
  submit_time: z.int(),
  start_time: z.int(),
  finish_time: z.int(),
  /** Empty until there is an image. */
  image_url: z.string(),
  status: z.string(),
  progress: z.string(),
  fail_reason: z.string(),
  /** 0 for callers who may not see it. */
  channel_id: z.int(),
  quota: z.int(),
  /** By the ledger, which has no entries of imported tasks. */
  refunded: z.boolean(),
  /** JSON text. */
  buttons: z.string(),
  properties: z.string(),
});

export const Task = z.object({
  id: z.int(),
  task_id: z.string(),
  platform: z.string(),
  user_id: z.int(),
  /** 0 for callers who may not see it. */
  channel_id: z.int(),
  quota: z.int(),
  /** By the ledger, which has no entries of imported tasks. */
  refunded: z.boolean(),
  action: z.string(),
  /** Empty while being submitted. */
  status: z.string(),
  fail_reason: z.string(),
  /** Epoch seconds, as all times here; 0 when not set. */
  created_at: z.int(),
  updated_at: z.int(),
  submit_time: z.int(),
  start_time: z.int(),
  finish_time: z.int(),
  progress: z.string(),
  /** The request's parameters and the results. */
  properties: z.unknown(),
  data: z.unknown(),
});

const ownList = z.extend(PageQuery, {
  action: FilterText,
  status: FilterText,
  /** Submission times, inclusive: in milliseconds for image tasks, else in seconds. */
  start_timestamp: z.optional(FilterTime),
  end_timestamp: z.optional(FilterTime),
});
const ownDrawings = z.extend(ownList, { mj_id: FilterText });
const ownTasks = z.extend(ownList, { platform: FilterText, task_id: FilterText });
const ofAll = { channel_id: FilterInt };

export const mjTaskCalls = {
  list: call.admin('GET /api/mj/', {
    summary: 'Lists image tasks, newest first',
    input: z.extend(ownDrawings, ofAll),
    reply: pageSchema(MjTask),
  }),
  listOwn: call.user('GET /api/mj/self', {
    summary: "Lists the caller's image tasks, newest first",
    input: ownDrawings,
    reply: pageSchema(MjTask),
  }),
};

export const taskCalls = {
  list: call.admin('GET /api/task/', {
    summary: 'Lists music and other tasks, newest first',
    input: z.extend(ownTasks, ofAll),
    reply: pageSchema(Task),
  }),
  listOwn: call.user('GET /api/task/self', {
    summary: "Lists the caller's music and other tasks, newest first",
    input: ownTasks,
    reply: pageSchema(Task),
  }),
};
