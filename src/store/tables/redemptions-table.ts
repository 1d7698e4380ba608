/**
 * Rows of `redemptions` and `redemption_logs`. A code is redeemed by a conditional update, and a
 * gift once per user by a unique index, so the database resolves concurrent attempts.
 */
import type { Knex } from 'knex';
import { REDEMPTION_STATUS } from '../../domain/statuses.ts';
import { insertOnce } from '../sql/inserts.ts';
import {
  numberValue,
  type PageOfRows,
  pageOfRows,
  type RowWindow,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';
import { booleanValue, likePrefix, type Row } from '../sql/sql-dialect.ts';

/** The columns that an edit writes. */
export interface RedemptionFields {
  readonly name: string;
  /** Quota units it credits. */
  readonly quota: number;
  /** Epoch seconds; 0 means no limit. */
  readonly valid_from: number;
  readonly valid_until: number;
}

export interface NewRedemptionRow extends RedemptionFields {
  /** The account that created it; 0 for the operator. */
  readonly user_id: number;
  readonly key: string;
  readonly created_time: number;
  readonly is_gift: boolean;
  /** For a gift; -1 means unlimited. */
  readonly max_uses: number;
}

export interface RedemptionRow extends NewRedemptionRow {
  readonly id: number;
  readonly status: number;
  /** Time of the last use; 0 if unused. */
  readonly redeemed_time: number;
  /** For a plain code; 0 if unused. */
  readonly used_user_id: number;
  readonly used_count: number;
}

const { columns: COLUMNS, read: readRedemption } = rowReader<RedemptionRow>({
  id: numberValue,
  user_id: numberValue,
  key: textValue,
  status: numberValue,
  name: textValue,
  quota: numberValue,
  created_time: numberValue,
  redeemed_time: numberValue,
  valid_from: numberValue,
  valid_until: numberValue,
  used_user_id: numberValue,
  is_gift: booleanValue,
  used_count: numberValue,
  max_uses: numberValue,
});

function notDeleted(db: Knex): Knex.QueryBuilder {
  return db('redemptions').whereNull('deleted_at');
}

export interface RedemptionFilter {
  /** An id, a whole key, or the beginning of a name. */
  readonly keyword?: string | undefined;
  readonly status?: number | undefined;
  readonly is_gift?: boolean | undefined;
}

export function pageOfRedemptions(
  reads: Knex,
  filter: RedemptionFilter,
  window: RowWindow,
): Promise<PageOfRows<RedemptionRow>> {
  const query = notDeleted(reads);
  const { keyword } = filter;
  if (keyword)
    query.where((either) => {
      either.whereRaw(...likePrefix('name', keyword)).orWhere('key', keyword);
      if (/^\d{1,15}$/.test(keyword)) either.orWhere('id', Number(keyword));
    });
  if (filter.status !== undefined) query.where('status', filter.status);
  if (filter.is_gift !== undefined) query.where('is_gift', filter.is_gift);
  return pageOfRows(query, window, {
    columns: COLUMNS,
    order: [{ column: 'id', order: 'desc' }],
    read: readRedemption,
  });
}

export async function redemptionById(db: Knex, id: number): Promise<RedemptionRow | undefined> {
  const row: Row | undefined = await notDeleted(db).where({ id }).first(COLUMNS);
  return row === undefined ? undefined : readRedemption(row);
}

/** Locks the row until this transaction ends. */
export async function lockRedemption(
  trx: Knex.Transaction,
  which: { readonly id: number } | { readonly key: string },
): Promise<RedemptionRow | undefined> {
  const row: Row | undefined = await notDeleted(trx).where(which).forUpdate().first(COLUMNS);
  return row === undefined ? undefined : readRedemption(row);
}

/** False if the key exists, even on a deleted code. */
export function insertRedemption(trx: Knex.Transaction, row: NewRedemptionRow): Promise<boolean> {
  return insertOnce(trx, 'redemptions', { ...row, status: REDEMPTION_STATUS.unused }, 'key');
}

/** False unless the code exists and is unused. */
export async function updateUnusedRedemption(
  trx: Knex.Transaction,
  id: number,
  fields: Partial<RedemptionFields>,
): Promise<boolean> {
  const unused = notDeleted(trx).where({ id, status: REDEMPTION_STATUS.unused });
  return (await unused.update(fields)) === 1;
}

/** False for a code that is used or deleted, which is final. */
export async function setRedemptionStatus(
  trx: Knex.Transaction,
  id: number,
  status: number,
): Promise<boolean> {
  const open = notDeleted(trx).where({ id }).whereNot('status', REDEMPTION_STATUS.used);
  return (await open.update({ status })) === 1;
}

/** Disables the unused ones and returns their number. */
export function disableUnusedRedemptions(
  trx: Knex.Transaction,
  ids: readonly number[],
): Promise<number> {
  return notDeleted(trx)
    .whereIn('id', [...ids])
    .where('status', REDEMPTION_STATUS.unused)
    .update({ status: REDEMPTION_STATUS.disabled });
}

export async function countRedemptionsNamed(db: Knex, name: string): Promise<number> {
  const row: Row | undefined = await notDeleted(db).where({ name }).count({ total: '*' }).first();
  return numberValue(row?.total);
}

/** Marks codes as deleted and returns how many were not yet; their keys stay reserved. */
export function deleteRedemptions(
  trx: Knex.Transaction,
  which: { readonly id: number } | { readonly name: string } | { readonly statuses: number[] },
  atSec: number,
): Promise<number> {
  const query = notDeleted(trx);
  if ('statuses' in which) query.whereIn('status', which.statuses);
  else query.where(which);
  return query.update({ deleted_at: atSec });
}

export interface RedemptionUse {
  readonly id: number;
  readonly userId: number;
  readonly atSec: number;
}

/** Redeems a plain code; false if it was redeemed concurrently. */
export async function redeemPlainCode(trx: Knex.Transaction, use: RedemptionUse): Promise<boolean> {
  const unused = notDeleted(trx).where({
    id: use.id,
    is_gift: false,
    status: REDEMPTION_STATUS.unused,
  });
  const rows = await unused.update({
    status: REDEMPTION_STATUS.used,
    used_user_id: use.userId,
    redeemed_time: use.atSec,
    used_count: 1,
  });
  return rows === 1;
}

/** Takes one use of a gift; false if none is left. The last one marks it as used. */
export async function redeemGiftCode(trx: Knex.Transaction, use: RedemptionUse): Promise<boolean> {
  const open = notDeleted(trx)
    .where({ id: use.id, is_gift: true, status: REDEMPTION_STATUS.unused })
    .whereRaw('(max_uses <= 0 or used_count < max_uses)');
  const isLast = 'max_uses > 0 and used_count + 1 >= max_uses';
  // `status` comes first: MySQL assigns from left to right and would use the new count.
  const rows = await open.update({
    status: trx.raw(`case when ${isLast} then ? else status end`, [REDEMPTION_STATUS.used]),
    used_count: trx.raw('used_count + 1'),
    redeemed_time: use.atSec,
  });
  return rows === 1;
}

/** Records the user of a gift; false if this user has already used it. */
export function recordGiftUse(trx: Knex.Transaction, use: RedemptionUse): Promise<boolean> {
  const row = { redemption_id: use.id, user_id: use.userId, used_time: use.atSec };
  return insertOnce(trx, 'redemption_logs', row, ['redemption_id', 'user_id']);
}
