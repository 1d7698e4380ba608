/** Compares the windows of budgets with the entries and open holds that name them. */
import type { Knex } from 'knex';
import { nowSecSql } from '../connection/clock.ts';
import { numberValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { BUDGET_WINDOWS } from '../tables/budgets-table.ts';
import { windowsIn } from './budget-windows.ts';
import type { LedgerDifference } from './ledger-differences.ts';

const DAY_SEC = 86_400;
/** Without `full`, windows that ended longer ago are not checked. */
const RECENT_SEC = 2 * DAY_SEC;
const PAGE_ROWS = 5_000;

interface Sums {
  readonly budgetId: number;
  readonly startsAtSec: number;
  readonly stored: { readonly spent: number; readonly held: number };
  readonly expected: { spent: number; held: number };
}

/** At most `limit`; reads the ledger in pages, and only from the beginning of the windows checked. */
export async function windowDifferences(
  snapshot: Knex,
  { full, limit }: { readonly full: boolean; readonly limit: number },
): Promise<LedgerDifference[]> {
  const windows = await windowsToCheck(snapshot, full);
  if (windows.size === 0) return [];
  const sinceSec = Math.min(...[...windows.values()].map(({ startsAtSec }) => startsAtSec));
  const counting = () => {
    const query = snapshot('ledger').whereNotNull('windows');
    // The clock of the node that wrote an entry may differ.
    return full ? query : query.where('created_at', '>=', sinceSec - DAY_SEC);
  };
  for (let lastId = 0; ; ) {
    const rows: Row[] = await counting()
      .where('id', '>', lastId)
      .orderBy('id')
      .limit(PAGE_ROWS)
      .select('id', 'windows');
    for (const row of rows) add(windows, row.windows, 'spent');
    if (rows.length < PAGE_ROWS) break;
    lastId = numberValue(rows.at(-1)?.id);
  }
  const holds: Row[] = await snapshot('holds').whereNotNull('windows').select('windows');
  for (const row of holds) add(windows, row.windows, 'held');
  return [...windows.values()].flatMap(differencesOf).slice(0, limit);
}

async function windowsToCheck(snapshot: Knex, full: boolean): Promise<Map<string, Sums>> {
  const query = snapshot('budget_windows').orderBy(['budget_id', 'starts_at']);
  if (!full) query.whereRaw(`ends_at > ${nowSecSql(snapshot)} - ${RECENT_SEC}`);
  const rows = await BUDGET_WINDOWS.all(query);
  return new Map(
    rows.map(({ budget_id, starts_at, spent, held }) => [
      `${budget_id}:${starts_at}`,
      {
        budgetId: budget_id,
        startsAtSec: starts_at,
        stored: { spent, held },
        expected: { spent: 0, held: 0 },
      },
    ]),
  );
}

function add(windows: ReadonlyMap<string, Sums>, text: unknown, column: 'spent' | 'held'): void {
  for (const { budgetId, startsAtSec, amount } of windowsIn(text) ?? []) {
    const sums = windows.get(`${budgetId}:${startsAtSec}`);
    if (sums !== undefined) sums.expected[column] += amount;
  }
}

function differencesOf({ budgetId, startsAtSec, stored, expected }: Sums): LedgerDifference[] {
  const from = new Date(startsAtSec * 1000).toISOString();
  return (['spent', 'held'] as const)
    .filter((column) => stored[column] !== expected[column])
    .map((column) => ({
      table: 'budget_windows',
      id: budgetId,
      column: `${column} from ${from}`,
      stored: stored[column],
      expected: expected[column],
    }));
}
