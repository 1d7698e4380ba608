/** What all clerks have: a place to work at, and a tally of what they did and found. */
import type { Context } from '../../../src/context.ts';
import type { Cluster } from '../cluster.ts';
import type { Desk, Outcome } from '../desk.ts';

/**
 * An acknowledged write is gone; one was done twice; an old value was seen after its time; a session
 * that had ended was let in.
 */
export type Wrong = 'lost' | 'doubled' | 'stale' | 'revived';

export interface Finding {
  readonly wrong: Wrong;
  readonly what: string;
}

/** What one clerk did and found. */
export class Tally {
  readonly counts = { done: 0, refused: 0, unknown: 0 };
  readonly findings: Finding[] = [];

  note<Kind extends Outcome>(outcome: Kind): Kind {
    this.counts[outcome.kind] += 1;
    return outcome;
  }

  found(wrong: Wrong, what: string): void {
    this.findings.push({ wrong, what: `${wrong}: ${what} (${new Date().toISOString()})` });
  }
}

export interface Clerk {
  readonly name: string;
  readonly everyMs: number;
  readonly tally: Tally;
  /** One errand, from its beginning to its end. */
  turn(): Promise<void>;
  /** Compares with the database what is known. */
  judge(ctx: Context): Promise<void>;
}

export interface Workplace {
  readonly cluster: Cluster;
  readonly desk: Desk;
  /** From 0 up to 1. */
  readonly dice: () => number;
  /** A number nobody had before. */
  next(): number;
  /** Lets something go on beside the errands; the end waits for it. */
  aside(work: Promise<void>): void;
}

/** A change is seen on every node after so long: half a second by docs/operations.md, and the way there. */
export const SEEN_WITHIN_MS = 1_000;

/** Where a program sends its call: mostly nginx, now and then a node itself. */
export function anyUrl({ cluster, dice }: Workplace): string {
  const node = cluster.nodes[Math.floor(dice() * cluster.nodes.length * 2)];
  return node === undefined ? cluster.url : cluster.nodeUrl(node);
}
