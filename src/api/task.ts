/** Tasks that go on after the call that began them: drawings, and music with its like. */
import * as z from 'zod/mini';
import { call, PageQuery, pageOf } from './call.ts';
import { FilterInt, FilterText } from './fields.ts';

export const MjTask = z.object({
  id: z.int(),
  /** Of the drawing proxy: 1 submitted, 21 there already, 22 queued. */
  code: z.int(),
  user_id: z.int(),
  action: z.string(),
  mj_id: z.string(),
  prompt: z.string(),
  prompt_en: z.string(),
  description: z.string(),
  state: z.string(),
  /** Epoch milliseconds, as all times of drawings; 0 for not yet. */
  created_at: z.int(),
  submit_time: z.int(),
  start_time: z.int(),
  finish_time: z.int(),
  /** Empty until there is an image. */
  image_url: z.string(),
  status: z.string(),
  progress: z.string(),
  fail_reason: z.string(),
  /** 0 for whoever may not know it. */
  channel_id: z.int(),
  quota: z.int(),
  /** JSON text. */
  buttons: z.string(),
  properties: z.string(),
});

export const Task = z.object({
  id: z.int(),
  task_id: z.string(),
  platform: z.string(),
  user_id: z.int(),
  /** 0 for whoever may not know it. */
  channel_id: z.int(),
  quota: z.int(),
  action: z.string(),
  /** Empty while it is being submitted. */
  status: z.string(),
  fail_reason: z.string(),
  /** Epoch seconds, as all times here; 0 for not yet. */
  created_at: z.int(),
  updated_at: z.int(),
  submit_time: z.int(),
  start_time: z.int(),
  finish_time: z.int(),
  progress: z.string(),
  /** What was asked for, and what came of it. */
  properties: z.unknown(),
  data: z.unknown(),
});

/** Times in milliseconds of submission, both ends included. */
const ownDrawings = {
  mj_id: FilterText,
  action: FilterText,
  status: FilterText,
  start_timestamp: FilterInt,
  end_timestamp: FilterInt,
};
export const MjTaskFilters = z.object({ ...ownDrawings, channel_id: FilterInt });
export type MjTaskFilters = z.output<typeof MjTaskFilters>;

/** Times in seconds of submission, both ends included. */
const ownTasks = {
  platform: FilterText,
  task_id: FilterText,
  status: FilterText,
  action: FilterText,
  start_timestamp: FilterInt,
  end_timestamp: FilterInt,
};
export const TaskFilters = z.object({ ...ownTasks, channel_id: FilterInt });
export type TaskFilters = z.output<typeof TaskFilters>;

export const mjTaskCalls = {
  list: call({
    method: 'GET',
    path: '/api/mj/',
    role: 10,
    summary: 'Lists drawing tasks, newest first',
    input: z.extend(PageQuery, MjTaskFilters.shape),
    reply: pageOf(MjTask),
  }),
  listOwn: call({
    method: 'GET',
    path: '/api/mj/self',
    role: 1,
    summary: "Lists the caller's drawing tasks, newest first",
    input: z.extend(PageQuery, ownDrawings),
    reply: pageOf(MjTask),
  }),
};

export const taskCalls = {
  list: call({
    method: 'GET',
    path: '/api/task/',
    role: 10,
    summary: 'Lists music and other tasks, newest first',
    input: z.extend(PageQuery, TaskFilters.shape),
    reply: pageOf(Task),
  }),
  listOwn: call({
    method: 'GET',
    path: '/api/task/self',
    role: 1,
    summary: "Lists the caller's music and other tasks, newest first",
    input: z.extend(PageQuery, ownTasks),
    reply: pageOf(Task),
  }),
};
