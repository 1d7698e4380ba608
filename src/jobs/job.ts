/** The interface of a background job and the timing of its scheduler. */
import type { Context } from '../context.ts';
import type { ReportProgress } from '../domain/jobs.ts';

export interface RunnableJob {
  /** Also the name of the job's lease. */
  readonly name: string;
  readonly timeoutMs: number;
  /** Milliseconds between two runs, read at every check; undefined while the job is off. */
  everyMs(): number | undefined;
  /**
   * Runs the job with transactions of `ctx`, which fail once another node has taken over. Throws
   * soon after `signal` fires; another node restarts unfinished work.
   */
  run(ctx: Context, signal: AbortSignal, report?: ReportProgress): Promise<void>;
}

export interface SchedulerTiming {
  /** Approximate interval at which a node checks for due jobs. */
  readonly checkEveryMs: number;
  /** A node that does not renew its lease for this long is replaced. */
  readonly leaseMs: number;
  /** Time an aborted run has to finish. */
  readonly abortGraceMs: number;
}

export const SCHEDULER_TIMING: SchedulerTiming = {
  checkEveryMs: 5_000,
  leaseMs: 30_000,
  abortGraceMs: 10_000,
};
