/** Background work: what runs by itself, when it ran last and when it runs next. */
import * as z from 'zod/mini';
import { call } from './call.ts';

export const Job = z.object({
  name: z.string(),
  summary: z.string(),
  /** `off` has no interval; `requested` starts as soon as a server looks. */
  state: z.enum(['off', 'waiting', 'requested', 'running']),
  /** Seconds between two runs; null while it is off. */
  interval: z.nullable(z.int()),
  /** Of the last run: epoch seconds, 0 when there was none. */
  last_run: z.int(),
  /** Empty before the first run. */
  outcome: z.enum(['', 'running', 'done', 'failed', 'timed_out', 'interrupted']),
  /** Why the last run failed; empty when it did not. */
  error: z.string(),
  /** Of the last run, so far while it runs. */
  duration_ms: z.int(),
  /** Epoch seconds, in the past when it is about to start; null when no run is due. */
  next_run: z.nullable(z.int()),
  /** The node that ran it last. */
  owner: z.string(),
});

export const jobCalls = {
  list: call({
    method: 'GET',
    path: '/api/job/',
    role: 10,
    summary: 'Lists the background jobs with their last and next run',
    input: z.object({}),
    reply: z.array(Job),
  }),
  run: call({
    method: 'POST',
    path: '/api/job/:name/run',
    role: 100,
    summary: 'Starts a background job now, whether it is due or not',
    input: z.object({ name: z.string().check(z.maxLength(58)) }),
    /** As it stands before a server has taken it up. */
    reply: Job,
  }),
};
