/**
 * Runs the workloads: beside the model calls they change tokens, balances, codes, options and
 * sessions, one operation at a time each, and check the expected results when they happen and at
 * the end against the database.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../../../src/context.ts';
import type { Cluster } from '../site/cluster.ts';
import { codeWorkload } from './codes.ts';
import { openManagementClient } from './management-client.ts';
import { optionWorkload } from './options.ts';
import { quotaWorkload } from './quota.ts';
import { sessionWorkload } from './sessions.ts';
import { tokenWorkload } from './tokens.ts';
import type { Finding, Workload, WorkloadContext } from './workload.ts';

export interface RunningWorkloads {
  readonly workloads: readonly Workload[];
  /** Starts no more operations and waits for those in progress. */
  stop(): Promise<void>;
  /** Returns all findings, including those in the database. */
  judge(ctx: Context): Promise<readonly Finding[]>;
}

const WORKLOADS = [
  tokenWorkload,
  quotaWorkload,
  codeWorkload,
  optionWorkload,
  sessionWorkload,
] as const;

export function startWorkloads(cluster: Cluster, random: () => number): RunningWorkloads {
  const client = openManagementClient();
  const underWay = new Set<Promise<void>>();
  let last = 0;
  const context: WorkloadContext = {
    cluster,
    client,
    random,
    next: () => ++last,
    inBackground(work) {
      const noted = work.finally(() => underWay.delete(noted));
      underWay.add(noted);
    },
  };
  const workloads = WORKLOADS.map((create) => create(context));
  let isOpen = true;
  const working = workloads.map(async (workload) => {
    while (isOpen) {
      const startedAtMs = performance.now();
      await workload.runOnce();
      await pause(Math.max(0, workload.everyMs - (performance.now() - startedAtMs)));
    }
  });
  return {
    workloads,
    async stop() {
      isOpen = false;
      await Promise.all(working);
      while (underWay.size > 0) await Promise.all(underWay);
    },
    async judge(ctx) {
      for (const workload of workloads) await workload.judge(ctx);
      await client.close();
      return workloads.flatMap(({ tally }) => tally.findings);
    },
  };
}
