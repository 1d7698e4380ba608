/** Runs a job once under its lease, from claiming it to recording the result. */
import type { Context } from '../context.ts';
import { asAppError } from '../domain/errors/errors.ts';
import { attemptNumber, nextRunAtMs } from '../domain/jobs.ts';
import { storedError, storedEvent } from '../locales/event-text.ts';
import { LeaseLost, underLease } from '../services/cluster/lease-work.ts';
import { inTransaction } from '../store/connection/transaction.ts';
import {
  endJobRun,
  type JobProgress,
  type JobRunOutcome,
  lockJobRun,
  saveJobProgress,
  startJobRun,
} from '../store/tables/job-runs-table.ts';
import { type Lease, releaseLease, takeLease } from '../store/tables/leases-table.ts';
import type { RunnableJob, SchedulerTiming } from './job.ts';

const REPORT_EVERY_MS = 2_000;

interface RunEnd {
  readonly outcome: JobRunOutcome;
  /** For `storedText`, without internal details. */
  readonly error: string;
}

/** Takes the lease of a due job and starts its run; undefined when another node was faster. */
export function claimJob(
  ctx: Context,
  job: RunnableJob,
  { leaseMs }: SchedulerTiming,
): Promise<Lease | undefined> {
  return inTransaction(ctx, async ({ db, node }) => {
    const lease = await takeLease(db, { name: job.name, holder: node, ttlMs: leaseMs });
    if (lease === undefined) return undefined;
    const run = await lockJobRun(db, job.name);
    const dueAtMs = run && nextRunAtMs(run, job.everyMs());
    if (run === undefined || dueAtMs === undefined || dueAtMs > run.nowMs) {
      await releaseLease(db, lease);
      return undefined;
    }
    await startJobRun(db, job.name, { holder: node, tries: attemptNumber(run) });
    return lease;
  });
}

/** Resolves when the result is recorded, also after a failure; `stopping` ends the run early. */
export async function runJob(
  ctx: Context,
  job: RunnableJob,
  lease: Lease,
  { pace, stopping }: { readonly pace: SchedulerTiming; readonly stopping: AbortSignal },
): Promise<void> {
  const startedAt = performance.now();
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(job.timeoutMs)]);
  const end = await underLease(ctx, lease, { ttlMs: pace.leaseMs, signal }, (ctx, signal) =>
    runToEnd(ctx, job, signal, pace.abortGraceMs),
  );
  ctx.observer.jobEnded(job.name, end.outcome, performance.now() - startedAt);
  const isRecorded = await inTransaction(ctx, ({ db }) => endJobRun(db, lease, job.name, end));
  const facts = { job: job.name, ...end, tookMs: Math.round(performance.now() - startedAt) };
  if (!isRecorded) ctx.log.warn(facts, 'a job was taken over by another node');
  else if (end.outcome === 'done') ctx.log.debug(facts, 'a job is done');
  else ctx.log.warn(facts, 'a job did not finish');
}

/** Work that ignores the signal is abandoned: it loses its lease and can no longer write. */
async function runToEnd(
  ctx: Context,
  job: RunnableJob,
  signal: AbortSignal,
  abortGraceMs: number,
): Promise<RunEnd> {
  const raceEnded = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const abandoned = new Promise<RunEnd>((resolve) => {
    const startGrace = () => {
      timer = setTimeout(() => resolve(abortedRun(job, signal)), abortGraceMs);
    };
    if (signal.aborted) startGrace();
    else signal.addEventListener('abort', startGrace, { once: true, signal: raceEnded.signal });
  });
  const progress = recordProgress(ctx, job);
  const work = job.run(ctx, signal, progress.report).then(
    (): RunEnd => ({ outcome: 'done', error: '' }),
    (error: unknown) => failedRun(ctx, job, signal, error),
  );
  try {
    return await Promise.race([work, abandoned]);
  } finally {
    raceEnded.abort();
    clearTimeout(timer);
    await progress.write();
  }
}

/** Stores the progress of a run at intervals, and the last one at its end. */
function recordProgress(ctx: Context, { name }: RunnableJob) {
  let writing: Promise<void> = Promise.resolve();
  let writtenMs = Number.NEGATIVE_INFINITY;
  let unwritten: JobProgress | undefined;
  const write = (): Promise<void> => {
    if (unwritten === undefined) return writing;
    const progress = unwritten;
    unwritten = undefined;
    writtenMs = performance.now();
    writing = writing
      .then(() => saveJobProgress(ctx.db, name, ctx.node, progress))
      .catch((error: unknown) =>
        ctx.log.info({ err: error, job: name }, 'the progress of a job was not recorded'),
      );
    return writing;
  };
  return {
    report(done: number, total: number): void {
      unwritten = { done, total };
      if (performance.now() - writtenMs >= REPORT_EVERY_MS) void write();
    },
    write,
  };
}

function failedRun(ctx: Context, job: RunnableJob, signal: AbortSignal, error: unknown): RunEnd {
  if (error instanceof LeaseLost) return { outcome: 'interrupted', error: '' };
  if (signal.aborted) return abortedRun(job, signal);
  ctx.ledger.writes.failed(error);
  ctx.log.error({ err: error, job: job.name }, 'a job failed');
  return { outcome: 'failed', error: storedError(asAppError(error)) };
}

function abortedRun(job: RunnableJob, { reason }: AbortSignal): RunEnd {
  const isLate = reason instanceof DOMException && reason.name === 'TimeoutError';
  return isLate
    ? {
        outcome: 'timed_out',
        error: storedEvent({
          event: 'job_timed_out',
          params: { count: Math.ceil(job.timeoutMs / 1000) },
        }),
      }
    : { outcome: 'interrupted', error: '' };
}
