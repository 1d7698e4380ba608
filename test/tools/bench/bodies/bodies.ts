/**
 * `npm run bench -- --bodies`: sends bodies that are expensive to process, one, twenty and a
 * hundred at once, from an account with balance and one without, to a gateway with a small heap. It
 * prints memory and time, and fails if the gateway does not survive or stops serving.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { type Gateway, PLAIN_MODEL, startGateway, startMock } from '../environment/environment.ts';
import { peakRssBytes, resetPeakRss } from '../environment/processes.ts';
import { plainLoad, type Target } from '../load.ts';
import { SHAPES, type Shape } from './body-shapes.ts';

const HEAP_MB = 512;
const AT_ONCE = [1, 20, 100];
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
  readonly seconds: number;
  readonly survived: boolean;
}

/** @throws Error if the gateway exited under any of them. */
export async function measureBodies(named: string): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-bench-bodies-'));
  const mock = await startMock();
  const rows: Row[] = [];
  console.log(HEAD);
  let gateway = await open(mock.url, folder);
  try {
    for (const shape of SHAPES.filter(({ name }) => name.includes(named))) {
      const body = shape.make();
      for (const account of ['with balance', 'without'])
        for (const atOnce of AT_ONCE) {
          const row = await measure(gateway, { shape, body, account, atOnce, folder });
          rows.push(row);
          console.log(lineOf(row));
          if (!row.survived) {
            await gateway.stop();
            gateway = await open(mock.url, folder);
          }
        }
    }
  } finally {
    await gateway.stop();
    await mock.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  mkdirSync('bench-results', { recursive: true });
  writeFileSync('bench-results/bodies.json', `${JSON.stringify(rows, null, 2)}\n`);
  const ended = rows.filter(({ survived }) => !survived).length;
  if (ended > 0) throw new Error(`the gateway ended ${ended} times`);
}

function open(upstream: string, folder: string): Promise<Gateway> {
  return startGateway(upstream, {
    withPairs: false,
    withDrained: true,
    nodeFlags: [
      `--max-old-space-size=${HEAP_MB}`,
      '--import',
      './test/bench/environment/watch-process.mjs',
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
  await watched(pid, file);
  resetPeakRss(pid);
  const startedAt = performance.now();
  const statuses = await allAtOnce({ url: gateway.url, key }, { shape, body }, atOnce);
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const survived = isAlive(pid) && (await serves(gateway));
  const { pauseMs, heapBytes } = survived
    ? await watched(pid, file)
    : { pauseMs: Number.NaN, heapBytes: Number.NaN };
  return {
    shape: shape.name,
    account,
    at_once: atOnce,
    answers: counted(statuses),
    rss_mb: survived ? Math.round(peakRssBytes(pid) / MB) : Number.NaN,
    heap_mb: Math.round(heapBytes / MB),
    pause_ms: Math.round(pauseMs),
    seconds,
    survived,
  };
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
        path: '/v1/chat/completions',
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

/** Returns what the gateway measured since the previous call. */
async function watched(pid: number, file: string): Promise<{ pauseMs: number; heapBytes: number }> {
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
  '| body | account | at once | answers | most RSS | most heap | longest pause | survived |',
  '|---|---|--:|---|--:|--:|--:|---|',
].join('\n');

function lineOf(row: Row): string {
  return `| ${row.shape} | ${row.account} | ${row.at_once} | ${row.answers} | ${row.rss_mb} MB | ${row.heap_mb} MB | ${row.pause_ms} ms | ${row.survived ? 'yes' : '**no**'} |`;
}
