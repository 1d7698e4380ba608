/** Rows of `users`. Password and access-token hashes are read by dedicated functions only. */
import type { Knex } from 'knex';
import type { CAPS } from '../../domain/nouns/caps.ts';
import type { StoredFields } from '../../domain/nouns/columns.ts';
import {
  IDENTITY_COLUMNS,
  type IdentityColumn,
  USER,
  USER_RECORD,
} from '../../domain/nouns/user.ts';
import { ROLES } from '../../domain/roles.ts';
import { orId, whereContains, whereGiven } from '../sql/filters.ts';
import { insertOnce } from '../sql/inserts.ts';
import {
  columnNumbers,
  columnReaders,
  columnTexts,
  countsBy,
  hasRow,
  nullableNumberValue,
  numberValue,
  type RowOf,
  rowCount,
  rowReader,
  rowsById,
  textValue,
} from '../sql/read-rows.ts';
import { engineOf, isDuplicate, type Row } from '../sql/sql-dialect.ts';
import { hasAlikeName, nameKey } from './user-names-table.ts';

const USERS = rowReader({
  id: numberValue,
  ...columnReaders(USER),
  ...columnReaders(USER_RECORD),
  aff_history: numberValue,
  setting: textValue,
  session_version: numberValue,
  /** Epoch seconds, or null for an open account. */
  deleted_at: nullableNumberValue,
});
export type UserRow = RowOf<typeof USERS>;

/** The user, including closed accounts. */
export function userById(db: Knex, id: number): Promise<UserRow | undefined> {
  return USERS.first(db('users').where({ id }));
}

export function userByName(db: Knex, username: string): Promise<UserRow | undefined> {
  return USERS.first(db('users').where({ username }));
}

/** The user with an e-mail address, ignoring case, including closed accounts. */
export function userByEmail(db: Knex, email: string): Promise<UserRow | undefined> {
  return USERS.first(withEmail(db, email));
}

/** In the form used by each database's index. */
function withEmail(db: Knex, email: string): Knex.QueryBuilder {
  const address = email.toLowerCase();
  if (engineOf(db) === 'mysql') return db('users').where({ email_key: address });
  return db('users').whereNot({ email: '' }).whereRaw('lower(email) = ?', [address]);
}

/** The user, locked until this transaction ends. On SQLite the transaction itself is that lock. */
export function lockUser(trx: Knex.Transaction, id: number): Promise<UserRow | undefined> {
  return USERS.first(trx('users').where({ id }).forUpdate());
}

export interface UserFilter {
  /** Part of name, e-mail or display name, or the id. */
  readonly keyword?: string | undefined;
  readonly group?: string | undefined;
  readonly role?: number | undefined;
  readonly status?: number | undefined;
}

export const pageOfUsers = USERS.pages((reads, filter: UserFilter) => {
  const { keyword, group, role, status } = filter;
  const query = whereGiven(reads('users'), { group, role, status });
  whereContains(query, ['username', 'email', 'display_name'], keyword, orId);
  return query;
});

export type ProviderIds = Partial<Readonly<Record<IdentityColumn, string>>>;

type Caps = StoredFields<typeof CAPS>;

/** `inviter_id` is 0 for none. */
export type NewUserRow = Omit<StoredFields<typeof USER>, keyof Caps> &
  Partial<Caps> &
  ProviderIds &
  Pick<UserRow, 'role' | 'aff_code' | 'inviter_id' | 'created_time'> & {
    readonly password: string;
  };

/**
 * Returns the new user's id, or undefined if the name is taken in any case or form, even by a closed
 * account. Two insertions at the same moment: the indexes admit one, also of its other unique values.
 */
export async function insertUser(
  trx: Knex.Transaction,
  row: NewUserRow,
): Promise<number | undefined> {
  const username_key = nameKey(row.username);
  const complete = { ...row, username_key, status: 1, setting: '' };
  try {
    if (!(await insertOnce(trx, 'users', complete, 'username_key'))) return undefined;
  } catch (error) {
    if (isDuplicate(error)) return undefined;
    throw error;
  }
  const inserted: Row | undefined = await trx('users')
    .where({ username: row.username })
    .first('id');
  return numberValue(inserted?.id);
}

export type UserFields = Partial<
  StoredFields<typeof USER> &
    Pick<UserRow, 'role' | 'status' | 'aff_code' | 'setting' | 'deleted_at'> & {
      readonly password: string;
      readonly access_token_hash: string | null;
    }
