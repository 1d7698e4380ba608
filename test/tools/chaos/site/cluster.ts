/**
 * A site of three nodes behind nginx with a database, Redis and a provider, each in a network
 * namespace that acts as a machine. All programs are real.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { request } from 'undici';
import { boot, type OpenedSite } from '../../../../src/boot.ts';
import { loadConfig } from '../../../../src/config.ts';
import type { Running } from '../checks/node-registry.ts';
import { type Database, type DatabaseKind, databaseOn } from './database.ts';
import { type Machine, type Network, openNetwork } from './network.ts';
import { type SiteSetup, setUpSite } from './site-setup.ts';
import { listening, recovery, START_TIMEOUT_MS } from './waiting.ts';

export interface Cluster {
  readonly folder: string;
  readonly network: Network;
  readonly nodes: readonly Machine[];
  readonly database: Database;
  readonly redis: Machine;
  readonly upstream: Machine;
  readonly nginx: Machine;
  /** The URL for clients (nginx). */
  readonly url: string;
  readonly setup: SiteSetup;
  nodeUrl(node: Machine): string;
  /** Starts a node and restarts it whenever it exits; resolves when it is ready. */
  startNode(node: Machine): Promise<void>;
  killNode(node: Machine): Promise<void>;
  /** The latest process of each node. */
  running(): Running[];
  /**
   * Marks all nodes as alive from now on, after a silence in which other nodes may have removed
   * them.
   */
  markAlive(): void;
  /** Nodes that exited unexpectedly after they were ready. */
  readonly ended: readonly string[];
  startRedis(): Promise<void>;
  /** Epoch ms of each start of an empty Redis. */
  readonly emptyRedisAtMs: readonly number[];
  readonly nodeStarts: readonly NodeStart[];
  /** Reads the ledger from outside while the database is up. */
  withSite<T>(work: (booted: OpenedSite) => Promise<T>): Promise<T>;
  close(keeps?: 'nothing' | 'logs'): Promise<void>;
}

export interface NodeStart {
  readonly node: string;
  /** Epoch ms. */
  readonly atMs: number;
}

const ROOT = path.join(import.meta.dirname, '../../../..');
const UPSTREAM_KEY = 'sk-cluster-upstream';
const PORT = { node: 3000, redis: 6379, upstream: 4000, nginx: 8080 } as const;
const NODES = 3;
const RESTART_MS = 500;
/** The longest silence allowed in a provider's stream. */
export const STREAM_TIMEOUT_SEC = 10;
export const LOG_LEVEL = 'info';
const CLOCK_AHEAD = path.join(import.meta.dirname, 'clock-ahead.mjs');
/** How far a node's clock is ahead of the others: only the last node's is, for its whole life. */
export const clockAheadMs = ({ name }: Machine): number => (name === `node${NODES}` ? 120_000 : 0);
const nodeUrl = ({ address }: Machine) => `http://${address}:${PORT.node}`;

export async function openCluster(kind: DatabaseKind): Promise<Cluster> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-cluster-'));
  chmodSync(folder, 0o755);
  const network = openNetwork(folder);
  try {
    return await build(folder, network, kind);
  } catch (error) {
    await network.close();
    throw new Error(`the cluster did not start; its logs are in ${folder}`, { cause: error });
  }
}

