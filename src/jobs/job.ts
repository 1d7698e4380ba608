/** The interface of a background job and the timing of its scheduler. */
import type { Context } from '../context.ts';

export interface Job {
  /** Also the name of the job's lease. */
  readonly name: string;
  readonly timeoutMs: number;
  /** Milliseconds between two runs, read at every check; undefined while the job is off. */
  everyMs(): number | undefined;
  /**
   * Runs the job with transactions of `ctx`, which fail once another node has taken over. Throws
   * soon after `signal` fires; another node restarts unfinished work.
   */
  run(ctx: Context, signal: AbortSignal): Promise<void>;
}

export interface Pace {
  /** Approximate interval at which a node checks for due jobs. */
  readonly lookEveryMs: number;
  /** A node that does not renew its lease for this long is replaced. */
  readonly leaseMs: number;
  /** Time an aborted run has to finish. */
  readonly patienceMs: number;
}

export const PACE: Pace = { lookEveryMs: 5_000, leaseMs: 30_000, patienceMs: 10_000 };
