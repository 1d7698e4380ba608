/**
 * Resolves the Redis address: one server, a Redis Cluster, or the master according to the
 * Sentinels. Opens connections; redis-connection.ts keeps them alive.
 */
import { createClient, createCluster, ErrorReply } from 'redis';
import { type ErrorReason, reasonParams } from '../../domain/errors/error-reasons.ts';
import { AppError, type ErrorParams } from '../../domain/errors/errors.ts';
import type { RedisDialer } from './redis-connection.ts';
import { withRedisTimeout } from './with-timeout.ts';

const CONNECT_TIMEOUT_MS = 2_000;

export type RedisTopology = 'single' | 'cluster' | 'sentinel';

interface Node {
  readonly host: string;
  readonly port: number;
}

interface Login {
  readonly username?: string;
  readonly password?: string;
}

export interface RedisAddress {
  readonly topology: RedisTopology;
  /** The server, some nodes of the cluster, or the Sentinels. */
  readonly nodes: readonly Node[];
  readonly tls: boolean;
  readonly login: Login;
  readonly database: number;
  /** The master's name in the Sentinels. */
  readonly master: string;
  readonly sentinelLogin: Login;
}

const ADDRESS_PATTERN =
  /^(?<tls>rediss?)(?:\+(?<shape>cluster|sentinel))?:\/\/(?:(?<login>.*)@)?(?<hosts>[^/?#@]+)(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?$/u;

/** @throws AppError `config_invalid` for an invalid Redis address. */
export function parseRedisUrl(url: string): RedisAddress {
  const found = ADDRESS_PATTERN.exec(url.trim())?.groups;
  if (found === undefined) throw invalidAddress('redis_form');
  const topology = (found.shape ?? 'single') as RedisTopology;
  const path = (found.path ?? '').split('/').slice(1).map(decoded);
  const [master = ''] = topology === 'sentinel' ? path.splice(0, 1) : [];
  const [number = ''] = path;
  if (topology === 'sentinel' && master === '') throw invalidAddress('redis_master_missing');
  if (!/^\d*$/u.test(number)) throw invalidAddress('redis_number', { value: number });
  if (topology === 'cluster' && Number(number) > 0) throw invalidAddress('redis_cluster_number');
  const nodes = found.hosts?.split(',').map((host) => nodeOf(host, topology)) ?? [];
  if (topology === 'single' && nodes.length > 1) throw invalidAddress('redis_several');
  const query = new URLSearchParams(found.query);
  return {
    topology,
    nodes,
    tls: found.tls === 'rediss',
    login: loginOf(found.login ?? ''),
    database: Number(number),
    master,
    sentinelLogin: loginOf(query.get('sentinel') ?? ''),
  };
}

function nodeOf(host: string, topology: RedisTopology): Node {
  const found = /^(?<name>\[[^\]]+\]|[^:]+)(?::(?<port>\d+))?$/u.exec(host.trim())?.groups;
  if (found?.name === undefined) throw invalidAddress('redis_host', { value: host });
  const port = Number(found.port ?? (topology === 'sentinel' ? 26_379 : 6_379));
  return { host: found.name.replace(/^\[(.*)\]$/u, '$1'), port };
}

function loginOf(text: string): Login {
  const [username = '', ...rest] = text.split(':');
  const password = decoded(rest.join(':'));
  return {
    ...(username !== '' && { username: decoded(username) }),
    ...(password !== '' && { password }),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidAddress('redis_percent');
  }
}

/** The Redis commands used, on a single server or a cluster. */
export interface RedisCommands {
  eval(
    script: string,
    given: { readonly keys: string[]; readonly arguments: string[] },
  ): Promise<unknown>;
  get(key: string): Promise<string | null>;
  set(
    key: string,
    text: string,
    how: { readonly expiration: { readonly type: 'PX'; readonly value: number } },
  ): Promise<unknown>;
  del(key: string): Promise<unknown>;
  publish(channel: string, text: string): Promise<unknown>;
  close(): Promise<unknown>;
  destroy(): void;
}

type NodeClient = ReturnType<typeof nodeClient>;
export type RedisSubscriber = Pick<NodeClient, 'subscribe' | 'ping' | 'close' | 'destroy'>;

/** For commands: a server that accepts writes, or the whole cluster. */
export function commandDialer(address: RedisAddress): RedisDialer<RedisCommands> {
  if (address.topology !== 'cluster') return masterDialer(address);
  return async (onLost) => {
    const { node, client } = await dialAny(address, clusterNodeDialer(address));
    client.destroy();
    return dialCluster(address, node, onLost);
  };
}

/** For messages: in a cluster every node receives all of them. */
export function messageDialer(address: RedisAddress): RedisDialer<RedisSubscriber> {
  if (address.topology !== 'cluster') return masterDialer(address);
  return async (onLost) => {
    // Registered only now, because losing the other candidate nodes does not matter.
    const { client } = await dialAny(address, clusterNodeDialer(address));
    return client.on('error', onLost);
  };
}

function masterDialer(address: RedisAddress): RedisDialer<NodeClient> {
  return async (onLost) => {
    const [first] = address.nodes;
    const node = address.topology === 'sentinel' ? await findMaster(address) : first;
    if (node === undefined) throw invalidAddress('redis_form');
    return dialNode(address, node, onLost, async (client) => {
      const { mode, role } = await client.hello();
      requireMode(node, String(mode), 'standalone');
      // It may become the master again: a Sentinel or the operator may be switching it.
      if (String(role) !== 'master')
        throw new Error(`${nodeName(node)} is a replica, which takes no writes`);
    });
  };
}

function clusterNodeDialer(address: RedisAddress) {
  return (node: Node) =>
    dialNode(
      address,
      node,
      () => undefined,
      async (client) => {
        const { mode } = await client.hello();
        requireMode(node, String(mode), 'cluster');
        const info = String(await client.sendCommand(['CLUSTER', 'INFO']));
        if (!info.includes('cluster_state:ok'))
          throw new Error('the cluster does not serve all keys');
      },
    );
}

async function dialCluster(
  address: RedisAddress,
  node: Node,
  onLost: (error: Error) => void,
): Promise<RedisCommands> {
  const cluster = createCluster({
    rootNodes: [{ socket: node }],
    defaults: { ...address.login, ...withoutReconnect(address.tls) },
  });
  cluster.on('error', onLost).on('node-error', onLost);
  return openChecked(cluster, async () => {
    await cluster.connect();
  });
}

/** The current master, according to the first Sentinel that responds. */
async function findMaster(address: RedisAddress): Promise<Node> {
  const { master, sentinelLogin } = address;
  let found: Node | undefined;
  const { client } = await dialAny(address, (node) =>
    dialNode(
      { ...address, login: sentinelLogin, database: 0 },
      node,
      () => undefined,
      async (client) => {
        requireMode(node, String((await client.hello()).mode), 'sentinel');
        const answer = await client.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master]);
        if (!Array.isArray(answer))
          throw invalidAddress('redis_master_unknown', { node: nodeName(node), master });
        const [host, port] = answer;
        found ??= { host: String(host), port: Number(port) };
      },
    ),
  );
  client.destroy();
  if (found === undefined) throw new Error(`no Sentinel names the master "${master}"`);
  return found;
}

