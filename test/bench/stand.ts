/**
 * The environment of a measurement: the mock upstream, nginx if installed, and gateways in front.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { median, type Target } from './load.ts';
import { type Nginx, startNginx } from './nginx.ts';
import { pairModel, UPSTREAMS } from './pairs.ts';
import { type Child, cpuUsOf, startChild } from './processes.ts';

export const PLAIN_MODEL = 'gpt-4o-mini';
export const PACE_MS = 10;
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
  /** The started process and its workers, if any. */
  readonly pids: readonly number[];
  /** The address of the inspector if `nodeFlags` contains `--inspect`. */
  readonly inspectorUrl: string | undefined;
  verify(): Promise<Books>;
  stop(): Promise<void>;
}

export interface Stand {
  readonly mock: Child;
  readonly nginx: Nginx | undefined;
  readonly gateway: Gateway;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  /** Defaults to SQLite in a temporary folder. */
  readonly databaseUrl?: string;
  /** In addition to the port. */
  readonly serveFlags?: readonly string[];
  /** Flags of Node itself, before the script. */
  readonly nodeFlags?: readonly string[];
  /** Adds a channel for each upstream of `pairs.ts`; default true. */
  readonly withPairs?: boolean;
  readonly extraModels?: readonly string[];
  /** Environment of the serving process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Adds a user without balance, and a key for that user. */
  readonly withDrained?: boolean;
}

export interface Books {
  readonly ok: boolean;
  readonly checked: { readonly holds: number };
}

export async function openStand(): Promise<Stand> {
  const mock = await startMock();
  const nginx = await startNginx(mock.url);
  const gateway = await startGateway(mock.url);
  const stop = async () => {
    await gateway.stop();
    await nginx?.stop();
    await mock.stop();
  };
  return { mock, nginx, gateway, stop };
}

export function startMock(): Promise<Child> {
  return startChild(process.execPath, ['--import', 'tsx', 'test/bench/mock.ts']);
}

/** Starts a gateway with every benchmark model, prices, and a key with a rate limit. */
export async function startGateway(
  upstream: string,
  { databaseUrl, serveFlags = [], nodeFlags = [], ...more }: GatewayOptions = {},
): Promise<Gateway> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-bench-'));
  const env = {
    GATEWAY_DATA: folder,
    GATEWAY_LOG_LEVEL: 'warn',
    ...(databaseUrl === undefined ? {} : { GATEWAY_DB: databaseUrl }),
  };
  const run = (args: string[], input = '') =>
    execa(process.execPath, ['bin/gateway.js', ...args], { env, input });
  await run(['setup', '--username', 'root', '--password-stdin'], 'bench-password');
  const { withPairs = true, extraModels = [] } = more;
  const models: string[] = [...Object.values(MODELS), ...extraModels];
  const channel = (name: string, names: string[], more: string[] = []) => {
    const given = ['--name', name, '--base-url', upstream, '--models', names.join(',')];
    return run(['channel', 'create', ...given, '--key-stdin', ...more], 'mock-key');
  };
  await channel('mock', models);
  for (const { name, type, model } of withPairs ? UPSTREAMS : []) {
    const asked = pairModel(name);
    await channel(name, [asked], ['--type', type, '--mapping', JSON.stringify({ [asked]: model })]);
    models.push(asked);
  }
  for (const model of models) await run(['price', 'set', model, '--in', '0.15', '--out', '0.6']);
  const limit = ['--unlimited', '--rate', '1000000/60s'];
  const made = await run(['token', 'create', '--name', 'bench', ...limit, '--json']);
  const args = [...nodeFlags, 'bin/gateway.js', 'serve', '--port', '0', ...serveFlags];
  const drainedKey = more.withDrained === true ? await drainedUser(run) : '';
  const child = await startChild(process.execPath, args, { ...env, ...more.env });
  return {
    url: child.url,
    key: JSON.parse(made.stdout).key,
    drainedKey,
    pids: [child.pid, ...childrenOf(child.pid)],
    inspectorUrl: child.inspectorUrl,
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

function childrenOf(pid: number): number[] {
  try {
    const said = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
    return said.trim().split('\n').map(Number);
  } catch {
    return []; // pgrep fails where there is none
  }
}

/**
 * Verifies the ledger, because results are worthless if it is wrong. Aborted calls have a grace
 * period.
 */
export async function proveBooks(gateway: Gateway, after: string): Promise<Books> {
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

/**
 * The measured sides, in the order of a round; the mock alone is measured twice to show the drift.
 */
export function sidesOf({ mock, nginx, gateway }: Stand): Side[] {
  const direct = { target: { url: mock.url, key: 'mock-key' }, pids: [mock.pid] };
  return [
    { name: 'direct', ...direct },
    ...(nginx === undefined
      ? []
      : [{ name: 'nginx', target: { url: nginx.url, key: 'mock-key' }, pids: nginx.pids }]),
    sideOf('gateway', gateway),
    { name: 'direct again', ...direct },
  ];
}

export function sideOf(name: string, { url, key, pids }: Gateway): Side {
  return { name, target: { url, key }, pids };
}

export type Figures = Readonly<Record<string, number>>;

/** Runs all sides in turn and returns the median of each value; `warmUps` loads come first. */
export async function interleaved<T>(
  sides: readonly Side[],
  { rounds, warmUps }: { readonly rounds: number; readonly warmUps: number },
  load: (target: Target) => Promise<T>,
  figures: (result: T, cpuUs: number) => Figures,
): Promise<Record<string, Figures>> {
  const rows: Record<string, Figures[]> = {};
  for (const { target } of sides) for (let at = 0; at < warmUps; at += 1) await load(target);
  for (let at = 0; at < rounds; at += 1) {
    for (const { name, target, pids } of sides) {
      const before = cpuUsOf(pids);
      const result = await load(target);
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

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
