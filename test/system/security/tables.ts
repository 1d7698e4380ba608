/** The content of the whole database, to show that a refused request did not change it. */
import type { Knex } from 'knex';
import sqlite3 from 'sqlite3';
import { afterAll, expect } from 'vitest';
import type { Context } from '../../../src/context.ts';
import type { Site } from '../../support/site.ts';

/** Tables written in the background or by reads: heartbeats, jobs, outcomes, sums of logs and ledger. */
const BY_ITSELF: ReadonlySet<string> = new Set([
  'nodes',
  'leases',
  'job_runs',
  'channel_outcomes',
  'ledger_runs',
  'ledger_sums',
  'log_hours',
  'log_progress',
  'log_days',
  'log_combinations',
  'log_day_states',
  'quota_data',
  'changes',
  'revisions',
]);

/** Columns with a last-seen time. */
const SEEN = { seen_at: 0, expires_at: 0, accessed_time: 0 };

/**
 * Returns a function that expects `work` to leave every table as it is. The tables are read only if SQLite reports
 * a write (`data_version`), because to read them all takes longer than most requests.
 */
export function changeCheck({ ctx, dsn }: Site): (work: () => Promise<void>) => Promise<void> {
  const connection = new sqlite3.Database(dsn);
  afterAll(() => connection.close());
  const writes = () =>
    new Promise<number>((resolve, reject) => {
      connection.get<{ data_version: number }>('pragma data_version', (error, row) =>
        error === null ? resolve(row.data_version) : reject(error),
      );
    });
  let known = { writes: -1, tables: new Map<string, string>() };
  return async (work) => {
    const before = await writes();
    if (known.writes !== before) known = { writes: before, tables: await tablesOf(ctx) };
    await work();
    const after = await writes();
    if (after === before) return;
    const tables = await tablesOf(ctx);
    expect(tables).toEqual(known.tables);
    known = { writes: after, tables };
  };
}

/** The rows of every table as text, by table name. */
async function tablesOf({ db }: Pick<Context, 'db'>): Promise<Map<string, string>> {
  const names = await tableNames(db);
  const entries = await Promise.all(
    names.map(async (name): Promise<[string, string]> => {
      const rows: object[] = await db(name).select();
      const lines = rows.map((row) => JSON.stringify({ ...row, ...seen(row) }));
      return [name, lines.sort().join('\n')];
    }),
  );
  return new Map(entries);
}

function seen(row: object): object {
  return Object.fromEntries(Object.entries(SEEN).filter(([name]) => name in row));
}

async function tableNames(db: Knex): Promise<string[]> {
  const rows: { name: string }[] = await db('sqlite_master')
    .where({ type: 'table' })
    .select('name');
  return rows
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('sqlite_') && !name.startsWith('knex_'))
    .filter((name) => !BY_ITSELF.has(name));
}
