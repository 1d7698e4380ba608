/** Starts the background jobs of a serving process. */
import type { Context } from '../context.ts';
import { JOB_NAMES, JOBS } from '../domain/jobs.ts';
import { intervalOf } from '../services/cluster/job-list.ts';
import type { Job } from './job.ts';
import { createScheduler } from './scheduler.ts';
import { WORK } from './table.ts';

export interface RunningJobs {
  /** Starts no new runs; running ones finish or are left to other nodes within seconds. */
  stop(): Promise<void>;
}

export function startJobs(ctx: Context): RunningJobs {
  const scheduler = createScheduler(ctx, jobsOf(ctx));
  scheduler.start();
  return scheduler;
}

export function jobsOf(ctx: Context): Job[] {
  return JOB_NAMES.map((name) => ({
    name,
    timeoutMs: JOBS[name].timeoutSec * 1000,
    everyMs: () => intervalOf(ctx, name),
    run: WORK[name],
  }));
}
