/** The usage log: who called what, when, through which channel, at what cost. */
import * as z from 'zod/mini';
import { LANGUAGES } from '../../domain/languages.ts';
import { TokenKey } from '../accounts/token-usage.ts';
import { ById, CSV, call, JSON_LINES, PageQuery, pageSchema } from '../call.ts';
import { AnyObject, FilterGroup, FilterInt, FilterText, FilterTime } from '../fields.ts';
import { problemMessage } from '../input-problem.ts';

/** For administrators, in units; absent if the cost of no call is known. */
export const Costs = z.object({
  /** What the upstreams charged, as far as it is known. */
  cost: z.int(),
  /** The charges of the calls whose cost is known, less refunds. */
  costed_quota: z.int(),
  /** `costed_quota` minus `cost`. */
  margin: z.int(),
});

export const Log = z.object({
  id: z.int(),
  request_id: z.string(),
  created_at: z.int(),
  /** 1 top-up, 2 consumption, 3 management, 4 system, 5 check-in, 6 error, 7 refund. */
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
  /** 0 for callers who may not see it. */
  channel: z.int(),
  channel_name: z.string(),
  /** `upstream` or `estimated`. */
  usage_source: z.string(),
  /** Absent when not recorded. */
  client_ip: z.optional(z.string()),
  /** JSON text; stored messages in it are truncated in lists. */
  other: z.string(),
  /** What the upstream charged, in units; null if unknown. Only for administrators. */
  cost: z.optional(z.nullable(z.int())),
});

/** One log entry in full. */
export const LogDetail = z.extend(Log, { other: AnyObject });

/** Times are epoch seconds, inclusive. */
const ownFilters = {
  /** 0 or absent for all. */
  /** The number of a type; `spend` selects charges and refunds. */
  type: z.optional(z.union([z.literal('spend'), FilterInt])),
  /** Exact, or a pattern in which `*` matches anything; so is the name of the model. */
  token_name: FilterText,
  /** Also finds entries from before the token was renamed. */
  token_id: FilterInt,
  model_name: FilterText,
  group: FilterGroup,
  request_id: FilterText,
  /** Finds only entries of users whose address is recorded. */
  client_ip: FilterText,
  start_timestamp: z.optional(FilterTime),
  end_timestamp: z.optional(FilterTime),
  since: z.optional(FilterTime),
  until: z.optional(FilterTime),
  /** Of `content`; by default that of the reader. */
  language: z.optional(z.enum(LANGUAGES)),
};
const allFilters = {
  ...ownFilters,
  username: FilterText,
  channel: FilterInt,
  /** Channels that have this tag now. */
  tag: FilterText,
};

const OwnLogFilters = z.object(ownFilters);
export const LogFilters = z.object(allFilters);
export type LogFilters = z.output<typeof LogFilters>;

/** `total_is_estimate`: there are more entries than `total`; they were not all counted. */
const LogPage = z.extend(pageSchema(Log), { total_is_estimate: z.boolean() });

const Search = z.extend(PageQuery, {
  /** The number of a type, or the beginning of the content. */
  keyword: FilterText,
});

export const BREAKDOWNS = ['model', 'day', 'user', 'channel', 'token'] as const;

export const LogStat = z.object({
  /** Units of the matching entries; without a type filter, charges minus refunds. */
  quota: z.int(),
  /** What refunds contribute to it; without a type filter, charges are the sum of both. */
  refunds: z.int(),
  /** Number of matching entries; without a type filter, calls. */
  count: z.int(),
  /** Calls and tokens of the last 60 seconds; 0 with a filter on a type other than consumption. */
  rpm: z.int(),
  tpm: z.int(),
  token_total: z.int(),
  token_input: z.int(),
  token_output: z.int(),
  costs: z.optional(Costs),
  /** Only with `by`: the largest first, at most 200. */
  groups: z.optional(
    z.array(
      z.object({
        key: z.string(),
        count: z.int(),
        quota: z.int(),
        refunds: z.int(),
        prompt_tokens: z.int(),
        completion_tokens: z.int(),
        costs: z.optional(Costs),
      }),
    ),
  ),
});

