/** Runs a job once under its lease, from claiming it to recording the result. */
import type { Context } from '../context.ts';
import { asAppError } from '../domain/errors/errors.ts';
import { attemptNumber, nextRunAtMs } from '../domain/jobs.ts';
import { errorText } from '../locales/text.ts';
import { LeaseLost, underLease } from '../services/cluster/lease-work.ts';
import { inTransaction } from '../store/connection/transaction.ts';
import { beginRun, endRun, lockRun, type RunOutcome } from '../store/tables/job-runs-table.ts';
import { type Lease, releaseLease, takeLease } from '../store/tables/leases-table.ts';
import type { Job, Pace } from './job.ts';

interface RunEnd {
  readonly outcome: RunOutcome;
  /** In English, without internal details. */
  readonly error: string;
}

/** Takes the lease of a due job and starts its run; undefined when another node was faster. */
export function claim(ctx: Context, job: Job, { leaseMs }: Pace): Promise<Lease | undefined> {
  return inTransaction(ctx, async ({ db, node }) => {
    const lease = await takeLease(db, { name: job.name, holder: node, ttlMs: leaseMs });
    if (lease === undefined) return undefined;
    const run = await lockRun(db, job.name);
    const dueAtMs = run && nextRunAtMs(run, job.everyMs());
    if (run === undefined || dueAtMs === undefined || dueAtMs > run.nowMs) {
      await releaseLease(db, lease);
      return undefined;
    }
    await beginRun(db, job.name, { holder: node, tries: attemptNumber(run) });
    return lease;
  });
}

/** Resolves when the result is recorded, also after a failure; `stopping` ends the run early. */
export async function runJob(
  ctx: Context,
  job: Job,
  lease: Lease,
  { pace, stopping }: { readonly pace: Pace; readonly stopping: AbortSignal },
): Promise<void> {
  const startedAt = performance.now();
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(job.timeoutMs)]);
  const end = await underLease(ctx, lease, { ttlMs: pace.leaseMs, signal }, (ctx, signal) =>
    endOf(ctx, job, signal, pace.patienceMs),
  );
  ctx.observer.jobEnded(job.name, end.outcome, performance.now() - startedAt);
  const isNoted = await inTransaction(ctx, ({ db }) => endRun(db, lease, job.name, end));
  const facts = { job: job.name, ...end, tookMs: Math.round(performance.now() - startedAt) };
  if (!isNoted) ctx.log.warn(facts, 'a job was taken over by another node');
  else if (end.outcome === 'done') ctx.log.debug(facts, 'a job is done');
  else ctx.log.warn(facts, 'a job did not finish');
}

/** Work that ignores the signal is abandoned: it loses its lease and can no longer write. */
async function endOf(
  ctx: Context,
  job: Job,
  signal: AbortSignal,
  patienceMs: number,
): Promise<RunEnd> {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const leftBehind = new Promise<RunEnd>((resolve) => {
    const giveUp = () => {
      timer = setTimeout(() => resolve(cutOff(job, signal)), patienceMs);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true, signal: over.signal });
  });
  const work = job.run(ctx, signal).then(
    (): RunEnd => ({ outcome: 'done', error: '' }),
    (error: unknown) => failure(ctx, job, signal, error),
  );
  try {
    return await Promise.race([work, leftBehind]);
  } finally {
    over.abort();
    clearTimeout(timer);
  }
}

function failure(ctx: Context, job: Job, signal: AbortSignal, error: unknown): RunEnd {
  if (error instanceof LeaseLost) return { outcome: 'interrupted', error: '' };
  if (signal.aborted) return cutOff(job, signal);
  ctx.log.error({ err: error, job: job.name }, 'a job failed');
  return { outcome: 'failed', error: errorText(asAppError(error), 'en') };
}

function cutOff(job: Job, { reason }: AbortSignal): RunEnd {
  const isLate = reason instanceof DOMException && reason.name === 'TimeoutError';
  return isLate
    ? { outcome: 'timed_out', error: `not finished within ${job.timeoutMs / 1000} s` }
    : { outcome: 'interrupted', error: '' };
}
