/** The content of the whole database, to show that a refused request did not change it. */
import type { Knex } from 'knex';
import type { Context } from '../../../src/context.ts';

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

/** The rows of every table as text, by table name. */
export async function tablesOf({ db }: Pick<Context, 'db'>): Promise<Map<string, string>> {
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
