/** The content of the whole database, to show that a refused request did not change it. */
import sqlite3 from 'sqlite3';
import { afterAll, expect } from 'vitest';
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
const SEEN: ReadonlySet<string> = new Set(['seen_at', 'expires_at', 'accessed_time']);

/**
 * Returns a function that expects `work` to leave every table as it is. The tables are read only if SQLite reports
 * a write (`data_version`), because to read them all takes longer than most requests.
 */
export function changeCheck({ dsn }: Site): (work: () => Promise<void>) => Promise<void> {
  const connection = new sqlite3.Database(dsn);
  afterAll(() => connection.close());
  const rowsOf: ReadRows = (sql) =>
    new Promise((resolve, reject) => {
      connection.all<Row>(sql, (error, rows) => (error === null ? resolve(rows) : reject(error)));
    });
  const writes = async () => (await rowsOf('pragma data_version'))[0]?.data_version;
  let query: string | undefined;
  const tablesNow = async () => {
    query ??= await queryOfTables(rowsOf);
    return textByTable(await rowsOf(query));
  };
  let known: { readonly writes: unknown; readonly tables: ReadonlyMap<string, string> } | undefined;
  return async (work) => {
    const before = await writes();
    if (known?.writes !== before) known = { writes: before, tables: await tablesNow() };
    await work();
    const after = await writes();
    if (after === before) return;
    const tables = await tablesNow();
    expect(tables).toEqual(known?.tables);
    known = { writes: after, tables };
  };
}

type Row = Readonly<Record<string, unknown>>;
type ReadRows = (sql: string) => Promise<readonly Row[]>;

/** One statement for all rows: one for each table takes a query builder longer than SQLite. */
async function queryOfTables(rowsOf: ReadRows): Promise<string> {
  const columns = await rowsOf(`select m.name as table_name, c.name as column_name
    from sqlite_master as m, pragma_table_info(m.name) as c
    where m.type = 'table' and m.name not like 'sqlite_%' and m.name not like 'knex_%'`);
  const lists = new Map<string, string[]>();
  for (const { table_name, column_name } of columns) {
    const [table, column] = [String(table_name), String(column_name)];
    if (BY_ITSELF.has(table) || SEEN.has(column)) continue;
    const list = lists.get(table) ?? [];
    lists.set(table, list);
    list.push(`quote("${column}")`);
  }
  return [...lists]
    .map(
      ([table, list]) =>
        `select '${table}' as name, ${list.join("||','||")} as line from "${table}"`,
    )
    .join(' union all ');
}

/** The sorted rows of each table that has some. */
function textByTable(rows: readonly Row[]): ReadonlyMap<string, string> {
  const lines = new Map<string, string[]>();
  for (const { name, line } of rows) {
    const list = lines.get(String(name)) ?? [];
    lines.set(String(name), list);
    list.push(String(line));
  }
  return new Map([...lines].map(([name, list]) => [name, list.sort().join('\n')]));
}
