/** Starts the floor (`other-relays/floor.mjs`) and checks its ledger. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDatabases } from '../../../../src/store/connection/database.ts';
import { startChild } from './processes.ts';

export interface FloorOptions {
  /** Default 1. */
  readonly accounts?: number;
  /** Reserves the highest cost before each call. */
  readonly withHolds?: boolean;
  /** A part that is left out. */
  readonly without?: 'fastify' | 'sqlite' | 'upstream';
}

export interface Floor {
  readonly url: string;
  readonly key: string;
  readonly accountKeys: readonly string[];
  readonly pids: readonly number[];
  /** @throws Error if a balance is not that of its ledger entries, or a hold is left. */
  verify(): Promise<void>;
  stop(): Promise<void>;
}

export async function startFloor(
  upstream: string,
  { accounts = 1, withHolds = false, without }: FloorOptions = {},
): Promise<Floor> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-floor-'));
  const args = ['test/tools/bench/other-relays/floor.mjs', upstream, folder];
  args.push('--accounts', String(accounts));
  if (withHolds) args.push('--hold');
  if (without !== undefined) args.push('--without', without);
  const { url, pid, stop } = await startChild(process.execPath, args);
  const accountKeys = Array.from({ length: accounts }, (_, at) => `sk-floor-${at + 1}`);
  return {
    url,
    key: 'sk-floor-1',
    accountKeys,
    pids: [pid],
    verify: () => verify(path.join(folder, 'floor.sqlite')),
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function verify(dsn: string): Promise<void> {
  const { reads, close } = await openDatabases(dsn);
  try {
    const [wrong] = await reads.raw(`select
      (select count(*) from users u where u.held <> 0 or u.granted - u.quota <>
        (select -coalesce(sum(user_units), 0) from ledger l where l.user_id = u.id)) as users,
      (select count(*) from holds) as holds,
      (select count(*) from logs) - (select count(*) from ledger) as logs`);
    if (wrong.users !== 0 || wrong.holds !== 0 || wrong.logs !== 0)
      throw new Error(`the ledger of the floor is wrong: ${JSON.stringify(wrong)}`);
  } finally {
    await close();
  }
}
