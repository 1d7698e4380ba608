/**
 * Checks for due jobs and runs them. Every node does this; the database decides which node gets a
 * run and stores the last run, so that neither more nodes nor restarts cause extra runs.
 */
import type { Context } from '../context.ts';
import { nextRunAtMs } from '../domain/jobs.ts';
import { ensureJob, type JobRun, jobRuns } from '../store/tables/job-runs-table.ts';
import { type Job, PACE, type Pace } from './job.ts';
import { claim, runJob } from './run-job.ts';

export interface Scheduler {
  /** Starts the due jobs that no node is running; resolves before they have finished. */
  look(): Promise<void>;
  /** Resolves when no job is running on this node. */
  idle(): Promise<void>;
  /** Starts checking periodically. */
  start(): void;
  /**
   * Starts no new runs and aborts the running ones; any that do not stop are left to other nodes.
   */
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
      .catch((error: Error) =>
        ctx.log.error({ err: error, job: job.name }, 'the end of a job could not be recorded'),
      )
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
    look().catch((error: Error) => ctx.log.warn({ err: error }, 'due jobs could not be read'));

  /** With jitter, so that nodes started together do not keep querying at the same moment. */
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

/** A cheap pre-check that saves a transaction; `claim` decides. */
function isDue(run: JobRun, job: Job): boolean {
  const atMs = nextRunAtMs(run, job.everyMs());
  return atMs !== undefined && atMs <= run.nowMs;
}

function jitter(): number {
  return 0.75 + Math.random() / 2;
}
