/**
 * Looks for due jobs and runs them. Every node does so; the database decides which of them gets a
 * run, and remembers the last one, so that neither more nodes nor restarts make more runs.
 */
import type { Context } from '../context.ts';
import { nextRunAtMs } from '../domain/jobs.ts';
import { ensureJob, type JobRun, jobRuns } from '../store/tables/job-runs-table.ts';
import { type Job, PACE, type Pace } from './job.ts';
import { claim, runJob } from './run-job.ts';

export interface Scheduler {
  /** Begins what is due and free; resolves before it has ended. */
  look(): Promise<void>;
  /** Resolves when nothing runs here. */
  idle(): Promise<void>;
  /** Looks by itself from now on. */
  start(): void;
  /** No new runs; the running ones are told to end, and those that do not are left to other nodes. */
  stop(): Promise<void>;
}

export function createScheduler(ctx: Context, jobs: readonly Job[], pace: Pace = PACE): Scheduler {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let looking: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const begin = async (job: Job): Promise<void> => {
    const lease = await claim(ctx, job, pace);
    if (lease === undefined) return;
    const run = runJob(ctx, job, lease, { pace, stopping: stopping.signal })
      .catch((error: Error) => ctx.log.error({ err: error, job: job.name }, 'a job has no end'))
      .finally(() => running.delete(run));
    running.add(run);
  };

  const lookOnce = async (): Promise<void> => {
    const runs = new Map((await jobRuns(ctx.reads)).map((run) => [run.name, run]));
    for (const job of jobs) {
      if (stopping.signal.aborted) return;
      const run = runs.get(job.name);
      if (run === undefined) await ensureJob(ctx.db, job.name);
      else if (!run.isHeld && isDue(run, job)) await begin(job);
    }
  };

  const look = (): Promise<void> => {
    const next = looking.then(lookOnce);
    looking = next.catch(() => undefined);
    return next;
  };

  const lookQuietly = (): Promise<void> =>
    look().catch((error: Error) => ctx.log.warn({ err: error }, 'jobs could not be looked up'));

  /** Not quite regular, so that nodes that were started together do not ask together for ever. */
  const lookAgain = (): void => {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => void lookQuietly().then(lookAgain), pace.lookEveryMs * jitter());
    timer.unref();
  };

  const idle = async (): Promise<void> => {
    await looking;
    while (running.size > 0) await Promise.all(running);
  };

  return {
    look,
    idle,
    start() {
      ctx.changes.on('jobs', () => {
        if (!stopping.signal.aborted) void lookQuietly();
      });
      void lookQuietly().then(lookAgain);
    },
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      await idle();
    },
  };
}

/** Only a guess that spares a transaction: `claim` decides. */
function isDue(run: JobRun, job: Job): boolean {
  const atMs = nextRunAtMs(run, job.everyMs());
  return atMs !== undefined && atMs <= run.nowMs;
}

function jitter(): number {
  return 0.75 + Math.random() / 2;
}
