/** The parts common to all workloads: their surroundings and a tally of operations and findings. */
import type { Context } from '../../../../src/context.ts';
import type { Cluster } from '../site/cluster.ts';
import type { ManagementClient, ManagementRequest, Outcome } from './management-client.ts';

/**
 * An acknowledged write was lost, a write was applied twice, an old value was read too late, or an
 * ended session was accepted.
 */
export type Wrong = 'lost' | 'doubled' | 'stale' | 'revived';

export interface Finding {
  readonly wrong: Wrong;
  readonly what: string;
}

/** Operations and findings of one workload. */
export class Tally {
  readonly counts = { done: 0, refused: 0, unknown: 0 };
  readonly findings: Finding[] = [];

  note(outcome: Outcome): Outcome {
    this.counts[outcome.kind] += 1;
    return outcome;
  }

  found(wrong: Wrong, what: string): void {
    this.findings.push({ wrong, what: `${wrong}: ${what} (${new Date().toISOString()})` });
  }
}

export interface Workload {
  readonly name: string;
  readonly everyMs: number;
  readonly tally: Tally;
  /** Runs one operation from start to end. */
  runOnce(): Promise<void>;
  /** Compares the known results with the database. */
  judge(ctx: Context): Promise<void>;
}

export interface WorkloadContext {
  readonly cluster: Cluster;
  readonly client: ManagementClient;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
  /** Returns a number that was never used before. */
  next(): number;
  /** Runs work in the background; the end of the run waits for it. */
  inBackground(work: Promise<void>): void;
}

/**
 * Every node sees a change within this time: half a second according to docs/operations.md, plus
 * transfer.
 */
export const SEEN_WITHIN_MS = 1_000;

/** The URL for a call: mostly nginx, sometimes a node itself. */
function anyUrl({ cluster, random }: WorkloadContext): string {
  const node = cluster.nodes[Math.floor(random() * cluster.nodes.length * 2)];
  return node === undefined ? cluster.url : cluster.nodeUrl(node);
}

type Sent = Pick<ManagementRequest, 'body' | 'token' | 'cookie'> & {
  /** Repeats the call until its outcome is known. */
  readonly insists?: boolean;
};

/** Sends a change, such as `POST /api/token/`, to any node and counts its outcome. */
type Change = (call: `${ManagementRequest['method']} /${string}`, sent: Sent) => Promise<Outcome>;

export function changesBy(context: WorkloadContext, tally: Tally): Change {
  const { client } = context;
  return async (call, { insists = false, ...sent }) => {
    const [method, path = ''] = call.split(' ') as [ManagementRequest['method'], string]; // by its type
    const request = { url: anyUrl(context), method, path, ...sent };
    return tally.note(await (insists ? client.sendUntilKnown(request) : client.send(request)));
  };
}
