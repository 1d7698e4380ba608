/** Reads the ledger: pages of entries, and the comparison of balances with their sums. */
import type { Knex } from 'knex';
import {
  numberValue,
  type PageOfRows,
  pageOfRows,
  type RowWindow,
  textValue,
} from '../sql/read-rows.ts';
import { engineOf, quoteName, type Row, rowsOf } from '../sql/sql-dialect.ts';

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

export type VerifiedTable = 'users' | 'tokens' | 'channels';

export interface LedgerDifference {
  readonly table: VerifiedTable;
  readonly id: number;
  readonly column: string;
  readonly stored: number;
  readonly expected: number;
}

const SPENT = `case when cause in ('charge', 'refund', 'past_charge') then`;

/** Account column -> the sum it must equal, over the account's ledger rows or open holds. */
const SUMS: Readonly<
  Record<VerifiedTable, { readonly id: string; readonly ledger: Sums; readonly holds: Sums }>
> = {
  users: {
    id: 'user_id',
    ledger: { quota: 'sum(user_units)', used_quota: `-sum(${SPENT} user_units else 0 end)` },
    holds: { held: 'sum(user_units)' },
  },
  tokens: {
    id: 'token_id',
    ledger: {
      remain_quota: 'sum(token_units)',
      used_quota: `-sum(${SPENT} token_units else 0 end)`,
    },
    holds: { held: 'sum(token_units)' },
  },
  channels: { id: 'channel_id', ledger: { used_quota: 'sum(channel_units)' }, holds: {} },
};

type Sums = Readonly<Record<string, string>>;

/**
 * Accounts whose columns differ from the ledger's sums, at most `limit`. One statement per table,
 * so that balances and entries are read at the same moment.
 */
export async function differencesIn(
  reads: Knex,
  table: VerifiedTable,
  limit: number,
): Promise<LedgerDifference[]> {
  const { id, ledger, holds } = SUMS[table];
  const columns = [...Object.keys(ledger), ...Object.keys(holds)];
  const engine = engineOf(reads);
  const joins = [sumJoin('ledger', 'l', id, ledger), sumJoin('holds', 'h', id, holds)].join(' ');
  const source = (column: string) => `coalesce(${column in ledger ? 'l' : 'h'}.${column}, 0)`;
  const pairs = columns.map((column) => `a.${column}, ${source(column)} as expected_${column}`);
  const differs = columns.map((column) => `a.${column} <> ${source(column)}`).join(' or ');
  const rows = rowsOf(
    await reads.raw(
      `select a.id, ${pairs.join(', ')} from ${quoteName(engine, table)} a ${joins}
       where ${differs} order by a.id limit ${Math.trunc(limit)}`,
    ),
  );
  return rows
    .flatMap((row) =>
      columns.map((column) => ({
        table,
        id: numberValue(row.id),
        column,
        stored: numberValue(row[column]),
        expected: numberValue(row[`expected_${column}`]),
      })),
    )
    .filter((difference) => difference.stored !== difference.expected);
}

function sumJoin(table: string, alias: string, idColumn: string, sums: Sums): string {
  const list = Object.entries(sums).map(([column, sum]) => `${sum} as ${column}`);
  if (list.length === 0) return '';
  return `left join (select ${idColumn} as account_id, ${list.join(', ')} from ${table}
    group by ${idColumn}) ${alias} on ${alias}.account_id = a.id`;
}

/**
 * Entries and holds of accounts that do not exist, reported as differences. Channels may be
 * deleted; users and tokens never are.
 */
export async function lostAccounts(
  reads: Knex,
  table: 'users' | 'tokens',
  limit: number,
): Promise<LedgerDifference[]> {
  const [id, units, column] =
    table === 'users'
      ? (['user_id', 'user_units', 'quota'] as const)
      : (['token_id', 'token_units', 'remain_quota'] as const);
  const rows: Row[] = await reads('ledger')
    .whereNot(id, 0)
    .whereNotIn(id, reads(table).select('id'))
    .groupBy(id)
    .select(id)
    .sum({ expected: units })
    .orderBy(id)
    .limit(limit);
  return rows.map((row) => ({
    table,
    id: numberValue(row[id]),
    column,
    stored: 0,
    expected: numberValue(row.expected),
  }));
}

export async function countRows(reads: Knex, table: string): Promise<number> {
  const row: Row | undefined = await reads(table).count({ total: '*' }).first();
  return numberValue(row?.total);
}