async function build(folder: string, network: Network, kind: DatabaseKind): Promise<Cluster> {
  const secretKey = randomBytes(24).toString('base64url');
  const database = databaseOn(network.machine('database'), folder, kind);
  const [redis, upstream, nginx] = ['redis', 'upstream', 'nginx'].map((name) =>
    network.machine(name),
  ) as [Machine, Machine, Machine]; // three names
  const nodes = Array.from({ length: NODES }, (_, at) => network.machine(`node${at + 1}`));
  const emptyRedisAtMs: number[] = [];
  const startRedis = () => {
    emptyRedisAtMs.push(Date.now());
    return startRedisOn(redis, folder);
  };
  const begin = (node: Machine) => {
    const aheadMs = clockAheadMs(node);
    const clock = aheadMs === 0 ? [] : ['--import', CLOCK_AHEAD];
    const gateway = [path.join(ROOT, 'bin/gateway.js'), 'serve', '--no-web'];
    return node.start([process.execPath, ...clock, ...gateway], {
      log: `${node.name}.log`,
      env: {
        CLUSTER_CLOCK_AHEAD_MS: String(aheadMs),
        GATEWAY_HOST: '0.0.0.0',
        GATEWAY_PORT: String(PORT.node),
        GATEWAY_DATA: path.join(folder, node.name),
        GATEWAY_DB: database.dsn,
        GATEWAY_REDIS: `redis://${redis.address}:${PORT.redis}`,
        GATEWAY_SECRET_KEY: secretKey,
        // At this level nodes log that Redis is back.
        GATEWAY_LOG_LEVEL: LOG_LEVEL,
        GATEWAY_STREAM_TIMEOUT: String(STREAM_TIMEOUT_SEC),
        GATEWAY_RELAY_TIMEOUT: '15',
        GATEWAY_CONNECT_TIMEOUT: '2',
        GATEWAY_CLIENT_GRACE: '3',
        GATEWAY_API_RATE_LIMIT_ENABLED: 'false',
      },
    });
  };
  const wanted = new Map<Machine, object>();
  const nodeStarts: NodeStart[] = [];
  const ended: string[] = [];
  const pids = new Map<Machine, number>();
  const aliveSinceMs = new Map<Machine, number>();
  /** Restarts a node that exits, like a service manager. */
  const startNode = async (node: Machine): Promise<void> => {
    const start = { isReady: false };
    wanted.set(node, start);
    const run = (): void => {
      nodeStarts.push({ node: node.name, atMs: Date.now() });
      const child = begin(node);
      pids.set(node, child.pid ?? 0);
      child.once('exit', (code, signal) => {
        if (wanted.get(node) !== start) return;
        // A node does not start without its database but exits.
        if (start.isReady) ended.push(`${node.name} ended with ${code ?? signal}`);
        setTimeout(run, RESTART_MS);
      });
    };
    run();
    await listening(node.address, PORT.node, `${node.name} serves`);
    await recovery(() => isReady(nodeUrl(node)), START_TIMEOUT_MS);
    start.isReady = true;
    aliveSinceMs.set(node, Date.now());
  };
  const killNode = async (node: Machine): Promise<void> => {
    wanted.delete(node);
    await node.kill();
  };
  const withSite = async <T>(work: (booted: OpenedSite) => Promise<T>): Promise<T> => {
    const flags = {
      dataDir: path.join(folder, 'look'),
      database: database.dsn,
      logLevel: 'silent',
    };
    const booted = await boot(loadConfig(flags, { GATEWAY_SECRET_KEY: secretKey }), {
      migrate: true,
    });
    try {
      return await work(booted);
    } finally {
      await booted.close();
    }
  };

  await Promise.all([database.start(), startRedis(), startUpstreamOn(upstream)]);
  const provider = { url: `http://${upstream.address}:${PORT.upstream}`, key: UPSTREAM_KEY };
  const setup = await withSite((booted) => setUpSite(booted, provider));
  await Promise.all(nodes.map(startNode));
  await startNginxOn(nginx, folder, nodes);
  return {
    folder,
    network,
    nodes,
    database,
    redis,
    upstream,
    nginx,
    url: `http://${nginx.address}:${PORT.nginx}`,
    setup,
    running: () =>
      nodes.map((node) => ({
        name: node.name,
        pid: pids.get(node) ?? 0,
        sinceMs: aliveSinceMs.get(node) ?? 0,
        aheadMs: clockAheadMs(node),
      })),
    markAlive() {
      for (const node of nodes) aliveSinceMs.set(node, Date.now());
    },
    ended,
    nodeUrl,
    startNode,
    killNode,
    startRedis,
    emptyRedisAtMs,
    nodeStarts,
    withSite,
    async close(keeps = 'nothing') {
      wanted.clear();
      const machines = [...nodes, database.machine, redis, upstream, nginx];
      for (const machine of machines) machine.signal('SIGCONT');
      await network.close();
      if (keeps === 'nothing') rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startRedisOn(machine: Machine, folder: string): Promise<void> {
  const flags = ['--save', '', '--appendonly', 'no', '--protected-mode', 'no', '--dir', folder];
  machine.start(['redis-server', '--bind', '0.0.0.0', ...flags], { log: 'redis.log' });
  await listening(machine.address, PORT.redis, 'Redis accepts connections');
}

async function startUpstreamOn(machine: Machine): Promise<void> {
  const main = path.join(import.meta.dirname, 'upstream.ts');
  const place = [machine.address, String(PORT.upstream), UPSTREAM_KEY];
  machine.start([process.execPath, '--import', import.meta.resolve('tsx'), main, ...place], {
    log: 'upstream.log',
  });
  await listening(machine.address, PORT.upstream + 1, 'the provider serves');
}

/** The URL where the provider lists the calls it received. */
export function upstreamCallsUrl({ upstream }: Cluster): string {
  return `http://${upstream.address}:${PORT.upstream + 1}/calls`;
}

async function startNginxOn(
  machine: Machine,
  folder: string,
  nodes: readonly Machine[],
): Promise<void> {
  const file = path.join(folder, 'nginx.conf');
  const servers = nodes.map(
    ({ address }) => `server ${address}:${PORT.node} max_fails=1 fail_timeout=2s;`,
  );
  writeFileSync(file, nginxConfig(folder, servers.join(' ')));
  machine.start(['nginx', '-c', file, '-p', folder, '-g', 'daemon off;'], { log: 'nginx.log' });
  await listening(machine.address, PORT.nginx, 'nginx accepts connections');
}

function nginxConfig(folder: string, servers: string): string {
  return `
user root;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx-error.log;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  upstream nodes { ${servers} keepalive 32; }
  server {
    listen ${PORT.nginx};
    location / {
      proxy_pass http://nodes; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_connect_timeout 1s; proxy_read_timeout 60s;
    }
  }
}`;
}

async function isReady(url: string): Promise<boolean> {
  return (await health(url, 'ready')) === 200;
}

/** The status of a node's `/health/live` or `/health/ready`. */
export async function health(url: string, of: 'live' | 'ready'): Promise<number> {
  const answer = await request(`${url}/health/${of}`, { headersTimeout: 3_000 });
  await answer.body.dump();
  return answer.statusCode;
}
