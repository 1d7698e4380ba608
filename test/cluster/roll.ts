/**
 * The table of nodes against the processes that run. A node strikes off another that it takes for dead,
 * and releases its holds; one that lives then signs up anew, later than it began.
 */
import type { Context } from '../../src/context.ts';

/** A node's process that runs. */
export interface Running {
  readonly name: string;
  readonly pid: number;
  /** Epoch ms since which no other node had reason to take it for dead. */
  readonly sinceMs: number;
  /** By which its clock is ahead. */
  readonly aheadMs: number;
}

/** What the database says of a process, by the database's clock. */
export interface Entry {
  readonly pid: number;
  readonly startedAtMs: number;
  readonly aheadMs: number;
}

/** It signs up with its next heartbeat, which may have to be tried again. */
const SIGN_UP_MS = 20_000;
/** How exactly a node knows its clock while the database is slow. */
const CLOCK_SLACK_MS = 30_000;
/** Silent for as long as this, a node may be taken for dead: 30 seconds less what is not seen of it. */
export const SILENCE_MS = 25_000;

export async function entries({ reads }: Pick<Context, 'reads'>): Promise<Entry[]> {
  const rows = await reads('nodes').select('pid', 'started_at', 'skew_ms');
  return rows.map((row) => ({
    pid: Number(row.pid),
    startedAtMs: Number(row.started_at) * 1_000,
    aheadMs: Number(row.skew_ms),
  }));
}

/** What is wrong, in words. */
export function rollFindings(running: readonly Running[], found: readonly Entry[]): string[] {
  return running.flatMap(({ name, pid, sinceMs, aheadMs }) => {
    const entry = found.find((one) => one.pid === pid);
    if (entry === undefined) return [`${name} lives and is struck off the nodes`];
    const wrongs: string[] = [];
    if (entry.startedAtMs > sinceMs + SIGN_UP_MS) {
      const at = new Date(entry.startedAtMs).toISOString();
      wrongs.push(`${name} was struck off the nodes while it lived (signed up anew ${at})`);
    }
    if (Math.abs(entry.aheadMs - aheadMs) > CLOCK_SLACK_MS)
      wrongs.push(`the clock of ${name} is ahead by ${entry.aheadMs} ms, not by ${aheadMs}`);
    return wrongs;
  });
}
