/**
 * `npm run bench`: what a call and a streamed event cost, beside the bare mock and nginx in the same
 * run, with keys, limits, billing and logs on. The rounds are interleaved; read the ratios.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { median, openIdleStreams, plainLoad, quantile, streamLoad, type Target } from './load.ts';
import { type Nginx, startNginx } from './nginx.ts';
import { type Child, cpuUsOf, rssBytes, startChild } from './processes.ts';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 2 : 5;
const CALLS = quick ? 1_500 : 4_000;
const WARM_UPS = quick ? 1 : 6;
const CONCURRENCY = 32;
const BURST_STREAMS = quick ? 50 : 150;
const BURST_MODEL = 'gpt-4o-mini+events:200:20';
/** The same stream, but every event or so leaves the upstream in a packet of its own. */
const FLUSHED_MODEL = 'gpt-4o-mini+events:200:20+split:260';
const PACE_MS = 10;
const PACED_MODEL = `gpt-4o-mini+paced:200:${PACE_MS}`;
const IDLE_MODEL = 'gpt-4o-mini+hang-stream:1';
const PACED_STREAMS = 128;
const IDLE_STREAMS = quick ? 500 : 2_000;
const EVENTS = 200;

interface Stand {
  readonly folder: string;
  readonly mock: Child;
  readonly nginx: Nginx | undefined;
  readonly gateway: Child;
  readonly key: string;
}

const report: Record<string, unknown> = { node: process.version, date: new Date().toISOString() };
const stand = await setUp();
try {
  report.idle_rss_mb = round(rssBytes(stand.gateway.pid) / 2 ** 20);
  // First, while the heap is small: later there would be room for thousands of streams in it.
  await part('idle_streams', () => measureIdle(stand));
  await part('plain', () => measurePlain(stand));
  await part('burst', () => measureStream(stand, BURST_MODEL));
  await part('flushed', () => measureStream(stand, FLUSHED_MODEL));
  await part('paced', () => measurePaced(stand));
  report.cli_start = await measureStart();
} finally {
  await stand.gateway.stop();
  await stand.nginx?.stop();
  await stand.mock.stop();
  rmSync(stand.folder, { recursive: true, force: true });
}
mkdirSync('bench-results', { recursive: true });
writeFileSync('bench-results/latest.json', `${JSON.stringify(report, null, 2)}\n`);
print(report);

/** Measures one part; figures are worth nothing when the books are wrong after it. */
async function part(name: string, measure: () => Promise<unknown>): Promise<void> {
  report[name] = await measure();
  const books = await verifyBooks(stand);
  if (!books.ok || books.checked.holds > 0) {
    throw new Error(`the books are wrong after ${name}: ${JSON.stringify(books)}`);
  }
  report.books = books;
}

async function setUp(): Promise<Stand> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-bench-'));
  const mock = await startChild(process.execPath, ['--import', 'tsx', 'test/bench/mock.ts']);
  const nginx = await startNginx(mock.url);
  const env = { GATEWAY_DATA: folder, GATEWAY_LOG_LEVEL: 'warn' };
  const run = (args: string[], input = '') =>
    execa(process.execPath, ['bin/gateway.js', ...args], { env, input });
  await run(['setup', '--username', 'root', '--password-stdin'], 'bench-password');
  const models = ['gpt-4o-mini', BURST_MODEL, FLUSHED_MODEL, PACED_MODEL, IDLE_MODEL];
  await run(
    [
      'channel',
      'create',
      '--name',
      'mock',
      '--base-url',
      mock.url,
      '--models',
      models.join(','),
      '--key-stdin',
    ],
    'mock-key',
  );
  for (const model of models) await run(['price', 'set', model, '--in', '0.15', '--out', '0.6']);
  const made = await run([
    'token',
    'create',
    '--name',
    'bench',
    '--unlimited',
    '--rate',
    '1000000/3600s',
    '--json',
  ]);
  const gateway = await startChild(
    process.execPath,
    ['bin/gateway.js', 'serve', '--port', '0'],
    env,
  );
  return { folder, mock, nginx, gateway, key: JSON.parse(made.stdout).key };
}

/** The measured sides, in the order of a round; the mock alone comes twice to show the drift. */
function sides({ mock, nginx, gateway, key }: Stand) {
  const direct = { target: { url: mock.url, key: 'mock-key' }, pids: [mock.pid] };
  return [
    ['direct', direct],
    ...(nginx === undefined
      ? []
      : [['nginx', { target: { url: nginx.url, key: 'mock-key' }, pids: nginx.pids }] as const]),
    ['gateway', { target: { url: gateway.url, key }, pids: [gateway.pid] }],
    ['direct again', direct],
  ] as const;
}

