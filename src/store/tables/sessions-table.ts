/** Rows of `sessions`: signed-in browsers, by the keyed hash of the cookie value. */
import type { Knex } from 'knex';
import { numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

const SESSIONS = rowReader({
  id_hash: textValue,
  user_id: numberValue,
  version: numberValue,
  /** Epoch seconds, like the next two. */
  created_at: numberValue,
  seen_at: numberValue,
  expires_at: numberValue,
  address: textValue,
  user_agent: textValue,
});
export type SessionRow = RowOf<typeof SESSIONS>;

const SESSION_USERS = rowReader({
  id: numberValue,
  role: numberValue,
  status: numberValue,
  group: textValue,
  setting: textValue,
});
/** The facts about the caller that a call needs. */
export type SessionUser = RowOf<typeof SESSION_USERS>;

export async function insertSession(db: Knex, row: SessionRow): Promise<void> {
  await db('sessions').insert(row);
}

export interface LiveSession extends SessionUser {
  readonly seen_at: number;
}

/** The open account of a session that has not expired or ended, read in one query. */
export async function liveSession(
  db: Knex,
  idHash: string,
  nowSec: number,
): Promise<LiveSession | undefined> {
  const row: Row | undefined = await db('sessions as s')
    .join('users as u', 'u.id', 's.user_id')
    .where('s.id_hash', idHash)
    .where('s.expires_at', '>', nowSec)
    .whereRaw('s.version = u.session_version')
    .whereNull('u.deleted_at')
    .first(['u.id', 'u.role', 'u.status', 'u.group', 'u.setting', 's.seen_at']);
  return row === undefined
    ? undefined
    : { ...SESSION_USERS.read(row), seen_at: numberValue(row.seen_at) };
}

/** The open account with this access token. */
export function userByAccessToken(db: Knex, hash: string): Promise<SessionUser | undefined> {
  return SESSION_USERS.first(
    db('users').where({ access_token_hash: hash }).whereNull('deleted_at'),
  );
}

/** When the session began, in epoch seconds. */
export async function sessionStart(db: Knex, idHash: string): Promise<number | undefined> {
  const row: Row | undefined = await db('sessions').where({ id_hash: idHash }).first('created_at');
  return row === undefined ? undefined : numberValue(row.created_at);
}

/** Extends the expiry of a session in use. */
export async function extendSession(
  db: Knex,
  idHash: string,
  times: { readonly seen_at: number; readonly expires_at: number },
): Promise<void> {
  await db('sessions').where({ id_hash: idHash }).update(times);
}

export async function deleteSession(db: Knex, idHash: string): Promise<void> {
  await db('sessions').where({ id_hash: idHash }).delete();
}

/** Sessions of an open account, newest first, without those ended by a higher version. */
export async function sessionsOf(db: Knex, userId: number, nowSec: number): Promise<SessionRow[]> {
  const rows: Row[] = await db('sessions as s')
    .join('users as u', 'u.id', 's.user_id')
    .where('s.user_id', userId)
    .where('s.expires_at', '>', nowSec)
    .whereRaw('s.version = u.session_version')
    .orderBy([
      { column: 's.seen_at', order: 'desc' },
      { column: 's.id_hash', order: 'asc' },
    ])
    .limit(100)
    .select('s.*');
  return rows.map(SESSIONS.read);
}