> &
  ProviderIds;

/** A new name must be free: see `isNameTaken`. */
export async function updateUser(
  trx: Knex.Transaction,
  id: number,
  fields: UserFields,
): Promise<void> {
  if (Object.keys(fields).length === 0) return;
  const { username } = fields;
  const keys = username === undefined ? {} : { username_key: nameKey(username) };
  await trx('users')
    .where({ id })
    .update({ ...fields, ...keys });
}

/** Replaces a hash by another of the same password, unless the password changed meanwhile. */
export async function rehashPassword(
  db: Knex,
  id: number,
  hashes: { readonly from: string; readonly to: string },
): Promise<void> {
  await db('users').where({ id, password: hashes.from }).update({ password: hashes.to });
}

export async function recordSignIn(db: Knex, id: number, atSec: number): Promise<void> {
  await db('users').where({ id }).update({ last_login_time: atSec });
}

/** Sessions store the version they began with; incrementing it ends them. */
export async function endSessions(trx: Knex.Transaction, id: number): Promise<void> {
  await trx('users').where({ id }).increment('session_version', 1);
}

/** The stored password hash, or '' for an account without one. */
export async function passwordHashOf(db: Knex, id: number): Promise<string> {
  const row: Row | undefined = await db('users').where({ id }).first('password');
  return textValue(row?.password);
}

/** Whether the user has an access token for the management API. */
export async function hasAccessToken(db: Knex, id: number): Promise<boolean> {
  const row: Row | undefined = await db('users').where({ id }).first('access_token_hash');
  return typeof row?.access_token_hash === 'string';
}

/** Names are compared ignoring case and form, and with the addresses of others, which also sign in. */
export async function isNameTaken(db: Knex, username: string, except: number): Promise<boolean> {
  if (await hasAlikeName(db, username, except)) return true;
  return username.includes('@') && (await isEmailTaken(db, username, except));
}

/** The names of all accounts that manage the site. */
export function administratorNames(db: Knex, except: number): Promise<string[]> {
  const others = db('users').where('role', '>=', ROLES.admin).whereNot({ id: except });
  return columnTexts(others, 'username');
}

/** Addresses are compared ignoring case. */
export function isEmailTaken(db: Knex, email: string, except: number): Promise<boolean> {
  return hasRow(withEmail(db, email).whereNot({ id: except }));
}

/** Whether another account, open or closed, has one of these identities. */
export async function isIdentityTaken(
  db: Knex,
  ids: ProviderIds,
  except: number,
): Promise<boolean> {
  for (const column of IDENTITY_COLUMNS) {
    const value = ids[column] ?? '';
    if (value === '') continue;
    const others = db('users').where(column, value).whereNot(column, '').whereNot({ id: except });
    if (await hasRow(others)) return true;
  }
  return false;
}

export function hasSuperAdmin(db: Knex): Promise<boolean> {
  return hasRow(db('users').where({ role: ROLES.super_admin }).whereNull('deleted_at'));
}

/** Open accounts per group. */
export function usersPerGroup(db: Knex): Promise<Map<string, number>> {
  return countsBy(db('users').whereNull('deleted_at'), 'group');
}

export async function usernamesOf(db: Knex, ids: readonly number[]): Promise<Map<number, string>> {
  const accounts = await accountsOf(db, ids);
  return new Map([...accounts].map(([id, { username }]) => [id, username]));
}

const ACCOUNTS = rowReader({ id: numberValue, username: textValue, role: numberValue });
export type Account = RowOf<typeof ACCOUNTS>;

export function accountsOf(db: Knex, ids: readonly number[]): Promise<Map<number, Account>> {
  return rowsById(ACCOUNTS, db('users'), ids);
}

/** The ids of all accounts that manage the site, closed ones too. */
export function administratorIds(db: Knex): Promise<number[]> {
  return columnNumbers(db('users').where('role', '>=', ROLES.admin));
}

/** Accounts that were opened in a span; its end is excluded. */
export function countNewUsers(
  db: Knex,
  { fromSec, toSec }: { readonly fromSec: number; readonly toSec: number },
): Promise<number> {
  return rowCount(
    db('users').where('created_time', '>=', fromSec).where('created_time', '<', toSec),
  );
}
