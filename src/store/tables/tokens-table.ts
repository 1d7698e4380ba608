/** Rows of `tokens`. A key is looked up by its keyed hash and displayed from its ciphertext. */
import type { Knex } from 'knex';
import type { StoredFields } from '../../domain/nouns/columns.ts';
import { TOKEN } from '../../domain/nouns/token.ts';
import { TOKEN_STATUS } from '../../domain/statuses.ts';
import { whereContains, whereGiven } from '../sql/filters.ts';
import { insertId } from '../sql/inserts.ts';
import {
  columnNumbers,
  columnReaders,
  countsBy,
  numberValue,
  type RowOf,
  rowCount,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';

const TOKENS = rowReader({
  id: numberValue,
  user_id: numberValue,
  key_cipher: textValue,
  ...columnReaders(TOKEN),
  status: numberValue,
  created_time: numberValue,
  accessed_time: numberValue,
  used_quota: numberValue,
  held: numberValue,
});
export type TokenRow = RowOf<typeof TOKENS>;

/** The columns that an edit writes; balances are changed by the ledger only. */
export type TokenFields = Omit<StoredFields<typeof TOKEN>, 'remain_quota'> &
  Pick<TokenRow, 'status'>;

function notDeleted(db: Knex): Knex.QueryBuilder {
  return db('tokens').whereNull('deleted_at');
}

export function tokenById(db: Knex, id: number): Promise<TokenRow | undefined> {
  return TOKENS.first(notDeleted(db).where({ id }));
}

/** The tokens with these ids that are not deleted, in the same order. */
export function tokensByIds(db: Knex, ids: readonly number[]): Promise<TokenRow[]> {
  return TOKENS.all(
    notDeleted(db)
      .whereIn('id', [...new Set(ids)])
      .orderBy('id'),
  );
}

/** Same as `tokenById`, but locks the row until this transaction ends. */
export function lockToken(trx: Knex.Transaction, id: number): Promise<TokenRow | undefined> {
  return TOKENS.first(notDeleted(trx).where({ id }).forUpdate());
}

/** The oldest token of that name that is not deleted. */
export function tokenByName(db: Knex, userId: number, name: string): Promise<TokenRow | undefined> {
  return TOKENS.first(notDeleted(db).where({ user_id: userId, name }).orderBy('id'));
}

export function countTokensOfUser(db: Knex, userId: number): Promise<number> {
  return rowCount(notDeleted(db).where({ user_id: userId }));
}

/** The tokens of a user that are not deleted. */
export function tokensOf(db: Knex, userId: number): Promise<TokenRow[]> {
  return TOKENS.all(notDeleted(db).where({ user_id: userId }).orderBy('id'));
}

/** The ids of the tokens of these users that are not deleted. */
export async function tokenIdsOf(db: Knex, userIds: readonly number[]): Promise<number[]> {
  if (userIds.length === 0) return [];
  return columnNumbers(notDeleted(db).whereIn('user_id', [...userIds]));
}

export interface TokenFilter {
  readonly keyword?: string | undefined;
  /** The token with one of these hashes. */
  readonly keyHashes?: readonly string[] | undefined;
  readonly ids?: readonly number[] | undefined;
  readonly status?: number | undefined;
  readonly group?: string | undefined;
  readonly userId?: number | undefined;
}

export const pageOfTokens = TOKENS.pages((reads, filter: TokenFilter) => {
  const { keyword, keyHashes, ids, status, group, userId: user_id } = filter;
  const query = whereGiven(notDeleted(reads), { user_id, status, group });
  whereContains(query, ['name'], keyword);
  if (keyHashes !== undefined) query.whereIn('key_hash', [...keyHashes]);
  if (ids !== undefined) query.whereIn('id', [...ids]);
  return query;
});

export interface NewTokenRow extends TokenFields {
  readonly user_id: number;
  readonly key_hash: string;
  readonly key_cipher: string;
  readonly created_time: number;
}

/** Inserted with a balance of 0: the ledger credits its quota. */
export function insertToken(trx: Knex.Transaction, row: NewTokenRow): Promise<number> {
  return insertId(trx, 'tokens', { ...row, accessed_time: row.created_time });
}

export async function updateToken(
  trx: Knex.Transaction,
  id: number,
  fields: Partial<TokenFields>,
): Promise<void> {
  if (Object.keys(fields).length > 0) await trx('tokens').where({ id }).update(fields);
}

/** Marks a token as deleted; false if it already was. */
export async function deleteToken(
  trx: Knex.Transaction,
  id: number,
  atSec: number,
): Promise<boolean> {
  return (await notDeleted(trx).where({ id }).update({ deleted_at: atSec })) === 1;
}

/** Marks all tokens of a user as deleted and returns their ids. */
export async function deleteTokensOfUser(
  trx: Knex.Transaction,
  userId: number,
  atSec: number,
): Promise<number[]> {
  const ids = await columnNumbers(notDeleted(trx).where({ user_id: userId }).forUpdate());
  await notDeleted(trx).where({ user_id: userId }).update({ deleted_at: atSec });
  return ids;
}

/** Tokens with a group of their own, per group; without deleted ones. */
export function tokensPerGroup(db: Knex): Promise<Map<string, number>> {
  return countsBy(notDeleted(db).whereNot('group', ''), 'group');
}

/**
 * Marks at most `limit` enabled tokens past their expiry as expired and returns their ids.
 * `expired_time` -1 means never.
 */
export async function expireTokens(
  trx: Knex.Transaction,
  nowSec: number,
  limit: number,
): Promise<number[]> {
  const due = notDeleted(trx)
    .where({ status: TOKEN_STATUS.enabled })
    .whereBetween('expired_time', [0, nowSec])
    .orderBy('id')
    .limit(limit)
    .forUpdate();
  const ids = await columnNumbers(due);
  if (ids.length > 0)
    await trx('tokens').whereIn('id', ids).update({ status: TOKEN_STATUS.expired });
  return ids;
}
