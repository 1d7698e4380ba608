/** What can go wrong, as rows. Each fault is put in and, after its time, put right again. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, health } from './cluster.ts';
import type { DatabaseKind } from './database.ts';
import { migrateBehindReader } from './long-reader.ts';
import type { Machine } from './network.ts';
import { recovery, START_PATIENCE_MS } from './waiting.ts';

export interface Fault {
  /** Puts it in; the function it resolves with puts it right. */
  inject(cluster: Cluster, node: Machine): Promise<() => Promise<void>>;
  /** Seconds it may last: from, to. */
  readonly lasts: readonly [from: number, to: number];
  /** The kind of database that it needs. */
  readonly only?: DatabaseKind;
  /** It comes with no other, which would begin its node twice or take away what it needs. */
  readonly isAlone?: true;
  /** All nodes answer calls meanwhile. */
  readonly callsGoOn?: true;
}

/** Of every 250 ms a slow machine works for 50. */
const SLOW_STOP_MS = 200;
const SLOW_GO_MS = 50;

export const FAULTS = {
  'kill -9 of a node': {
    lasts: [1, 5],
    inject: async (cluster, node) => {
      await cluster.killNode(node);
      return () => cluster.startNode(node);
    },
  },
  'pause of a node': { lasts: [2, 8], inject: async (_cluster, node) => paused(node) },
  'pause of a node beyond its heartbeat': {
    lasts: [33, 36],
    inject: async (_cluster, node) => paused(node),
  },
  'slow node': { lasts: [3, 8], inject: async (_cluster, node) => slowed(node) },
  'cut node - database': {
    lasts: [3, 12],
    inject: async (cluster, node) => cutOff(cluster, node, cluster.database.machine),
  },
  'cut node - redis': {
    lasts: [3, 12],
    inject: async (cluster, node) => cutOff(cluster, node, cluster.redis),
  },
  'cut node - provider': {
    lasts: [3, 12],
    inject: async (cluster, node) => cutOff(cluster, node, cluster.upstream),
  },
  'cut nginx - node': {
    lasts: [3, 12],
    inject: async (cluster, node) => cutOff(cluster, node, cluster.nginx),
  },
  'kill -9 of the database': {
    lasts: [1, 5],
    inject: async ({ database }) => {
      await database.machine.kill();
      return database.start;
    },
  },
  'pause of the database': {
    lasts: [3, 8],
    inject: async ({ database }) => paused(database.machine),
  },
  'slow database': { lasts: [3, 8], inject: async ({ database }) => slowed(database.machine) },
  'database cut from all nodes': {
    lasts: [3, 12],
    inject: async (cluster) => {
      const mends = cluster.nodes.map((node) => cutOff(cluster, node, cluster.database.machine));
      return async () => {
        for (const mend of mends) await mend();
      };
    },
  },
  'kill -9 of redis, its data lost': {
    lasts: [1, 5],
    inject: async ({ redis, startRedis }) => {
      await redis.kill();
      return startRedis;
    },
  },
  'restart of a node while redis is away': {
    lasts: [1, 4],
    isAlone: true,
    inject: async ({ redis, startRedis, killNode, startNode }, node) => {
      await redis.kill();
      await killNode(node);
      await startNode(node);
      return startRedis;
    },
  },
  'restart of a node while the database is away': {
    lasts: [2, 8],
    isAlone: true,
    inject: restartWithoutDatabase,
  },
  'migration behind a long reader': {
    lasts: [3, 8],
    only: 'postgres',
    isAlone: true,
    callsGoOn: true,
    inject: async ({ database }) => migrateBehindReader(database.dsn),
  },
  'pause of redis': { lasts: [3, 8], inject: async ({ redis }) => paused(redis) },
  'slow redis': { lasts: [3, 8], inject: async ({ redis }) => slowed(redis) },
  'pause of the provider': { lasts: [2, 6], inject: async ({ upstream }) => paused(upstream) },
  'slow provider': { lasts: [3, 8], inject: async ({ upstream }) => slowed(upstream) },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

/** The node has to wait for the database: one that ended would be begun again by its service manager. */
async function restartWithoutDatabase(
  { database, nodeUrl, nodeStarts, killNode, startNode }: Cluster,
  node: Machine,
): Promise<() => Promise<void>> {
  await database.machine.kill();
  await killNode(node);
  const startsBefore = nodeStarts.length;
  const ready = startNode(node);
  // Its error is thrown when the database is back.
  ready.catch(() => undefined);
  const waits = async () =>
    (await health(nodeUrl(node), 'live')) === 200 && (await health(nodeUrl(node), 'ready')) === 503;
  return async () => {
    let starts = 0;
    try {
      await recovery(waits, START_PATIENCE_MS);
      starts = nodeStarts.length - startsBefore;
    } finally {
      await database.start();
    }
    await ready;
    if (starts > 1) throw new Error(`${node.name} ended instead of waiting for its database`);
  };
}

function paused(machine: Machine): () => Promise<void> {
  machine.signal('SIGSTOP');
  return async () => machine.signal('SIGCONT');
}

function slowed(machine: Machine): () => Promise<void> {
  let isSlow = true;
  const slowly = async (): Promise<void> => {
    while (isSlow) {
      machine.signal('SIGSTOP');
      await pause(SLOW_STOP_MS);
      machine.signal('SIGCONT');
      await pause(SLOW_GO_MS);
    }
  };
  const running = slowly();
  return async () => {
    isSlow = false;
    await running;
  };
}

function cutOff({ network }: Cluster, node: Machine, other: Machine): () => Promise<void> {
  network.cut(node, other);
  return async () => network.mend(node, other);
}
