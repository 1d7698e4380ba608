/**
 * The names of `users` as they are compared: the column `username_key`, unique where it is set. It
 * is null for accounts of a previous version until `fillNameKeys` has run, and remains so for those
 * whose name only differs in case or form from that of an older account.
 */
import type { Knex } from 'knex';
import { comparedName } from '../../domain/text/alike-names.ts';
import {
  columnTexts,
  hasRow,
  numberValue,
  type RowOf,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';

/** The length of the column. */
const LONGEST_KEY = 255;

/** Cut at the length of the column: some characters have a longer form, and imported names any. */
export function nameKey(username: string): string {
  return comparedName(username).slice(0, LONGEST_KEY);
}

/** Whether another account, open or closed, has this name in any case or form. */
export async function hasAlikeName(db: Knex, username: string, except: number): Promise<boolean> {
  const unfilled = (either: Knex.QueryBuilder) =>
    either.whereNull('username_key').whereRaw('lower(username) = ?', [username.toLowerCase()]);
  const alike = db('users')
    .where((either) =>
      either
        .where({ username })
        .orWhere({ username_key: nameKey(username) })
        .orWhere(unfilled),
    )
    .whereNot({ id: except });
  return hasRow(alike);
}

const NAMED = rowReader({ id: numberValue, username: textValue });
type NamedRow = RowOf<typeof NAMED>;

/** Accounts without a key after this id, in the order of their ids. */
export function usersWithoutKey(db: Knex, afterId: number, limit: number): Promise<NamedRow[]> {
  const users = db('users').whereNull('username_key').where('id', '>', afterId);
  return NAMED.all(users.orderBy('id').limit(limit));
}

/** Sets the key of each, unless another account has it; returns those that remain without one. */
export async function setNameKeys(
  trx: Knex.Transaction,
  users: readonly NamedRow[],
): Promise<NamedRow[]> {
  const keys = users.map(({ username }) => nameKey(username));
  const taken = new Set(
    await columnTexts(trx('users').whereIn('username_key', keys), 'username_key'),
  );
  const left: NamedRow[] = [];
  for (const [at, user] of users.entries()) {
    const key = keys[at];
    if (key === undefined || taken.has(key)) {
      left.push(user);
      continue;
    }
    taken.add(key);
    // Not if it was renamed meanwhile.
    await trx('users').where(user).whereNull('username_key').update({ username_key: key });
  }
  return left;
}