async function interleaved<T>(
  stand: Stand,
  load: (target: Target) => Promise<T>,
  figures: (result: T, cpu: number) => Record<string, number>,
) {
  const rows: Record<string, Record<string, number>[]> = {};
  for (let at = 0; at <= ROUNDS; at += 1) {
    for (const [name, { target, pids }] of sides(stand)) {
      // The compiler is done with the hot path after some ten thousand calls.
      if (at === 0) for (let time = 1; time < WARM_UPS; time += 1) await load(target);
      const before = cpuUsOf(pids);
      const result = await load(target);
      const row = figures(result, cpuUsOf(pids) - before);
      if (at > 0) rows[name] = [...(rows[name] ?? []), row]; // round 0 warms up
    }
  }
  return Object.fromEntries(
    Object.entries(rows).map(([name, list]) => [
      name,
      Object.fromEntries(
        Object.keys(list[0] ?? {}).map((key) => [
          key,
          round(median(list.map((row) => row[key] ?? 0))),
        ]),
      ),
    ]),
  );
}

function measurePlain(stand: Stand) {
  return interleaved(
    stand,
    (target) => plainLoad(target, 'gpt-4o-mini', CALLS, CONCURRENCY),
    (result, cpu) => ({
      cpu_us_per_call: cpu / CALLS,
      p50_ms: quantile(result.latenciesMs, 0.5),
      p99_ms: quantile(result.latenciesMs, 0.99),
      failed: result.failed,
    }),
  );
}

function measureStream(stand: Stand, model: string) {
  return interleaved(
    stand,
    (target) => streamLoad(target, model, BURST_STREAMS, 8),
    (result, cpu) => ({
      cpu_us_per_event: cpu / (BURST_STREAMS * EVENTS),
      first_p50_ms: quantile(result.firstMs, 0.5),
      incomplete: result.incomplete,
    }),
  );
}

/**
 * One event every 10 ms on each stream. Lost: frames the bare upstream delivered and this side did
 * not. Late: how much longer the worst pause of a stream was than the pace.
 */
async function measurePaced(stand: Stand) {
  const rows: Record<string, unknown> = {};
  let sent: number | undefined;
  for (const [name, { target, pids }] of sides(stand).slice(0, -1)) {
    const before = cpuUsOf(pids);
    const result = await streamLoad(target, PACED_MODEL, PACED_STREAMS, PACED_STREAMS);
    sent ??= result.events;
    const late = result.gapMs.map((gap) => Math.max(0, gap - PACE_MS));
    rows[name] = {
      cpu_us_per_event: round((cpuUsOf(pids) - before) / (PACED_STREAMS * EVENTS)),
      first_p50_ms: round(quantile(result.firstMs, 0.5)),
      first_p99_ms: round(quantile(result.firstMs, 0.99)),
      lost: sent - result.events,
      late_p50_ms: round(quantile(late, 0.5)),
      late_worst_ms: round(Math.max(...late)),
      incomplete: result.incomplete,
    };
  }
  return rows;
}

async function measureIdle(stand: Stand) {
  await plainLoad({ url: stand.gateway.url, key: stand.key }, 'gpt-4o-mini', 200, 8);
  const before = rssBytes(stand.gateway.pid);
  const idle = openIdleStreams(
    { url: stand.gateway.url, key: stand.key },
    IDLE_MODEL,
    IDLE_STREAMS,
  );
  await idle.opened;
  const grown = rssBytes(stand.gateway.pid) - before;
  await idle.close();
  return { streams: IDLE_STREAMS, kb_per_stream: round(grown / 1024 / IDLE_STREAMS) };
}

interface Books {
  readonly ok: boolean;
  readonly checked: { readonly holds: number };
}

/** Calls that were cut have a grace: their settlement may take a moment. */
async function verifyBooks({ folder }: Stand): Promise<Books> {
  const env = { GATEWAY_DATA: folder, GATEWAY_LOG_LEVEL: 'warn' };
  const verify = async (): Promise<Books> => {
    const args = ['bin/gateway.js', 'ledger', 'verify', '--json'];
    const { stdout } = await execa(process.execPath, args, { env });
    return JSON.parse(stdout);
  };
  let books = await verify();
  for (let tries = 0; books.checked.holds > 0 && tries < 60; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    books = await verify();
  }
  return books;
}

async function measureStart() {
  const took = async (args: string[]) => {
    const times: number[] = [];
    for (let at = 0; at < 11; at += 1) {
      const started = performance.now();
      await execa(process.execPath, args);
      times.push(performance.now() - started);
    }
    return median(times);
  };
  const bare = await took(['-e', '0']);
  return {
    node_ms: round(bare),
    version_extra_ms: round((await took(['bin/gateway.js', '--version'])) - bare),
    help_extra_ms: round((await took(['bin/gateway.js', '--help'])) - bare),
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function print(result: Record<string, unknown>): void {
  console.log(JSON.stringify(result, null, 2));
  for (const name of ['plain', 'flushed', 'burst', 'paced']) {
    const rows = result[name] as Record<string, Record<string, number>>; // made by the parts above
    const { direct, gateway, nginx } = rows;
    console.log(`\n${name}`);
    console.table(rows);
    for (const key of Object.keys(gateway ?? {})) {
      const ours = gateway?.[key] ?? 0;
      if (key.startsWith('cpu_') && nginx !== undefined)
        console.log(`${key}: ${round(ours / (nginx[key] ?? 1))} x nginx`);
      if (/_p\d+_ms$|^p\d+_ms$/.test(key))
        console.log(`${key} added to the bare upstream: ${round(ours - (direct?.[key] ?? 0))} ms`);
    }
  }
}
