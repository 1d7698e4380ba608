/** The data dashboard: usage per hour and model, and an overview of a time range. */
import * as z from 'zod/mini';
import { ERROR_CLASSES } from '../../domain/logs/log-hours.ts';
import { call } from '../call.ts';
import { FilterInt, FilterText, FilterTime, TimeZone } from '../fields.ts';
import { Costs } from './log.ts';

/** Usage of one hour. For the sum of all users, `id` and `user_id` are 0. */
export const HourlyUsage = z.object({
  id: z.int(),
  user_id: z.int(),
  username: z.string(),
  model_name: z.string(),
  /** The first second of the hour, or of the quarter of an hour that a step of the reader cuts. */
  created_at: z.int(),
  token_used: z.int(),
  count: z.int(),
  quota: z.int(),
});

/** Epoch seconds, inclusive; default: the 24 hours before the end, and now as the end. */
const span = { start_timestamp: z.optional(FilterTime), end_timestamp: z.optional(FilterTime) };

export const STEPS = ['hour', 'day', 'week'] as const;

/** Whose days are meant: a name such as `Europe/Berlin`. */
const zone = { time_zone: z.optional(TimeZone) };

/**
 * Rows are hourly, and the console aggregates them. With a zone, hours in which a step begins are
 * divided into quarters; the step is a day if it is not given.
 */
const useFilters = {
  ...span,
  ...zone,
  step: z.optional(z.enum(STEPS)),
  default_time: FilterText,
};

const overviewFilters = {
  ...span,
  /** Default: the option DataExportDefaultTime. */
  step: z.optional(z.enum(STEPS)),
  ...zone,
  /** The same without a name: minutes east of UTC, whatever the season. */
  utc_offset: FilterInt,
};

const sums = {
  calls: z.int(),
  /** Failed attempts, as far as they are logged. */
  errors: z.int(),
  quota: z.int(),
  tokens: z.int(),
  costs: z.optional(Costs),
};

const Totals = z.object({
  ...sums,
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** Part of the prompt tokens. */
  cache_tokens: z.int(),
  /** Share of failed attempts, 0 to 1. */
  error_rate: z.number(),
});

/** Milliseconds, accurate to 9 %; null without measurements. */
const Percentiles = z.object({
  p50: z.nullable(z.int()),
  p95: z.nullable(z.int()),
  p99: z.nullable(z.int()),
});

/** For time ranges up to eight days. */
const p95 = z.nullable(z.int());

export const Overview = z.object({
  /** Whole hours: start inclusive, end exclusive. */
  start: z.int(),
  end: z.int(),
  step: z.enum(STEPS),
  totals: Totals,
  /** Totals of the preceding range of the same length. */
  previous: Totals,
  /** Calls and tokens of the last 60 seconds. */
  rpm: z.int(),
  tpm: z.int(),
  latency: Percentiles,
  first_token: Percentiles,
  error_classes: z.array(z.object({ class: z.enum(ERROR_CLASSES), count: z.int() })),
  /** Every step of the range, oldest first, including empty ones. */
  series: z.array(
    z.extend(Totals, { start: z.int(), latency: Percentiles, first_token: Percentiles }),
  ),
  /** The ten most expensive of each. */
  models: z.array(z.object({ model_name: z.string(), ...sums, p95 })),
  tokens: z.array(
    z.object({ user_id: z.int(), username: z.string(), token_name: z.string(), ...sums }),
  ),
  /** For all users; empty for a single user. */
  users: z.array(z.object({ user_id: z.int(), username: z.string(), ...sums })),
  channels: z.array(
    z.object({
      channel: z.int(),
      channel_name: z.string(),
      ...sums,
      /** Share of successful attempts, 0 to 1. */
      success_rate: z.number(),
      p95,
    }),
  ),
  /** False while many log entries are still uncounted; the newest are missing then. */
  is_complete: z.boolean(),
});

export const dataCalls = {
  list: call.admin('GET /api/data/', {
    summary: 'Lists usage per model and hour, of all users or of one',
    input: z.object({ ...useFilters, username: FilterText }),
    reply: z.array(HourlyUsage),
  }),
  listOwn: call.user('GET /api/data/self', {
    summary: "Lists the caller's usage per model and hour",
    input: z.object(useFilters),
    reply: z.array(HourlyUsage),
  }),
  overview: call.admin('GET /api/data/overview', {
    summary: 'Sums up calls, errors, durations and cost of a span of time',
    input: z.object({ ...overviewFilters, username: FilterText }),
    reply: Overview,
  }),
  overviewOwn: call.user('GET /api/data/self/overview', {
    summary: "Sums up the caller's calls, errors, durations and cost of a span of time",
    input: z.object(overviewFilters),
    reply: Overview,
  }),
};
