/** Reads the ledger: pages of entries, entries by key, holds. */
import type { Knex } from 'knex';
import type { WindowAmount } from '../../domain/budgets/budget.ts';
import {
  numberValue,
  type PageOfRows,
  pageOfRows,
  type RowWindow,
  textValue,
} from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { windowsIn } from './budget-windows.ts';

export interface LedgerEntryRow {
  readonly id: number;
  readonly key: string;
  readonly cause: string;
  readonly user_id: number;
  readonly token_id: number;
  readonly channel_id: number;
  readonly user_units: number;
  readonly token_units: number;
  readonly channel_units: number;
  readonly actor: string;
  readonly detail: string;
  readonly created_at: number;
}

const COLUMNS = [
  'id',
  'key',
  'cause',
  'user_id',
  'token_id',
  'channel_id',
  'user_units',
  'token_units',
  'channel_units',
  'actor',
  'detail',
  'created_at',
];

function readEntry(row: Row): LedgerEntryRow {
  return {
    id: numberValue(row.id),
    key: textValue(row.key),
    cause: textValue(row.cause),
    user_id: numberValue(row.user_id),
    token_id: numberValue(row.token_id),
    channel_id: numberValue(row.channel_id),
    user_units: numberValue(row.user_units),
    token_units: numberValue(row.token_units),
    channel_units: numberValue(row.channel_units),
    actor: textValue(row.actor),
    detail: textValue(row.detail),
    created_at: numberValue(row.created_at),
  };
}

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
  const query = reads('ledger');
  for (const [column, value] of Object.entries(filter))
    if (value !== undefined && value !== '') query.where(column, value);
  // Entries are indexed by user, and those of a token are all of its owner.
  if (filter.token_id !== undefined && filter.user_id === undefined)
    query.where('user_id', await ownerOf(reads, filter.token_id));
  return pageOfRows(query, window, {
    columns: COLUMNS,
    order: [{ column: 'id', order: 'desc' }],
    read: readEntry,
  });
}

async function ownerOf(reads: Knex, tokenId: number): Promise<number> {
  const row: Row | undefined = await reads('tokens').where({ id: tokenId }).first('user_id');
  return numberValue(row?.user_id);
}

export async function entriesByKey(db: Knex, keys: readonly string[]): Promise<LedgerEntryRow[]> {
  const rows: Row[] = await db('ledger')
    .whereIn('key', [...keys])
    .orderBy('id')
    .select(COLUMNS);
  return rows.map(readEntry);
}

/** What the entry counts in windows of budgets. */
export async function windowsOfEntry(
  db: Knex,
  key: string,
): Promise<readonly WindowAmount[] | undefined> {
  const row: Row | undefined = await db('ledger').where({ key }).first('windows');
  return windowsIn(row?.windows);
}

export interface HoldRow {
  readonly user_id: number;
  readonly token_id: number;
  readonly user_units: number;
  readonly token_units: number;
  readonly node: string;
  readonly created_at: number;
  readonly expires_at: number;
}

export async function holdOfRequest(db: Knex, requestId: string): Promise<HoldRow | undefined> {
  const row: Row | undefined = await db('holds').where({ request_id: requestId }).first();
  if (row === undefined) return undefined;
  return {
    user_id: numberValue(row.user_id),
    token_id: numberValue(row.token_id),
    user_units: numberValue(row.user_units),
    token_units: numberValue(row.token_units),
    node: textValue(row.node),
    created_at: numberValue(row.created_at),
    expires_at: numberValue(row.expires_at),
  };
}
