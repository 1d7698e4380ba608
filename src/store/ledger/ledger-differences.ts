/** Compares the stored balances with the sums of ledger entries and open holds. */
import type { Knex } from 'knex';
import { numberValue, rowCount } from '../sql/read-rows.ts';
import { engineOf, quoteName, rowsOf } from '../sql/sql-dialect.ts';
import { type LedgerRun, SUMS, type SummedTable } from './ledger-sums.ts';

export interface LedgerDifference {
  readonly table: SummedTable | 'budget_windows';
  /** Of a window: the id of its budget. */
  readonly id: number;
  readonly column: string;
  readonly stored: number;
  readonly expected: number;
}

/** Account column -> what it must equal: sums `l` of entries, `h` of holds. */
const BALANCES = {
  users: { quota: 'l.units', used_quota: 'l.spent', held: 'h.held' },
  tokens: { remain_quota: 'l.units', used_quota: 'l.spent', held: 'h.held' },
} as const;

const HELD = { users: 'user_units', tokens: 'token_units' } as const;

type AccountTable = keyof typeof BALANCES;

/**
 * Accounts whose columns differ from their entries and holds, at most `limit`. Reads the sums of
 * `run` and the entries after it, in a snapshot.
 */
export async function differencesIn(
  snapshot: Knex,
  table: AccountTable,
  { run, limit }: { readonly run: LedgerRun; readonly limit: number },
): Promise<LedgerDifference[]> {
  const { id } = SUMS[table];
  const columns = Object.entries(BALANCES[table]);
  const pairs = columns.map(
    ([column, sum]) => `a.${column}, coalesce(${sum}, 0) as expected_${column}`,
  );
  const differs = columns.map(([column, sum]) => `a.${column} <> coalesce(${sum}, 0)`);
  const rows = rowsOf(
    await snapshot.raw(
      `select a.id, ${pairs.join(', ')} from ${quoteName(engineOf(snapshot), table)} a
       left join (${sumsOf(table, run)}) l on l.account_id = a.id
       left join (select ${id} as account_id, sum(${HELD[table]}) as held from holds group by ${id}) h
         on h.account_id = a.id
       where ${differs.join(' or ')} order by a.id limit ${Math.trunc(limit)}`,
    ),
  );
  return rows
    .flatMap((row) =>
      columns.map(([column]) => ({
        table,
        id: numberValue(row.id),
        column,
        stored: numberValue(row[column]),
        expected: numberValue(row[`expected_${column}`]),
      })),
    )
    .filter((difference) => difference.stored !== difference.expected);
}

/** The sums of all entries, per account. */
function sumsOf(table: AccountTable, { run, summedId }: LedgerRun): string {
  const { id, units, spent } = SUMS[table];
  return `select account_id, sum(units) as units, sum(spent) as spent from (
      select account_id, units, spent from ledger_sums where run = ${run} and account = '${table}'
      union all
      select ${id} as account_id, ${units} as units, ${spent} as spent from ledger
      where id > ${summedId} and ${id} <> 0 group by ${id}
    ) s group by account_id`;
}

/**
 * Entries of accounts that do not exist, reported as differences, at most `limit`. Channels may be
 * deleted; users and tokens never are.
 */
export async function lostAccounts(
  snapshot: Knex,
  table: AccountTable,
  { run, limit }: { readonly run: LedgerRun; readonly limit: number },
): Promise<LedgerDifference[]> {
  const column = Object.keys(BALANCES[table])[0] ?? '';
  const rows = rowsOf(
    await snapshot.raw(
      `select l.account_id, l.units from (${sumsOf(table, run)}) l
       left join ${quoteName(engineOf(snapshot), table)} a on a.id = l.account_id
       where a.id is null order by l.account_id limit ${Math.trunc(limit)}`,
    ),
  );
  return rows.map((row) => ({
    table,
    id: numberValue(row.account_id),
    column,
    stored: 0,
    expected: numberValue(row.units),
  }));
}

/** Entries that are not in the sums of the run yet. */
export function countEntriesAfter(snapshot: Knex, { summedId }: LedgerRun): Promise<number> {
  return rowCount(snapshot('ledger').where('id', '>', summedId));
}

export function countRows(reads: Knex, table: string): Promise<number> {
  return rowCount(reads(table));
}
