/**
 * Checks for due jobs and runs them. Every node does this; the database decides which node gets a
 * run and stores the last run, so that neither more nodes nor restarts cause extra runs.
 */
import type { Context } from '../context.ts';
import { nextRunAtMs } from '../domain/jobs.ts';
import { ensureJob, type JobRun, jobRuns } from '../store/tables/job-runs-table.ts';
import { type RunnableJob, SCHEDULER_TIMING, type SchedulerTiming } from './job.ts';
import { claimJob, runJob } from './run-job.ts';

export interface Scheduler {
  /** Starts the due jobs that no node is running; resolves before they have finished. */
  check(): Promise<void>;
  /** Resolves when no job is running on this node. */
  idle(): Promise<void>;
  /** Starts checking periodically. */
  start(): void;
  /**
   * Starts no new runs and aborts the running ones; any that do not stop are left to other nodes.
   */
  stop(): Promise<void>;
}

export function createScheduler(
  ctx: Context,
  jobs: readonly RunnableJob[],
  pace: SchedulerTiming = SCHEDULER_TIMING,
): Scheduler {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let checking: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const startRun = async (job: RunnableJob): Promise<void> => {
    const lease = await claimJob(ctx, job, pace);
    if (lease === undefined) return;
    const run = runJob(ctx, job, lease, { pace, stopping: stopping.signal })
      .catch((error: Error) =>
        ctx.log.error({ err: error, job: job.name }, 'the end of a job could not be recorded'),
      )
      .finally(() => running.delete(run));
    running.add(run);
  };

  const checkOnce = async (): Promise<void> => {
    const runs = new Map((await jobRuns(ctx.reads)).map((run) => [run.name, run]));
    for (const job of jobs) {
      if (stopping.signal.aborted) return;
      const run = runs.get(job.name);
      if (run === undefined) await ensureJob(ctx.db, job.name);
      else if (!run.isHeld && isDue(run, job)) await startRun(job);
    }
  };

  const check = (): Promise<void> => {
    const next = checking.then(checkOnce);
    checking = next.catch(() => undefined);
    return next;
  };

  const checkAndLog = (): Promise<void> =>
    check().catch((error: Error) => ctx.log.warn({ err: error }, 'due jobs could not be read'));

  /** With jitter, so that nodes started together do not keep querying at the same moment. */
  const scheduleCheck = (): void => {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => void checkAndLog().then(scheduleCheck), pace.checkEveryMs * jitter());
    timer.unref();
  };

  const idle = async (): Promise<void> => {
    await checking;
    while (running.size > 0) await Promise.all(running);
  };

  return {
    check,
    idle,
    start() {
      ctx.changes.on('jobs', () => {
        if (!stopping.signal.aborted) void checkAndLog();
      });
      void checkAndLog().then(scheduleCheck);
    },
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      await idle();
    },
  };
}

/** A cheap pre-check that saves a transaction; `claimJob` decides. */
function isDue(run: JobRun, job: RunnableJob): boolean {
  const atMs = nextRunAtMs(run, job.everyMs());
  return atMs !== undefined && atMs <= run.nowMs;
}

function jitter(): number {
  return 0.75 + Math.random() / 2;
}
