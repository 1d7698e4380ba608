/** The usage log: who called what, when, through which channel, at what cost. */
import * as z from 'zod/mini';
import { call, PageQuery, pageOf } from './call.ts';
import { FilterInt, FilterText } from './fields.ts';

export const Log = z.object({
  id: z.int(),
  request_id: z.string(),
  created_at: z.int(),
  /** 1 top-up, 2 consumption, 3 management, 4 system, 5 check-in, 6 error. */
  type: z.int(),
  content: z.string(),
  user_id: z.int(),
  username: z.string(),
  token_id: z.int(),
  token_name: z.string(),
  model_name: z.string(),
  group: z.string(),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** Seconds; `use_time_ms` is exact. */
  use_time: z.int(),
  use_time_ms: z.int(),
  first_token_ms: z.int(),
  is_stream: z.boolean(),
  /** 0 for whoever may not know it. */
  channel: z.int(),
  channel_name: z.string(),
  /** `upstream` or `estimated`. */
  usage_source: z.string(),
  /** Absent when it was not recorded. */
  client_ip: z.optional(z.string()),
  /** JSON text. */
  other: z.string(),
});

/** Times are epoch seconds, both ends included. */
const ownFilters = {
  /** 0 or absent for all. */
  type: FilterInt,
  token_name: FilterText,
  /** Exact, or a pattern with `%`. */
  model_name: FilterText,
  group: FilterText,
  request_id: FilterText,
  start_timestamp: FilterInt,
  end_timestamp: FilterInt,
  since: FilterInt,
  until: FilterInt,
};
const allFilters = { ...ownFilters, username: FilterText, channel: FilterInt };

export const OwnLogFilters = z.object(ownFilters);
export const LogFilters = z.object(allFilters);
export type LogFilters = z.output<typeof LogFilters>;

export const BREAKDOWNS = ['model', 'day', 'user', 'channel', 'token'] as const;

export const LogStat = z.object({
  /** Units charged in the range. */
  quota: z.int(),
  /** Calls in the range. */
  count: z.int(),
  /** Calls and tokens of the last 60 seconds. */
  rpm: z.int(),
  tpm: z.int(),
  token_total: z.int(),
  token_input: z.int(),
  token_output: z.int(),
  /** Present when `by` was given: the largest first, at most 200. */
  groups: z.optional(
    z.array(
      z.object({
        key: z.string(),
        count: z.int(),
        quota: z.int(),
        prompt_tokens: z.int(),
        completion_tokens: z.int(),
      }),
    ),
  ),
});

export const logCalls = {
  list: call({
    method: 'GET',
    path: '/api/log/',
    role: 10,
    summary: 'Lists log lines, newest first',
    input: z.extend(PageQuery, allFilters),
    reply: pageOf(Log),
  }),
  listOwn: call({
    method: 'GET',
    path: '/api/log/self',
    role: 1,
    summary: "Lists the caller's log lines, newest first",
    input: z.extend(PageQuery, ownFilters),
    reply: pageOf(Log),
  }),
  stat: call({
    method: 'GET',
    path: '/api/log/stat',
    role: 10,
    summary: 'Sums up calls, quota and tokens',
    input: z.object({ ...allFilters, by: z.optional(z.enum(BREAKDOWNS)) }),
    reply: LogStat,
  }),
  statOwn: call({
    method: 'GET',
    path: '/api/log/self/stat',
    role: 1,
    summary: "Sums up the caller's calls, quota and tokens",
    input: z.object({ ...ownFilters, by: z.optional(z.enum(['model', 'day', 'token'])) }),
    reply: LogStat,
  }),
  get: call({
    method: 'GET',
    path: '/api/log/request/:request_id',
    role: 1,
    summary: 'Shows the log lines of a request',
    input: z.object({ request_id: z.string().check(z.minLength(1), z.maxLength(64)) }),
    reply: z.array(Log),
  }),
  tail: call({
    method: 'GET',
    path: '/api/log/tail',
    role: 10,
    summary: 'Lists log lines after an id, oldest first; without one, the newest',
    input: z.object({ ...allFilters, after: FilterInt, limit: FilterInt }),
    reply: z.array(Log),
  }),
  clear: call({
    method: 'DELETE',
    path: '/api/log/',
    role: 10,
    summary: 'Deletes log lines older than a time',
    input: z.object({ before: FilterInt, target_timestamp: FilterInt }).check(
      z.refine((input) => (input.before ?? input.target_timestamp ?? 0) > 0, {
        error: 'a time is needed',
        path: ['before'],
      }),
    ),
    /** Lines deleted. */
    reply: z.int(),
  }),
};
