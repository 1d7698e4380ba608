/**
 * `npm run bench -- --bodies`: sends bodies that are expensive to process, one, twenty and a
 * hundred at once, from an account with balance and one without, to a gateway with a small heap. It
 * prints memory and time, and fails if the gateway does not survive or stops serving. Small bodies
 * are sent two hundred at once beside calls of another account, and must meet the goals below.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { type Gateway, PLAIN_MODEL, startGateway, startMock } from '../environment/environment.ts';
import { cpuUsOf, peakRssBytes, resetPeakRss } from '../environment/processes.ts';
import { plainLoad, quantile, round, type Target } from '../load.ts';
import { saveResult } from '../results.ts';
import { SHAPES, type Shape } from './body-shapes.ts';
import type { NeighbourCall } from './neighbour.ts';

const HEAP_MB = 512;
const NEIGHBOUR = 'test/tools/bench/bodies/neighbour.ts';
/** 100 USD: its calls need no holds of their own, as those of most accounts. */
const NEIGHBOUR_UNITS = 50_000_000;
const AT_ONCE = [1, 20, 100];
/** Goals of bursts of small bodies: CPU time of the longest pause, memory, and p99 beside them. */
const MOST_PAUSE_MS = 50;
const MOST_ADDED_MB = 200;
const MOST_P99_RATIO = 3;
/** How long the other account's calls run unmeasured, and then alone. */
const WARM_UP_MS = 4_000;
const ALONE_MS = 3_000;
/** A single burst lasts for few calls of the other account. */
const BURSTS = 6;
const MB = 2 ** 20;

interface Row {
  readonly shape: string;
  readonly account: string;
  readonly at_once: number;
  /** How often each status was returned; `cut` is a connection closed without a response. */
  readonly answers: string;
  readonly rss_mb: number;
  readonly heap_mb: number;
  readonly pause_ms: number;
  /** The CPU time of the longest pause, without waiting for other processes. */
  readonly pause_cpu_ms: number;
  readonly added_mb: number;
  /** p99 of another account's calls before the bursts, and beside them. */
  readonly p99_alone_ms: number;
  readonly p99_beside_ms: number;
  /** The p99 of what the gateway's main thread computed during such a call (`neighbour.ts`). */
  readonly p99_alone_cpu_ms: number;
  readonly p99_beside_cpu_ms: number;
  /** How many calls the p99 beside the bursts is of. */
  readonly beside_calls: number;
  /** CPU of the process per call of the burst, without calls of another account. */
  readonly call_cpu_us: number;
  readonly seconds: number;
  readonly survived: boolean;
}

/** @throws Error if the gateway exited under any of them. */
export async function measureBodies(named: string): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-bench-bodies-'));
  const mock = await startMock();
  const other = await startMock();
  const rows: Row[] = [];
  console.log(HEAD);
  let gateway = await open(mock.url, other.url, folder);
  try {
    for (const shape of SHAPES.filter(({ name }) => name.includes(named))) {
      const body = shape.make();
      for (const account of ['with balance', 'without'])
        for (const atOnce of shape.burst === undefined ? AT_ONCE : [shape.burst]) {
          const row = await measure(gateway, { shape, body, account, atOnce, folder });
          rows.push(row);
          console.log(lineOf(row));
          if (!row.survived) {
            await gateway.stop();
            gateway = await open(mock.url, other.url, folder);
          }
        }
    }
  } finally {
    await gateway.stop();
    await mock.stop();
    await other.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  saveResult('bodies', rows);
  const ended = rows.filter(({ survived }) => !survived).length;
  if (ended > 0) throw new Error(`the gateway ended ${ended} times`);
  const missed = rows.filter((row) => isBurst(row) && !meetsGoals(row));
  if (missed.length > 0)
    throw new Error(`goals missed: ${missed.map(({ shape }) => shape).join('; ')}`);
}

function isBurst({ p99_alone_ms }: Row): boolean {
  return !Number.isNaN(p99_alone_ms);
}

function meetsGoals({ pause_cpu_ms, added_mb, ...row }: Row): boolean {
  if (pause_cpu_ms > MOST_PAUSE_MS || added_mb > MOST_ADDED_MB) return false;
  return row.p99_beside_cpu_ms <= MOST_P99_RATIO * row.p99_alone_cpu_ms;
}

function open(upstream: string, otherUpstream: string, folder: string): Promise<Gateway> {
  return startGateway(upstream, {
    withPairs: false,
    withDrained: true,
    otherUpstream,
    accounts: 1,
    accountUnits: NEIGHBOUR_UNITS,
    nodeFlags: [
      `--max-old-space-size=${HEAP_MB}`,
      '--import',
      './test/tools/bench/environment/watch-process.mjs',
    ],
    env: { BENCH_WATCH_FILE: path.join(folder, 'watched') },
  });
}

interface RequestFields {
  readonly shape: Shape;
  readonly body: ReturnType<Shape['make']>;
  readonly account: string;
  readonly atOnce: number;
  readonly folder: string;
}

