/** Background jobs: schedule, last run and next run. */
import * as z from 'zod/mini';
import { call } from '../call.ts';

export const Job = z.object({
  name: z.string(),
  summary: z.string(),
  /** `off` has no interval; `requested` starts at a server's next poll. */
  state: z.enum(['off', 'waiting', 'requested', 'running']),
  /** Seconds between runs; null when off. */
  interval: z.nullable(z.int()),
  /** Start of the last run: epoch seconds, 0 when there was none. */
  last_run: z.int(),
  /** Empty before the first run. */
  outcome: z.enum(['', 'running', 'done', 'failed', 'timed_out', 'interrupted']),
  /** Error of the last run; empty on success. */
  error: z.string(),
  /** Steps of the last run, such as log entries: done and in total; 0 where it counts none. */
  done: z.int(),
  total: z.int(),
  /** Duration of the last run, so far if it is running. */
  duration_ms: z.int(),
  /** Epoch seconds, in the past when about to start; null when no run is due. */
  next_run: z.nullable(z.int()),
  /** The node that ran it last. */
  owner: z.string(),
});

export const jobCalls = {
  list: call.admin('GET /api/job/', {
    summary: 'Lists the background jobs with their last and next run',
    reply: z.array(Job),
  }),
  run: call.superAdmin('POST /api/job/:name/run', {
    summary: 'Starts a background job now, whether it is due or not',
    input: z.object({ name: z.string().check(z.maxLength(58)) }),
    /** The job before a server has started it. */
    reply: Job,
  }),
};
