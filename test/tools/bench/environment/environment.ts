/**
 * The environment of a measurement: the mock upstream, and in front of it nginx if installed, the
 * bare relay (`bare.mjs`), the floor (`floor.ts`) and gateways.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { median, round, type Target } from '../load.ts';
import { type Nginx, startNginx } from '../other-relays/nginx.ts';
import { pairModel, UPSTREAMS } from '../pairs.ts';
import { type Floor, startFloor } from './floor.ts';
import { type Child, cpuUsOf, familyOf, startChild } from './processes.ts';

export const PLAIN_MODEL = 'gpt-4o-mini';
export const OTHER_MODEL = 'other-model';
export const PACE_MS = 10;
const UPSTREAM_KEY = 'mock-key';
export const ACCOUNTS = 1_000;
/** Model names that select the mock's output. */
export const MODELS = {
  plain: PLAIN_MODEL,
  burst: `${PLAIN_MODEL}+events:200:20`,
  /** The same stream, but about every event leaves the upstream in a separate packet. */
  flushed: `${PLAIN_MODEL}+events:200:20+split:260`,
  paced: `${PLAIN_MODEL}+paced:200:${PACE_MS}`,
  idle: `${PLAIN_MODEL}+hang-stream:1`,
} as const;

export interface Gateway {
  readonly url: string;
  readonly key: string;
  /** The key of `withDrained`; otherwise ''. */
  readonly drainedKey: string;
  /** The keys of `accounts`. */
  readonly accountKeys: readonly string[];
  /** The connection string of its database. */
  readonly dsn: string;
  /** The started process and its workers, if any. */
  readonly pids: readonly number[];
  /** The address of the inspector if `nodeFlags` contains `--inspect`. */
  readonly inspectorUrl: string | undefined;
  verify(): Promise<LedgerCheck>;
  stop(): Promise<void>;
}

export interface BenchEnvironment {
  readonly mock: Child;
  readonly nginx: Nginx | undefined;
  readonly bare: Child;
  readonly floor: Floor;
  /** With holds, and with accounts. */
  readonly holdingFloor: Floor;
  /** With accounts. */
  readonly gateway: Gateway;
  stop(): Promise<void>;
}

export interface SiteOptions {
  /** Defaults to SQLite in a temporary folder. */
  readonly databaseUrl?: string;
  /** Adds a channel for each upstream of `pairs.ts`; default true. */
  readonly withPairs?: boolean;
  readonly extraModels?: readonly string[];
  /** Address of another upstream, which serves `OTHER_MODEL`. */
  readonly otherUpstream?: string;
  /** Adds a user without balance, and a key for that user. */
  readonly withDrained?: boolean;
  /** Adds this many users (`many-accounts.ts`); default 0. */
  readonly accounts?: number;
  /** What each of them has; default a modest balance. */
  readonly accountUnits?: number;
}

