/** Reads the ledger: pages of entries, entries by key, holds. */
import type { Knex } from 'knex';
import type { WindowAmount } from '../../domain/budgets/budget.ts';
import { LEDGER_ENTRY } from '../../domain/nouns/ledger-entry.ts';
import { whereGiven } from '../sql/filters.ts';
import {
  columnReaders,
  numberValue,
  type PageOfRows,
  type RowOf,
  type RowWindow,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { windowsIn } from './budget-windows.ts';

const ENTRIES = rowReader(columnReaders(LEDGER_ENTRY));
export type LedgerEntryRow = RowOf<typeof ENTRIES>;

export interface LedgerFilter {
  readonly user_id?: number | undefined;
  readonly token_id?: number | undefined;
  readonly channel_id?: number | undefined;
  readonly cause?: string | undefined;
}

export async function pageOfEntries(
  reads: Knex,
  filter: LedgerFilter,
  window: RowWindow,
): Promise<PageOfRows<LedgerEntryRow>> {
  const query = whereGiven(reads('ledger'), { ...filter });
  // Entries are indexed by user, and those of a token are all of its owner.
  if (filter.token_id !== undefined && filter.user_id === undefined)
    query.where('user_id', await ownerOf(reads, filter.token_id));
  return ENTRIES.page(query, window);
}

async function ownerOf(reads: Knex, tokenId: number): Promise<number> {
  const row: Row | undefined = await reads('tokens').where({ id: tokenId }).first('user_id');
  return numberValue(row?.user_id);
}

export function entriesByKey(db: Knex, keys: readonly string[]): Promise<LedgerEntryRow[]> {
  return ENTRIES.all(
    db('ledger')
      .whereIn('key', [...keys])
      .orderBy('id'),
  );
}

/** What the entry counts in windows of budgets. */
export async function windowsOfEntry(
  db: Knex,
  key: string,
): Promise<readonly WindowAmount[] | undefined> {
  const row: Row | undefined = await db('ledger').where({ key }).first('windows');
  return windowsIn(row?.windows);
}

const HOLDS = rowReader({
  user_id: numberValue,
  token_id: numberValue,
  user_units: numberValue,
  token_units: numberValue,
  node: textValue,
  created_at: numberValue,
  expires_at: numberValue,
});

export function holdOfRequest(
  db: Knex,
  requestId: string,
): Promise<RowOf<typeof HOLDS> | undefined> {
  return HOLDS.first(db('holds').where({ request_id: requestId }));
}
