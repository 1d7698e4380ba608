/**
 * Compares the nodes table with the running processes. A node removes another that it considers
 * dead and releases its holds; if that one lives, it registers again, later than it started.
 */
import type { Context } from '../../../../src/context.ts';

/** A running process of a node. */
export interface Running {
  readonly name: string;
  readonly pid: number;
  /** Epoch ms since when no other node had reason to consider it dead. */
  readonly sinceMs: number;
  /** How far its clock is ahead. */
  readonly aheadMs: number;
}

/** The database entry of a process, in the database's time. */
export interface RegisteredNode {
  readonly pid: number;
  readonly startedAtMs: number;
  readonly aheadMs: number;
}

/** A node registers with its next heartbeat, which may need a retry. */
const REGISTRATION_MS = 20_000;
/** Accuracy of a node's clock offset while the database is slow. */
const CLOCK_SLACK_MS = 30_000;
/** A node silent for this long may be considered dead: 30 seconds minus the unobserved part. */
export const SILENCE_MS = 25_000;

export async function registeredNodes({
  reads,
}: Pick<Context, 'reads'>): Promise<RegisteredNode[]> {
  const rows = await reads('nodes').select('pid', 'started_at', 'skew_ms');
  return rows.map((row) => ({
    pid: Number(row.pid),
    startedAtMs: Number(row.started_at) * 1_000,
    aheadMs: Number(row.skew_ms),
  }));
}

/** Describes what is wrong. */
export function registryFindings(
  running: readonly Running[],
  found: readonly RegisteredNode[],
): string[] {
  return running.flatMap(({ name, pid, sinceMs, aheadMs }) => {
    const entry = found.find((one) => one.pid === pid);
    if (entry === undefined) return [`${name} is running but not registered`];
    const wrongs: string[] = [];
    if (entry.startedAtMs > sinceMs + REGISTRATION_MS) {
      const at = new Date(entry.startedAtMs).toISOString();
      wrongs.push(`${name} was removed while it was running (registered again ${at})`);
    }
    if (Math.abs(entry.aheadMs - aheadMs) > CLOCK_SLACK_MS)
      wrongs.push(`the clock of ${name} is ahead by ${entry.aheadMs} ms, not by ${aheadMs}`);
    return wrongs;
  });
}