async function measure(
  gateway: Gateway,
  { shape, body, account, atOnce, folder }: RequestFields,
): Promise<Row> {
  const file = path.join(folder, 'watched');
  const [pid = 0] = gateway.pids;
  const key = account === 'without' ? gateway.drainedKey : gateway.key;
  const neighbour = shape.burst === undefined ? undefined : new Neighbour(gateway);
  if (neighbour !== undefined) await pause(WARM_UP_MS);
  await neighbour?.calls();
  if (neighbour !== undefined) await pause(ALONE_MS);
  const alone = p99Of((await neighbour?.calls()) ?? []);
  await watched(pid, file);
  resetPeakRss(pid);
  const rssBefore = peakRssBytes(pid);
  const startedAt = performance.now();
  const target = { url: gateway.url, key };
  let statuses: string[] = [];
  for (let burst = 0; burst < (neighbour === undefined ? 1 : BURSTS); burst += 1)
    statuses = await allAtOnce(target, { shape, body }, atOnce);
  const besideCalls = (await neighbour?.calls()) ?? [];
  const beside = p99Of(besideCalls);
  await neighbour?.stop();
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const survived = isAlive(pid) && (await serves(gateway));
  const nothing = { pauseMs: Number.NaN, pauseCpuMs: Number.NaN, heapBytes: Number.NaN };
  const { pauseMs, pauseCpuMs, heapBytes } = survived ? await watched(pid, file) : nothing;
  const rssBytes = survived ? peakRssBytes(pid) : Number.NaN;
  const cpuBeforeUs = survived ? cpuUsOf([pid]) : Number.NaN;
  if (survived && neighbour !== undefined) await allAtOnce(target, { shape, body }, atOnce);
  const callCpuUs = survived ? (cpuUsOf([pid]) - cpuBeforeUs) / atOnce : Number.NaN;
  return {
    shape: shape.name,
    account,
    at_once: atOnce,
    answers: counted(statuses),
    rss_mb: Math.round(rssBytes / MB),
    heap_mb: Math.round(heapBytes / MB),
    pause_ms: Math.round(pauseMs),
    pause_cpu_ms: Math.round(pauseCpuMs),
    added_mb: Math.round((rssBytes - rssBefore) / MB),
    p99_alone_ms: round(alone.ms),
    p99_beside_ms: round(beside.ms),
    p99_alone_cpu_ms: round(alone.cpuMs),
    p99_beside_cpu_ms: round(beside.cpuMs),
    beside_calls: besideCalls.length,
    call_cpu_us: Math.round(callCpuUs),
    seconds,
    survived,
  };
}

/** Calls of another account to another upstream, in a process of their own. */
class Neighbour {
  readonly #child: ChildProcess;

  constructor({ url, accountKeys: [key = ''], pids: [pid] }: Gateway) {
    this.#child = fork(NEIGHBOUR, [url, key, String(pid)], { execArgv: ['--import', 'tsx'] });
  }

  /** The calls that ended since the last time this was asked. */
  async calls(): Promise<NeighbourCall[]> {
    const answer = once(this.#child, 'message');
    this.#child.send('');
    const [calls] = await answer;
    return calls;
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.kill();
    await exit;
  }
}

function p99Of(calls: readonly NeighbourCall[]): NeighbourCall {
  if (calls.length === 0) return { ms: Number.NaN, cpuMs: Number.NaN };
  const p99 = (name: keyof NeighbourCall) =>
    quantile(
      calls.map((call) => call[name]),
      0.99,
    );
  return { ms: p99('ms'), cpuMs: p99('cpuMs') };
}

async function allAtOnce(
  { url, key }: Target,
  { shape, body }: Pick<RequestFields, 'shape' | 'body'>,
  atOnce: number,
): Promise<string[]> {
  const pool = new Pool(url, { connections: atOnce, headersTimeout: 0, bodyTimeout: 0 });
  const one = async (): Promise<string> => {
    try {
      const answer = await pool.request({
        method: 'POST',
        path: shape.path ?? '/v1/chat/completions',
        headers: { authorization: `Bearer ${key}`, ...shape.headers },
        body: typeof body === 'function' ? Readable.from(body()) : body,
      });
      await answer.body.dump();
      return String(answer.statusCode);
    } catch {
      return 'cut';
    }
  };
  const statuses = await Promise.all(Array.from({ length: atOnce }, one));
  await pool.destroy();
  return statuses;
}

function counted(statuses: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} x ${status}`).join(', ');
}

async function serves(gateway: Gateway): Promise<boolean> {
  const { failed } = await plainLoad(gateway, PLAIN_MODEL, 5, 1).catch(() => ({ failed: 5 }));
  return failed === 0;
}

interface Watched {
  readonly pauseMs: number;
  readonly pauseCpuMs: number;
  readonly heapBytes: number;
}

/** Returns what the gateway measured since the previous call. */
async function watched(pid: number, file: string): Promise<Watched> {
  const before = linesOf(file).length;
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    const lines = linesOf(file);
    if (lines.length > before) return JSON.parse(lines.at(-1) ?? '');
    await pause(20);
  }
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n');
  } catch {
    return []; // nothing was written yet
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const HEAD = [
  '| body | account | at once | answers | most RSS | added | most heap | longest pause | of it CPU | p99 alone / beside | of it CPU, calls | CPU per call | survived |',
  '|---|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|---|',
].join('\n');

function lineOf(row: Row): string {
  return `| ${row.shape} | ${row.account} | ${row.at_once} | ${row.answers} | ${row.rss_mb} MB | ${row.added_mb} MB | ${row.heap_mb} MB | ${row.pause_ms} ms | ${row.pause_cpu_ms} ms | ${isBurst(row) ? `${row.p99_alone_ms} / ${row.p99_beside_ms} ms | ${row.p99_alone_cpu_ms} / ${row.p99_beside_cpu_ms} ms, ${row.beside_calls} | ${row.call_cpu_us} us` : '| |'} | ${row.survived ? 'yes' : '**no**'} |`;
}
