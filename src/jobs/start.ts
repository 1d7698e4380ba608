/** Starts the background jobs of a serving process. */
import type { Context } from '../context.ts';
import { JOB_NAMES, JOBS } from '../domain/jobs.ts';
import { intervalOf } from '../services/site/job-list.ts';
import type { RunnableJob } from './job.ts';
import { JOB_FUNCTIONS } from './job-functions.ts';
import { createScheduler } from './scheduler.ts';

export interface RunningJobs {
  /** Starts no new runs; running ones finish or are left to other nodes within seconds. */
  stop(): Promise<void>;
}

export function startJobs(ctx: Context): RunningJobs {
  const scheduler = createScheduler(ctx, runnableJobs(ctx));
  scheduler.start();
  return scheduler;
}

export function runnableJobs(ctx: Context): RunnableJob[] {
  return JOB_NAMES.map((name) => ({
    name,
    timeoutMs: JOBS[name].timeoutSec * 1000,
    everyMs: () => intervalOf(ctx, name),
    run: JOB_FUNCTIONS[name],
  }));
}
