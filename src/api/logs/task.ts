/** Asynchronous tasks that outlive their call: images, music and others. */
import * as z from 'zod/mini';
import { IMAGE_TASK, OTHER_TASK } from '../../domain/nouns/listed-task.ts';
import { call, PageQuery, pageSchema } from '../call.ts';
import { replyShape } from '../column-schemas.ts';
import { FilterInt, FilterText, FilterTime } from '../fields.ts';

/** By the ledger, which has no entries of imported tasks. */
const refunded = z.boolean();

export const MjTask = z.object({
  ...replyShape(IMAGE_TASK),
  created_at: z.int(),
  refunded,
});

export const Task = z.object({
  ...replyShape(OTHER_TASK),
  refunded,
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
