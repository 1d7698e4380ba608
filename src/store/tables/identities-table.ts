/** External identities of accounts: columns of `users`, each value at most once. */
import type { Knex } from 'knex';
import type { IdentityColumn } from '../../domain/nouns/user.ts';
import { numberValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { type UserRow, userById } from './users-table.ts';

/** The account with this identity, including closed ones. */
export async function userByIdentity(
  db: Knex,
  column: IdentityColumn,
  subject: string,
): Promise<UserRow | undefined> {
  // The second condition lets the databases use their index on identities that are set.
  const row: Row | undefined = await db('users')
    .where(column, subject)
    .whereNot(column, '')
    .first('id');
  return row === undefined ? undefined : userById(db, numberValue(row.id));
}

/** Replaces `previous` by `subject`; false if `previous` was no longer stored. */
export async function replaceIdentity(
  trx: Knex.Transaction,
  id: number,
  column: IdentityColumn,
  { previous, subject }: { readonly previous: string; readonly subject: string },
): Promise<boolean> {
  const changed = await trx('users')
    .where({ id, [column]: previous })
    .update({ [column]: subject });
  return changed === 1;
}

/** The highest id assigned so far, for estimating the next one. */
export async function lastUserId(db: Knex): Promise<number> {
  const row: Row | undefined = await db('users').max({ id: 'id' }).first();
  return numberValue(row?.id);
}
