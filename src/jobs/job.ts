/** A piece of background work, and how closely it is watched. */
import type { Context } from '../context.ts';

export interface Job {
  /** Also the name of its lease. */
  readonly name: string;
  readonly timeoutMs: number;
  /** Milliseconds between two runs, asked anew at every look; undefined while it is off. */
  everyMs(): number | undefined;
  /**
   * Does the work with transactions of `ctx`, which fail once another node has taken over, and ends
   * by throwing soon after `signal` fires. What it did not finish is begun again elsewhere.
   */
  run(ctx: Context, signal: AbortSignal): Promise<void>;
}

export interface Pace {
  /** A node looks for due jobs about this often. */
  readonly lookEveryMs: number;
  /** A node that shows no life for this long is replaced. */
  readonly leaseMs: number;
  /** How long a run that was told to end may still take. */
  readonly patienceMs: number;
}

export const PACE: Pace = { lookEveryMs: 5_000, leaseMs: 30_000, patienceMs: 10_000 };
