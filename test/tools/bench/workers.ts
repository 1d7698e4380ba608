/**
 * `npm run bench -- --workers [count]`: the gain of more workers. Each process of the gateway may use
 * the same small share of a CPU core (a Linux control group, so it needs root); load generator and
 * upstream use the rest of the machine. The calls answered per second then show how much the
 * workers slow each other down, and the CPU of the first process what it does for its workers. GATEWAY_DB selects another database than SQLite; it must be empty.
 */
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { cpuUsOf, rssBytes, startChild } from './environment/processes.ts';
import { median, plainLoad } from './load.ts';

const GROUPS = '/sys/fs/cgroup/cpu';
const PERIOD_US = 20_000;
const SHARE = 0.25;
const ROUNDS = 3;
const WARM_UP_CALLS = 5_000;
const CALLS_PER_WORKER = 1_000;
const CONNECTIONS = 32;

const most = Number(process.argv[process.argv.indexOf('--workers') + 1]) || 2;
const folder = mkdtempSync(path.join(tmpdir(), 'gateway-bench-workers-'));
const env = { GATEWAY_DATA: folder, GATEWAY_LOG_LEVEL: 'warn' };
const run = (args: readonly string[], input = '') =>
  execa(process.execPath, ['bin/gateway.js', ...args], { env, input });

const mock = await startChild(process.execPath, [
  '--import',
  'tsx',
  'test/tools/bench/environment/mock.ts',
]);
try {
  const key = await setUp();
  const rows: Record<string, Readonly<Record<string, number>>> = {};
  let alone = 0;
  for (let workers = 1; workers <= most; workers += 1) {
    const { perSecond, ...costs } = await measure(key, workers);
    if (workers === 1) alone = perSecond;
    rows[workers] = {
      calls_per_second: Math.round(perSecond),
      times: Math.round((perSecond / alone) * 100) / 100,
      ...costs,
    };
  }
  console.table(rows);
  console.log((await run(['ledger', 'verify'])).stdout);
} finally {
  await mock.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function setUp(): Promise<string> {
  await run(['setup', '--username', 'root', '--password-stdin'], 'bench-password');
  const channel = ['--name', 'mock', '--base-url', mock.url, '--models', 'gpt-4o-mini'];
  await run(['channel', 'create', ...channel, '--key-stdin'], 'mock-key');
  await run(['price', 'set', 'gpt-4o-mini', '--in', '0.15', '--out', '0.6']);
  const limits = ['--unlimited', '--rate', '1000000/3600s'];
  const made = await run(['token', 'create', '--name', 'bench', ...limits, '--json']);
  return JSON.parse(made.stdout).key;
}

/** Calls per second, median of the rounds, and what they cost. */
async function measure(key: string, workers: number) {
  const args = ['bin/gateway.js', 'serve', '--port', '0', '--workers', String(workers)];
  const gateway = await startChild(process.execPath, args, env);
  const first = workers === 1 ? [] : [gateway.pid];
  const serving = workers === 1 ? [gateway.pid] : await children(gateway.pid, workers);
  const target = { url: gateway.url, key };
  await plainLoad(target, 'gpt-4o-mini', WARM_UP_CALLS, CONNECTIONS);
  const groups = [...first, ...serving].map(confine);
  const before = { first: cpuUsOf(first), serving: cpuUsOf(serving) };
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const calls = CALLS_PER_WORKER * workers;
    const startedAt = performance.now();
    const { failed } = await plainLoad(target, 'gpt-4o-mini', calls, CONNECTIONS * workers);
    if (failed > 0) throw new Error(`${failed} calls failed`);
    rates.push((calls * 1000) / (performance.now() - startedAt));
  }
  const calls = CALLS_PER_WORKER * workers * ROUNDS;
  const costs = {
    worker_us_per_call: Math.round((cpuUsOf(serving) - before.serving) / calls),
    first_us_per_call: Math.round((cpuUsOf(first) - before.first) / calls),
    first_mb: Math.round(first.reduce((sum, pid) => sum + rssBytes(pid), 0) / 2 ** 20),
  };
  await gateway.stop();
  for (const group of groups) rmdirSync(group);
  return { perSecond: median(rates), ...costs };
}

async function children(pid: number, count: number): Promise<number[]> {
  for (;;) {
    const { stdout } = await execa('pgrep', ['-P', String(pid)], { reject: false });
    const found = stdout.split('\n').filter(Boolean).map(Number);
    if (found.length === count) return found;
    await pause(100);
  }
}

/**
 * Limits a process and its threads to the share; returns the control group to remove after its
 * exit.
 */
function confine(pid: number): string {
  const group = path.join(GROUPS, `gateway-bench-${pid}`);
  mkdirSync(group);
  writeFileSync(path.join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
  writeFileSync(path.join(group, 'cpu.cfs_quota_us'), String(PERIOD_US * SHARE));
  writeFileSync(path.join(group, 'cgroup.procs'), String(pid));
  return group;
}
