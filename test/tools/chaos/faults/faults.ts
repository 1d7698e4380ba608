/** The faults of the chaos run, as rows. Each is injected and reverted after some time. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, health } from '../site/cluster.ts';
import type { DatabaseKind } from '../site/database.ts';
import type { Machine } from '../site/network.ts';
import { recovery, START_TIMEOUT_MS } from '../site/waiting.ts';
import { migrateBehindReader } from './long-reader.ts';

export interface Fault {
  /** Injects the fault; the returned function reverts it. */
  inject(cluster: Cluster, node: Machine): Promise<() => Promise<void>>;
  /** Duration range in seconds: from, to. */
  readonly lasts: readonly [from: number, to: number];
  /** The database engine it requires. */
  readonly only?: DatabaseKind;
  /**
   * Never combined with another fault, which would start its node twice or remove what it needs.
   */
  readonly isAlone?: true;
  /** All nodes keep answering calls during the fault. */
  readonly callsGoOn?: true;
}

/** A slow machine runs for 50 ms out of every 250 ms. */
const SLOW_STOP_MS = 200;
const SLOW_GO_MS = 50;

type Which = (cluster: Cluster, node: Machine) => Machine;

const theNode: Which = (_cluster, node) => node;
const theDatabase: Which = ({ database }) => database.machine;
const redis: Which = (cluster) => cluster.redis;
const provider: Which = (cluster) => cluster.upstream;
const nginx: Which = (cluster) => cluster.nginx;

function pausing(which: Which, lasts: Fault['lasts']): Fault {
  return { lasts, inject: async (cluster, node) => paused(which(cluster, node)) };
}

function slowing(which: Which): Fault {
  return { lasts: [3, 8], inject: async (cluster, node) => slowed(which(cluster, node)) };
}

/** Between the node and another machine. */
function cutting(which: Which): Fault {
  return {
    lasts: [3, 12],
    inject: async (cluster, node) => cutOff(cluster, node, which(cluster, node)),
  };
}

export const FAULTS = {
  'kill -9 of a node': {
    lasts: [1, 5],
    inject: async (cluster, node) => {
      await cluster.killNode(node);
      return () => cluster.startNode(node);
    },
  },
  'pause of a node': pausing(theNode, [2, 8]),
  'pause of a node beyond its heartbeat': pausing(theNode, [33, 36]),
  'slow node': slowing(theNode),
  'cut node - database': cutting(theDatabase),
  'cut node - redis': cutting(redis),
  'cut node - provider': cutting(provider),
  'cut nginx - node': cutting(nginx),
  'kill -9 of the database': {
    lasts: [1, 5],
    inject: async ({ database }) => {
      await database.machine.kill();
      return database.start;
    },
  },
  'pause of the database': pausing(theDatabase, [3, 8]),
  'slow database': slowing(theDatabase),
  'database cut from all nodes': {
    lasts: [3, 12],
    inject: async (cluster) => {
      const reverts = cluster.nodes.map((node) => cutOff(cluster, node, cluster.database.machine));
      return async () => {
        for (const revert of reverts) await revert();
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
  'pause of redis': pausing(redis, [3, 8]),
  'slow redis': slowing(redis),
  'pause of the provider': pausing(provider, [2, 6]),
  'slow provider': slowing(provider),
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

/** The node must wait for the database; if it exited, its service manager would restart it. */
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
      await recovery(waits, START_TIMEOUT_MS);
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
  return async () => network.reconnect(node, other);
}
