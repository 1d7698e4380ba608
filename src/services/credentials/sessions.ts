/**
 * Browser sessions. A session is a row, read with its account at every call: a ban, a demotion, a
 * closed account or a raised `session_version` take effect at once on every node.
 */
import type { Actor, Visit } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { isRole } from '../../domain/roles.ts';
import { USER_STATUS } from '../../domain/statuses.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import {
  deleteSession,
  extendSession,
  insertSession,
  liveSession,
  type SessionUser,
  userByAccessToken,
} from '../../store/tables/sessions-table.ts';
import { endSessions, recordSignIn, userById } from '../../store/tables/users-table.ts';
import { accountLanguage } from '../access/account-language.ts';
import type { TxContext } from '../cluster/announced-write.ts';

type UserActor = Extract<Actor, { kind: 'user' }>;

/** A session that is unused for this long expires. */
export const SESSION_LIFETIME_SEC = 30 * 86_400;
/** How often the expiry of a session in use is extended. */
const EXTEND_EVERY_SEC = 600;
const ID_BYTES = 32;

/**
 * Starts a new session for this browser and ends its old one, which prevents session fixation.
 * @param createdAt sign-in time of the owner, in epoch seconds; now, unless it continues another
 * session.
 */
export async function startSession(
  ctx: Context,
  visit: Visit,
  userId: number,
  createdAt = nowSec(ctx),
): Promise<void> {
  await endSession(ctx, visit);
  const user = await userById(ctx.db, userId);
  if (user === undefined) throw new AppError('user_missing', { user: String(userId) });
  const id = ctx.random(ID_BYTES).toString('base64url');
  const now = nowSec(ctx);
  await insertSession(ctx.db, {
    id_hash: ctx.secrets.hash(id),
    user_id: userId,
    version: user.session_version,
    created_at: createdAt,
    seen_at: now,
    expires_at: now + SESSION_LIFETIME_SEC,
    address: visit.address.slice(0, 45),
    user_agent: visit.userAgent.slice(0, 191),
  });
  await recordSignIn(ctx.db, userId, now);
  visit.cookies.set('session', id, SESSION_LIFETIME_SEC);
}

/** Ends the session of this browser, if it has one. */
export async function endSession(ctx: Context, visit: Visit): Promise<void> {
  const id = visit.cookies.get('session');
  if (id === undefined) return;
  await deleteSession(ctx.db, ctx.secrets.hash(id));
  visit.cookies.clear('session');
}

/** Ends every session of a user. */
export async function endAllSessions(ctx: TxContext, userId: number): Promise<void> {
  await endSessions(ctx.db, userId);
  await announceChange(ctx.db, 'users', userId);
}

/**
 * The user of a session cookie; undefined when the session is invalid.
 * @throws AppError `account_banned`.
 */
export async function actorOfSession(ctx: Context, cookie: string): Promise<UserActor | undefined> {
  const hash = ctx.secrets.hash(cookie);
  const now = nowSec(ctx);
  const found = await liveSession(ctx.reads, hash, now);
  if (found === undefined) return undefined;
  if (now - found.seen_at >= EXTEND_EVERY_SEC)
    await extendSession(ctx.db, hash, { seen_at: now, expires_at: now + SESSION_LIFETIME_SEC });
  return actorOf(found);
}

/** @throws AppError `access_token_invalid`, `account_banned`. */
export async function actorOfAccessToken(ctx: Context, token: string): Promise<UserActor> {
  const found = await userByAccessToken(ctx.reads, ctx.secrets.hash(token));
  if (found === undefined) throw new AppError('access_token_invalid');
  return actorOf(found);
}

function actorOf({ id, role, group, status, setting }: SessionUser): UserActor {
  if (status !== USER_STATUS.enabled) throw new AppError('account_banned');
  if (!isRole(role)) throw new AppError('permission_denied');
  return { kind: 'user', id, role, group, language: accountLanguage(setting) };
}
