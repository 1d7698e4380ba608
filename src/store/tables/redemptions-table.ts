/**
 * Rows of `redemptions` and `redemption_logs`. A code is redeemed by a conditional update, and a
 * gift once per user by a unique index, so the database resolves concurrent attempts.
 */
import type { Knex } from 'knex';
import type { StoredFields } from '../../domain/nouns/columns.ts';
import { REDEMPTION, REDEMPTION_USE } from '../../domain/nouns/redemption.ts';
import type { RedemptionState } from '../../domain/redemption-state.ts';
import { REDEMPTION_STATUS } from '../../domain/statuses.ts';
import { orId, whereContains, whereGiven } from '../sql/filters.ts';
import { insertOnce } from '../sql/inserts.ts';
import {
  columnReaders,
  numberValue,
  type RowOf,
  rowCount,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';
import { likePrefix } from '../sql/sql-dialect.ts';

const REDEMPTIONS = rowReader({
  id: numberValue,
  /** The account that created it; 0 for the operator. */
  user_id: numberValue,
  key: textValue,
  status: numberValue,
  ...columnReaders(REDEMPTION),
  ...columnReaders(REDEMPTION_USE),
  created_time: numberValue,
  /** Time of the last use; 0 if unused. */
  redeemed_time: numberValue,
  /** For a plain code; 0 if unused. */
  used_user_id: numberValue,
  used_count: numberValue,
});
export type RedemptionRow = RowOf<typeof REDEMPTIONS>;

/** The columns that an edit writes. */
export type RedemptionFields = StoredFields<typeof REDEMPTION>;

export type NewRedemptionRow = RedemptionFields &
  StoredFields<typeof REDEMPTION_USE> &
  Pick<RedemptionRow, 'user_id' | 'key' | 'created_time'>;

function notDeleted(db: Knex): Knex.QueryBuilder {
  return db('redemptions').whereNull('deleted_at');
}

export interface RedemptionFilter {
  /** An id, a whole key, or the beginning of a name. */
  readonly keyword?: string | undefined;
  readonly status?: number | undefined;
  readonly state?: RedemptionState | undefined;
  readonly is_gift?: boolean | undefined;
}

/** `redemptionState` (domain) as SQL. */
function whereState(query: Knex.QueryBuilder, state: RedemptionState, nowSec: number): void {
  const { unused, used } = REDEMPTION_STATUS;
  const usedUp = '(is_gift = ? and max_uses > 0 and used_count >= max_uses)';
  if (state === 'disabled') {
    query.whereNotIn('status', [unused, used]);
    return;
  }
  if (state === 'used') {
    query.whereRaw(`(status = ? or (status = ? and ${usedUp}))`, [used, unused, true]);
    return;
  }
  query.where('status', unused).whereRaw(`not ${usedUp}`, [true]);
  if (state === 'upcoming') query.where('valid_from', '>', nowSec);
  else query.where('valid_from', '<=', nowSec);
  if (state === 'expired') query.where('valid_until', '>', 0).where('valid_until', '<', nowSec);
  if (state === 'unused') query.whereRaw('(valid_until = 0 or valid_until >= ?)', [nowSec]);
}

export const pageOfRedemptions = REDEMPTIONS.pages(
  (reads, filter: RedemptionFilter, nowSec: number) => {
    const { keyword, state, status, is_gift } = filter;
    const query = whereGiven(notDeleted(reads), { status, is_gift });
    whereContains(query, [], keyword, (either, text) => {
      either.whereRaw(...likePrefix('name', text)).orWhere('key', text);
      orId(either, text);
    });
    if (state !== undefined) whereState(query, state, nowSec);
    return query;
  },
);

export function redemptionById(db: Knex, id: number): Promise<RedemptionRow | undefined> {
  return REDEMPTIONS.first(notDeleted(db).where({ id }));
}

/** Locks the row until this transaction ends. */
export function lockRedemption(
  trx: Knex.Transaction,
  which: { readonly id: number } | { readonly key: string },
): Promise<RedemptionRow | undefined> {
  return REDEMPTIONS.first(notDeleted(trx).where(which).forUpdate());
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

export function countRedemptionsNamed(db: Knex, name: string): Promise<number> {
  return rowCount(notDeleted(db).where({ name }));
}

/** Marks codes as deleted and returns how many were not yet; their keys stay reserved. */
export function deleteRedemptions(
  trx: Knex.Transaction,
  which: { readonly id: number } | { readonly name: string } | { readonly status: number },
  atSec: number,
): Promise<number> {
  return notDeleted(trx).where(which).update({ deleted_at: atSec });
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
