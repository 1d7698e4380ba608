/** Outside identities of accounts: columns of `users`, each value of one account at most. */
import type { Knex } from 'knex';
import type { IdentityColumn } from '../../domain/identity-providers.ts';
import { numberOf } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { type UserRow, userById } from './users-table.ts';

/** The account that has this identity, closed ones included. */
export async function userByIdentity(
  db: Knex,
  column: IdentityColumn,
  subject: string,
): Promise<UserRow | undefined> {
  // The second condition lets the databases use their index over identities that are set.
  const row: Row | undefined = await db('users')
    .where(column, subject)
    .whereNot(column, '')
    .first('id');
  return row === undefined ? undefined : userById(db, numberOf(row.id));
}

/** Puts `subject` where `former` stands; false when that was no longer there. */
export async function replaceIdentity(
  trx: Knex.Transaction,
  id: number,
  column: IdentityColumn,
  { former, subject }: { readonly former: string; readonly subject: string },
): Promise<boolean> {
  const changed = await trx('users')
    .where({ id, [column]: former })
    .update({ [column]: subject });
  return changed === 1;
}

/** The highest id given out so far: a guess at the next one. */
export async function lastUserId(db: Knex): Promise<number> {
  const row: Row | undefined = await db('users').max({ id: 'id' }).first();
  return numberOf(row?.id);
}
