/** Rows of `sessions`: signed-in browsers, by the keyed hash of the cookie value. */
import type { Knex } from 'knex';
import { numberValue, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

export interface SessionRow {
  readonly id_hash: string;
  readonly user_id: number;
  readonly version: number;
  /** Epoch seconds, like the next two. */
  readonly created_at: number;
  readonly seen_at: number;
  readonly expires_at: number;
  readonly address: string;
  readonly user_agent: string;
}

/** The facts about the caller that a call needs. */
export interface SessionUser {
  readonly id: number;
  readonly role: number;
  readonly status: number;
  readonly group: string;
  readonly setting: string;
}

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
    : { ...readSessionUser(row), seen_at: numberValue(row.seen_at) };
}

/** The open account with this access token. */
export async function userByAccessToken(db: Knex, hash: string): Promise<SessionUser | undefined> {
  const row: Row | undefined = await db('users')
    .where({ access_token_hash: hash })
    .whereNull('deleted_at')
    .first(['id', 'role', 'status', 'group', 'setting']);
  return row === undefined ? undefined : readSessionUser(row);
}

function readSessionUser(row: Row): SessionUser {
  return {
    id: numberValue(row.id),
    role: numberValue(row.role),
    status: numberValue(row.status),
    group: textValue(row.group),
    setting: textValue(row.setting),
  };
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
  return rows.map((row) => ({
    id_hash: textValue(row.id_hash),
    user_id: numberValue(row.user_id),
    version: numberValue(row.version),
    created_at: numberValue(row.created_at),
    seen_at: numberValue(row.seen_at),
    expires_at: numberValue(row.expires_at),
    address: textValue(row.address),
    user_agent: textValue(row.user_agent),
  }));
}

/** Deletes expired sessions. Returns their number. */
export async function pruneSessions(db: Knex, nowSec: number): Promise<number> {
  return db('sessions').where('expires_at', '<=', nowSec).delete();
}