/** Connects to the first node that responds; the others are closed again. */
async function dialAny(
  { nodes }: RedisAddress,
  dial: (node: Node) => Promise<NodeClient>,
): Promise<{ readonly node: Node; readonly client: NodeClient }> {
  const dials = nodes.map(async (node) => ({ node, client: await dial(node) }));
  try {
    const first = await Promise.any(dials);
    for (const each of dials)
      each.then(
        ({ client }) => client !== first.client && client.destroy(),
        () => undefined, // the node did not respond
      );
    return first;
  } catch (error) {
    const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
    throw errors.find((one) => one instanceof AppError) ?? errors[0];
  }
}

async function dialNode(
  { login, database, tls }: Pick<RedisAddress, 'login' | 'database' | 'tls'>,
  node: Node,
  onLost: (error: Error) => void,
  check: (client: NodeClient) => Promise<void>,
): Promise<NodeClient> {
  const client = nodeClient({ ...login, database, node, tls });
  client.on('error', onLost);
  return openChecked(client, async () => {
    await client.connect();
    await check(client);
  });
}

function nodeClient({
  node,
  tls,
  ...rest
}: Login & { database: number; node: Node; tls: boolean }) {
  const { socket, ...options } = withoutReconnect(tls);
  pattern ??= createClient();
  return pattern.duplicate({ ...rest, ...options, socket: { ...node, ...socket } });
}

/**
 * Never connected. For every client with options of its own, the library defines a class with all
 * commands of Redis; a duplicate uses that of its pattern.
 */
let pattern: ReturnType<typeof createClient> | undefined;

/** No queueing and no automatic reconnecting: the line handles both. */
function withoutReconnect(tls: boolean) {
  const socket = { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false } as const;
  return { disableOfflineQueue: true, socket: tls ? { ...socket, tls: true as const } : socket };
}

async function openChecked<C extends { destroy(): void }>(
  client: C,
  open: () => Promise<void>,
): Promise<C> {
  try {
    await withRedisTimeout(open(), CONNECT_TIMEOUT_MS);
    return client;
  } catch (error) {
    client.destroy();
    throw isConfigurationError(error)
      ? invalidAddress('redis_refused', { text: error.message }, error)
      : error;
  }
}

/** A password or database that Redis rejects. */
function isConfigurationError(error: unknown): error is ErrorReply {
  return (
    error instanceof ErrorReply &&
    /^(?:WRONGPASS|NOAUTH|NOPERM|ERR (?:invalid DB|DB index|AUTH|Client sent AUTH))/u.test(
      error.message,
    )
  );
}

const MODE_REASONS: Readonly<Record<string, ErrorReason>> = {
  standalone: 'redis_is_single',
  cluster: 'redis_is_cluster',
  sentinel: 'redis_is_sentinel',
};

function requireMode(node: Node, mode: string, wanted: keyof typeof MODE_REASONS): void {
  const found = MODE_REASONS[mode];
  if (mode !== wanted && found !== undefined) throw invalidAddress(found, { node: nodeName(node) });
}

function nodeName({ host, port }: Node): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function invalidAddress(reason: ErrorReason, params: ErrorParams = {}, cause?: unknown): AppError {
  const facts = { ...params, key: 'redisUrl', names: 'GATEWAY_REDIS / REDIS_URL' };
  return new AppError('config_invalid', reasonParams(reason, facts), { cause, param: 'redisUrl' });
}
