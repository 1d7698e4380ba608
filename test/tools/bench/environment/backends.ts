/** CPU time of the backends of a PostgreSQL server on this machine. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { cpuUsOf } from './processes.ts';

const LOOK_MS = 200;

/**
 * CPU of the other backends of the database while `work` runs. They are looked up again meanwhile,
 * because a pool closes and opens connections.
 */
export async function backendsCpuUs(db: Knex, work: () => Promise<unknown>): Promise<number> {
  const before = await cpuUsByBackend(db);
  const latest = new Map(before);
  const watching = new AbortController();
  const watch = async () => {
    while (!watching.signal.aborted) {
      await pause(LOOK_MS);
      for (const [pid, us] of await cpuUsByBackend(db)) latest.set(pid, us);
    }
  };
  const watched = watch();
  await work().finally(() => watching.abort());
  await watched;
  return [...latest].reduce((sum, [pid, us]) => sum + us - (before.get(pid) ?? 0), 0);
}

async function cpuUsByBackend(db: Knex): Promise<Map<number, number>> {
  const pids: number[] = await db('pg_stat_activity')
    .whereRaw('datname = current_database()')
    .whereRaw('pid <> pg_backend_pid()')
    .pluck('pid');
  const found = new Map<number, number>();
  for (const pid of pids) {
    try {
      found.set(pid, cpuUsOf([pid]));
    } catch {
      // It ended meanwhile.
    }
  }
  return found;
}