const Before = z.object({ before: z.int().check(z.positive()) });

export const logCalls = {
  list: call.admin('GET /api/log/', {
    summary: 'Lists log entries, newest first',
    input: z.extend(PageQuery, allFilters),
    reply: LogPage,
  }),
  listOwn: call.user('GET /api/log/self', {
    summary: "Lists the caller's log entries, newest first",
    input: z.extend(PageQuery, ownFilters),
    reply: LogPage,
  }),
  stat: call.admin('GET /api/log/stat', {
    summary: 'Sums up calls, quota and tokens',
    input: z.object({ ...allFilters, by: z.optional(z.enum(BREAKDOWNS)) }),
    reply: LogStat,
  }),
  statOwn: call.user('GET /api/log/self/stat', {
    summary: "Sums up the caller's calls, quota and tokens",
    input: z.object({ ...ownFilters, by: z.optional(z.enum(['model', 'day', 'token'])) }),
    reply: LogStat,
  }),
  search: call.admin('GET /api/log/search', {
    summary: 'Searches the newest log entries by type or by the start of their content',
    input: Search,
    reply: LogPage,
  }),
  searchOwn: call.user('GET /api/log/self/search', {
    summary: "Searches the caller's newest log entries by type or by the start of their content",
    input: Search,
    reply: LogPage,
  }),
  ofToken: call.guest('GET /api/log/token', {
    summary: 'Lists the log entries of an API token to who has its key, newest first',
    input: z.extend(PageQuery, { key: TokenKey }),
    bearer: 'key',
    reply: LogPage,
    cors: true,
  }),
  get: call.user('GET /api/log/request/:request_id', {
    summary: 'Shows the log entries of a request',
    input: z.object({ request_id: z.string().check(z.minLength(1), z.maxLength(64)) }),
    reply: z.array(Log),
  }),
  tail: call.admin('GET /api/log/tail', {
    summary: 'Lists log entries after an id, oldest first; without an id, the newest',
    input: z.object({ ...allFilters, after: FilterInt, limit: FilterInt }),
    reply: z.array(Log),
  }),
  detail: call.admin('GET /api/log/:id', {
    summary: 'Shows a log entry in full',
    input: ById,
    reply: LogDetail,
  }),
  detailOwn: call.user('GET /api/log/self/:id', {
    summary: "Shows one of the caller's log entries in full",
    input: ById,
    reply: LogDetail,
  }),
  exportCsv: call.admin('GET /api/log/export.csv', {
    also: ['GET /api/log/export'],
    summary: 'Returns log entries as CSV, oldest first',
    input: LogFilters,
    ...CSV,
  }),
  exportJsonl: call.admin('GET /api/log/export.jsonl', {
    summary: 'Returns log entries as JSON lines, oldest first',
    input: LogFilters,
    ...JSON_LINES,
  }),
  exportOwnCsv: call.user('GET /api/log/self/export.csv', {
    also: ['GET /api/log/self/export'],
    summary: "Returns the caller's log entries as CSV, oldest first",
    input: OwnLogFilters,
    ...CSV,
  }),
  exportOwnJsonl: call.user('GET /api/log/self/export.jsonl', {
    summary: "Returns the caller's log entries as JSON lines, oldest first",
    input: OwnLogFilters,
    ...JSON_LINES,
  }),
  clear: call.admin('DELETE /api/log/', {
    summary: 'Deletes log entries before a time',
    input: z.object({ before: FilterInt, target_timestamp: FilterInt }).check(
      z.refine(({ before, target_timestamp = 0 }) => before !== undefined || target_timestamp > 0, {
        error: problemMessage('time_missing'),
        path: ['target_timestamp'],
      }),
      z.refine(({ before }) => before === undefined || before > 0, {
        error: problemMessage('time_missing'),
        path: ['before'],
      }),
    ),
    /** Number of deleted entries. */
    reply: z.int(),
  }),
  clearPart: call.admin('POST /api/log/clear', {
    summary:
      'Deletes log entries before a time, for a few seconds; repeat the call until it is done',
    input: Before,
    reply: z.object({ deleted: z.int(), is_done: z.boolean() }),
  }),
};