export interface GatewayOptions extends SiteOptions {
  /** In addition to the port. */
  readonly serveFlags?: readonly string[];
  /** Flags of Node itself, before the script. */
  readonly nodeFlags?: readonly string[];
  /** The folder of another build of the project, which serves the site that this one sets up. */
  readonly project?: string;
  /** Environment of the serving process. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface LedgerCheck {
  readonly ok: boolean;
  readonly checked: { readonly holds: number };
}

export async function openEnvironment(): Promise<BenchEnvironment> {
  const mock = await startMock();
  const nginx = await startNginx(mock.url);
  const bare = await startBare(mock.url);
  const floor = await startFloor(mock.url);
  const holdingFloor = await startFloor(mock.url, { accounts: ACCOUNTS, withHolds: true });
  const gateway = await startGateway(mock.url, { accounts: ACCOUNTS });
  const stop = async () => {
    for (const part of [gateway, holdingFloor, floor, bare, nginx, mock]) await part?.stop();
  };
  return { mock, nginx, bare, floor, holdingFloor, gateway, stop };
}

export function startMock(): Promise<Child> {
  return startChild(process.execPath, ['--import', 'tsx', 'test/tools/bench/environment/mock.ts']);
}

export function startBare(upstream: string): Promise<Child> {
  return startChild(process.execPath, ['test/tools/bench/other-relays/bare.mjs', upstream]);
}

/** Starts a gateway with every benchmark model, prices, and a key with a rate limit. */
export async function startGateway(
  upstream: string,
  { serveFlags = [], nodeFlags = [], env = {}, project = '', ...options }: GatewayOptions = {},
): Promise<Gateway> {
  const site = await setUp(upstream, options);
  const command = path.join(project, 'bin/gateway.js');
  const args = [...nodeFlags, command, 'serve', '--port', '0', ...serveFlags];
  return serve(site, args, env);
}

/** Starts several nodes of one site on a shared database; the first one stops last. */
export async function startNodes(
  upstream: string,
  nodes: number,
  options: SiteOptions,
): Promise<Gateway[]> {
  const site = await setUp(upstream, options);
  const started: Gateway[] = [];
  for (let at = 0; at < nodes; at += 1)
    started.push(await serve(site, ['bin/gateway.js', 'serve', '--port', '0']));
  return started;
}

interface Site extends Pick<Gateway, 'key' | 'drainedKey' | 'accountKeys' | 'dsn'> {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: Run;
}

async function setUp(upstream: string, options: SiteOptions): Promise<Site> {
  const { databaseUrl, withPairs = true, extraModels = [], accounts = 0 } = options;
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-bench-'));
  const dsn = databaseUrl ?? path.join(folder, 'gateway.sqlite');
  const env = { GATEWAY_DATA: folder, GATEWAY_LOG_LEVEL: 'warn', GATEWAY_DB: dsn };
  const run: Run = (args, input = '') =>
    execa(process.execPath, ['bin/gateway.js', ...args], { env, input });
  await run(['setup', '--username', 'root', '--password-stdin'], 'bench-password');
  const models: string[] = [...Object.values(MODELS), ...extraModels];
  const channel = (name: string, names: string[], more: string[] = [], address = upstream) => {
    const given = ['--name', name, '--base-url', address, '--models', names.join(',')];
    return run(['channel', 'create', ...given, '--key-stdin', ...more], UPSTREAM_KEY);
  };
  await channel('mock', models);
  if (options.otherUpstream !== undefined) {
    await channel('other', [OTHER_MODEL], [], options.otherUpstream);
    models.push(OTHER_MODEL);
  }
  for (const { name, type, model } of withPairs ? UPSTREAMS : []) {
    const modelName = pairModel(name);
    await channel(
      name,
      [modelName],
      ['--type', type, '--mapping', JSON.stringify({ [modelName]: model })],
    );
    models.push(modelName);
  }
  for (const model of models) await run(['price', 'set', model, '--in', '0.15', '--out', '0.6']);
  const limit = ['--unlimited', '--rate', '1000000/60s'];
  const made = await run(['token', 'create', '--name', 'bench', ...limit, '--json']);
  const accountKeys = accounts === 0 ? [] : await accountKeysOf({ dataDir: folder, database: dsn });
  return {
    folder,
    dsn,
    env,
    run,
    key: JSON.parse(made.stdout).key,
    drainedKey: options.withDrained === true ? await drainedUser(run) : '',
    accountKeys,
  };

  async function accountKeysOf(site: { readonly dataDir: string; readonly database: string }) {
    const { makeAccounts } = await import('../many-accounts.ts');
    return makeAccounts(site, accounts, options.accountUnits);
  }
}

async function serve(
  { folder, env, run, ...site }: Site,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Gateway> {
  const child = await startChild(process.execPath, args, { ...env, ...more });
  const { url, pid, inspectorUrl } = child;
  return {
    ...site,
    url,
    pids: familyOf(pid),
    inspectorUrl,
    async verify() {
      const { stdout } = await run(['ledger', 'verify', '--json']);
      return JSON.parse(stdout);
    },
    async stop() {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Run = (args: string[], input?: string) => Promise<{ readonly stdout: string }>;

async function drainedUser(run: Run): Promise<string> {
  const user = ['--username', 'poor', '--quota', '0', '--password-stdin'];
  await run(['user', 'create', ...user], 'bench-password');
  const token = ['--name', 'poor', '--user', 'poor', '--unlimited', '--json'];
  const made = await run(['token', 'create', ...token]);
  return JSON.parse(made.stdout).key;
}

/**
 * Verifies the ledger, because results are worthless if it is wrong. Aborted calls have a grace
 * period.
 */
export async function verifyLedger(gateway: Gateway, after: string): Promise<LedgerCheck> {
  let books = await gateway.verify();
  for (let tries = 0; books.checked.holds > 0 && tries < 60; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    books = await gateway.verify();
  }
  if (!books.ok || books.checked.holds > 0)
    throw new Error(`the books are wrong after ${after}: ${JSON.stringify(books)}`);
  return books;
}

export interface Side {
  readonly name: string;
  readonly target: Target;
  readonly pids: readonly number[];
}

/** The measured sides, in the order of a round. */
export function sidesOf({ mock, nginx, bare, floor, gateway }: BenchEnvironment): Side[] {
  const direct = { url: mock.url, key: UPSTREAM_KEY };
  return [
    { name: 'direct', target: direct, pids: [mock.pid] },
    ...(nginx === undefined
      ? []
      : [{ name: 'nginx', target: { ...direct, url: nginx.url }, pids: nginx.pids }]),
    bareSide(bare),
    sideOf('floor', floor),
    sideOf('gateway', gateway),
  ];
}

export function bareSide({ url, pid }: Child): Side {
  return { name: 'bare', target: { url, key: UPSTREAM_KEY }, pids: [pid] };
}

export function sideOf(name: string, { url, key, pids }: Gateway | Floor): Side {
  return { name, target: { url, key }, pids };
}

/** The same, with a call of each account in turn. */
export function accountsOf(name: string, { url, key, pids, accountKeys }: Gateway | Floor): Side {
  return { name, target: { url, key, keys: accountKeys }, pids };
}

export type Figures = Readonly<Record<string, number>>;

/** Runs all sides in turn and returns the median of each value; `warmUps` loads come first. */
export async function interleaved<T>(
  sides: readonly Side[],
  { rounds, warmUps }: { readonly rounds: number; readonly warmUps: number },
  load: (target: Target, side: Side) => Promise<T>,
  figures: (result: T, cpuUs: number) => Figures,
): Promise<Record<string, Figures>> {
  const rows: Record<string, Figures[]> = {};
  for (const side of sides) for (let at = 0; at < warmUps; at += 1) await load(side.target, side);
  for (let at = 0; at < rounds; at += 1) {
    for (const side of sides) {
      const { name, target, pids } = side;
      const before = cpuUsOf(pids);
      const result = await load(target, side);
      rows[name] = [...(rows[name] ?? []), figures(result, cpuUsOf(pids) - before)];
    }
  }
  return Object.fromEntries(Object.entries(rows).map(([name, list]) => [name, medians(list)]));
}

function medians(list: readonly Figures[]): Figures {
  const keys = Object.keys(list[0] ?? {});
  return Object.fromEntries(
    keys.map((key) => [key, round(median(list.map((row) => row[key] ?? 0)))]),
  );
}
