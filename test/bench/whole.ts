/**
 * Runs all measurements of `npm run bench` on one stand and verifies the ledger after each part.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { databases } from '../support/databases.ts';
import { measurePairs, printPairs } from './pairs.ts';
import {
  FULL,
  measureAdded,
  measureFirstToken,
  measureIdle,
  measurePaced,
  measurePlain,
  measurePostgres,
  measureStart,
  measureStream,
  QUICK,
  type Size,
} from './parts.ts';
import { rssBytes } from './processes.ts';
import { printReport } from './report.ts';
import { MODELS, openStand, proveBooks, round, type Stand, sidesOf } from './stand.ts';

export interface Flags {
  readonly quick: boolean;
  readonly pairs: boolean;
}

export async function measure(flags: Flags): Promise<void> {
  const size = flags.quick ? QUICK : FULL;
  const report: Record<string, unknown> = { node: process.version, date: new Date().toISOString() };
  const stand = await openStand();
  const part = async (name: string, work: () => Promise<unknown>) => {
    report[name] = await work();
    report.books = await proveBooks(stand.gateway, name);
  };
  try {
    report.idle_rss_mb = round(rssBytes(stand.gateway.pids[0] ?? 0) / 2 ** 20);
    if (flags.pairs) await part('pairs', () => pairs(stand, size));
    else await measureAll({ stand, size, part, report });
  } finally {
    await stand.stop();
  }
  mkdirSync('bench-results', { recursive: true });
  writeFileSync('bench-results/latest.json', `${JSON.stringify(report, null, 2)}\n`);
  printReport(report);
}

interface Run {
  readonly stand: Stand;
  readonly size: Size;
  readonly part: (name: string, work: () => Promise<unknown>) => Promise<void>;
  readonly report: Record<string, unknown>;
}

async function measureAll({ stand, size, part, report }: Run): Promise<void> {
  // First, while the heap is small; a larger heap would already have room for thousands of streams.
  await part('idle_streams', () => measureIdle(stand, size));
  await part('plain', () => measurePlain(sidesOf(stand), size));
  await part('added', () => measureAdded(stand, size));
  await part('burst', () => measureStream(stand, MODELS.burst, size));
  await part('flushed', () => measureStream(stand, MODELS.flushed, size));
  await part('first_token', () => measureFirstToken(stand, size));
  await part('paced', () => measurePaced(stand));
  if (databases.some(({ kind }) => kind === 'postgres'))
    await part('postgres', () => measurePostgres(stand, size));
  await part('pairs', () => pairs(stand, size));
  report.cli_start = await measureStart();
}

async function pairs({ gateway }: Stand, size: Size) {
  const { url, key, pids } = gateway;
  const { rounds, streams } = size;
  const rows = await measurePairs({ target: { url, key }, pids, rounds, streams });
  printPairs(rows);
  return rows;
}
