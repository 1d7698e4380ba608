/** Rows of `sessions`: signed-in browsers, by the keyed hash of the cookie value. */
import type { Knex } from 'knex';
import { numberOf, textOf } from '../sql/read-rows.ts';
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
export interface Caller {
  readonly id: number;
  readonly role: number;
  readonly status: number;
  readonly group: string;
}

export async function insertSession(db: Knex, row: SessionRow): Promise<void> {
  await db('sessions').insert(row);
}

export interface LiveSession extends Caller {
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
    .first(['u.id', 'u.role', 'u.status', 'u.group', 's.seen_at']);
  return row === undefined ? undefined : { ...readCaller(row), seen_at: numberOf(row.seen_at) };
}

/** The open account with this access token. */
export async function callerByAccessToken(db: Knex, hash: string): Promise<Caller | undefined> {
  const row: Row | undefined = await db('users')
    .where({ access_token_hash: hash })
    .whereNull('deleted_at')
    .first(['id', 'role', 'status', 'group']);
  return row === undefined ? undefined : readCaller(row);
}

function readCaller(row: Row): Caller {
  return {
    id: numberOf(row.id),
    role: numberOf(row.role),
    status: numberOf(row.status),
    group: textOf(row.group),
  };
}

/** When the session began, in epoch seconds. */
export async function sessionStart(db: Knex, idHash: string): Promise<number | undefined> {
  const row: Row | undefined = await db('sessions').where({ id_hash: idHash }).first('created_at');
  return row === undefined ? undefined : numberOf(row.created_at);
}

/** Extends the expiry of a session in use. */
export async function prolongSession(
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
    id_hash: textOf(row.id_hash),
    user_id: numberOf(row.user_id),
    version: numberOf(row.version),
    created_at: numberOf(row.created_at),
    seen_at: numberOf(row.seen_at),
    expires_at: numberOf(row.expires_at),
    address: textOf(row.address),
    user_agent: textOf(row.user_agent),
  }));
}

/** Deletes expired sessions. Returns their number. */
export async function pruneSessions(db: Knex, nowSec: number): Promise<number> {
  return db('sessions').where('expires_at', '<=', nowSec).delete();
}
