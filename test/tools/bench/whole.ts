/**
 * Runs all measurements of `npm run bench` in one environment and verifies the ledger after each part.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { databases } from '../../support/databases.ts';
import { measureBytes, measureHolds, measureUntilIdle } from './call-costs.ts';
import {
  type BenchEnvironment,
  type Figures,
  type Gateway,
  MODELS,
  openEnvironment,
  sidesOf,
  verifyLedger,
} from './environment/environment.ts';
import { rssBytes } from './environment/processes.ts';
import { round } from './load.ts';
import { callsOnPostgres } from './nodes.ts';
import { measurePairs, printPairs } from './pairs.ts';
import {
  FULL,
  measureAdded,
  measureFirstToken,
  measureIdle,
  measurePaced,
  measurePlain,
  measureStart,
  measureStream,
  QUICK,
  type Size,
} from './parts.ts';
import { printReport } from './report.ts';
import { saveResult } from './results.ts';

export interface Flags {
  readonly quick: boolean;
  readonly pairs: boolean;
  readonly floor: boolean;
}

export async function measure(flags: Flags): Promise<void> {
  const size = flags.quick ? QUICK : FULL;
  const report: Record<string, unknown> = { node: process.version, date: new Date().toISOString() };
  const environment = await openEnvironment();
  const part = async (name: string, work: () => Promise<unknown>) => {
    report[name] = await work();
    console.log(name, JSON.stringify(report[name], null, 2));
    report.books = await verifyLedger(environment.gateway, name);
  };
  try {
    await pause(size.idleMs);
    report.idle_rss = rssOf(environment);
    console.log('idle_rss', report.idle_rss);
    const run = { environment, size, part, report };
    if (flags.pairs) await part('pairs', () => pairs(environment, size));
    else if (flags.floor) await measureCosts(run);
    else await measureAll(run);
  } finally {
    await environment.stop();
  }
  saveResult('latest', report);
  printReport(report);
}

interface Run {
  readonly environment: BenchEnvironment;
  readonly size: Size;
  readonly part: (name: string, work: () => Promise<unknown>) => Promise<void>;
  readonly report: Record<string, unknown>;
}

function rssOf({ floor, gateway }: BenchEnvironment): Record<string, Figures> {
  const mb = ({ pids: [pid = 0] }: Pick<Gateway, 'pids'>) => ({
    mb: round(rssBytes(pid) / 2 ** 20),
  });
  return { floor: mb(floor), gateway: mb(gateway) };
}

async function measureAll(run: Run): Promise<void> {
  const { environment, size, part, report } = run;
  // First, while the heap is small; a larger heap would already have room for thousands of streams.
  await part('idle_streams', () => measureIdle(environment, size));
  await measureCosts(run);
  await part('first_token', () => measureFirstToken(environment, size));
  await part('paced', () => measurePaced(environment));
  await part('pairs', () => pairs(environment, size));
  report.cli_start = await measureStart();
}

/** What the gateway is compared with the floor for. */
async function measureCosts({ environment, size, part, report }: Run): Promise<void> {
  report.bytes = await measureBytes(environment, () =>
    part('plain', () => measurePlain(sidesOf(environment), size)),
  );
  console.log('bytes', report.bytes);
  await part('until_idle', () => measureUntilIdle(environment, size));
  await part('holds', () => measureHolds(environment, size));
  await part('added', () => measureAdded(environment, size));
  await part('flushed', () => measureStream(environment, MODELS.flushed, size));
  await part('burst', () => measureStream(environment, MODELS.burst, size));
  if (databases.some(({ kind }) => kind === 'postgres'))
    await part('postgres', () => callsOnPostgres(environment.mock.url, 1, size));
  for (const floor of [environment.floor, environment.holdingFloor]) await floor.verify();
}

async function pairs({ gateway }: BenchEnvironment, size: Size) {
  const { url, key, pids } = gateway;
  const { rounds, streams } = size;
  const rows = await measurePairs({ target: { url, key }, pids, rounds, streams });
  printPairs(rows);
  return rows;
}
