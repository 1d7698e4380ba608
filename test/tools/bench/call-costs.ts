/** Parts of `npm run bench` about what a call costs beside its answer: later work, holds, database. */
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabases } from '../../../src/store/connection/database.ts';
import { logProgress } from '../../../src/store/logs/log-hours.ts';
import { lastLogId } from '../../../src/store/logs/log-rows.ts';
import { announceChange } from '../../../src/store/tables/changes-table.ts';
import { requestJobRun } from '../../../src/store/tables/job-runs-table.ts';
import {
  accountsOf,
  type BenchEnvironment,
  type Gateway,
  interleaved,
  sideOf,
} from './environment/environment.ts';
import { cpuUsOf } from './environment/processes.ts';
import { measurePlain, plainCalls, type Size } from './parts.ts';

const IDLE_LOOK_MS = 1_000;
/** More than the timers of an idle gateway use in that time. */
const IDLE_CPU_US = 20_000;
const MOST_LOOKS = 60;

/** CPU per call until the process is idle again and the gateway has counted the calls per hour. */
export function measureUntilIdle({ floor, gateway }: BenchEnvironment, { rounds, calls }: Size) {
  return interleaved(
    [sideOf('floor', floor), sideOf('gateway', gateway)],
    { rounds, warmUps: 1 },
    async (target, { name, pids }) => {
      await plainCalls(target, calls);
      if (name === 'gateway') await countHours(gateway);
      await untilIdle(pids);
    },
    (_, cpuUs) => ({ cpu_us_per_call: cpuUs / calls }),
  );
}

async function countHours({ dsn }: Gateway): Promise<void> {
  const { db, close } = await openDatabases(dsn);
  const isCounted = async () => (await logProgress(db)).countedId >= (await lastLogId(db));
  try {
    await db.transaction(async (trx) => {
      await requestJobRun(trx, 'dashboard', 'bench');
      await announceChange(trx, 'jobs', 0);
    });
    for (let looks = 0; !(await isCounted()); looks += 1) {
      if (looks === MOST_LOOKS) throw new Error('the calls were not counted');
      await pause(IDLE_LOOK_MS);
    }
  } finally {
    await close();
  }
}

async function untilIdle(pids: readonly number[]): Promise<void> {
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const before = cpuUsOf(pids);
    await pause(IDLE_LOOK_MS);
    if (cpuUsOf(pids) - before <= IDLE_CPU_US) return;
  }
}

/** Plain calls of many accounts with modest balances. */
export function measureHolds({ holdingFloor, gateway }: BenchEnvironment, size: Size) {
  const sides = [accountsOf('floor', holdingFloor), accountsOf('gateway', gateway)];
  return measurePlain(sides, size);
}

interface DatabaseSize {
  readonly bytes: number;
  readonly calls: number;
}

/** Bytes that each call of `work` added to the gateway's SQLite database, indexes included. */
export async function measureBytes(
  { gateway }: Pick<BenchEnvironment, 'gateway'>,
  work: () => Promise<unknown>,
) {
  const before = await sizeOf(gateway.dsn);
  await work();
  const after = await sizeOf(gateway.dsn);
  const perCall = (after.bytes - before.bytes) / (after.calls - before.calls);
  return { gateway: { bytes_per_call: Math.round(perCall) } };
}

async function sizeOf(dsn: string): Promise<DatabaseSize> {
  const { reads, close } = await openDatabases(dsn);
  try {
    const pragma = async (name: string) => (await reads.raw(`pragma ${name}`))[0][name];
    const pages = (await pragma('page_count')) - (await pragma('freelist_count'));
    const [row] = await reads('ledger').where({ cause: 'charge' }).count({ calls: '*' });
    return { bytes: pages * (await pragma('page_size')), calls: Number(row?.calls) };
  } finally {
    await close();
  }
}
