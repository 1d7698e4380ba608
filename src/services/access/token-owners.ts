/**
 * Permissions on API tokens. Owners manage their own, administrators those of users with a lower
 * role; for everyone else a token does not exist.
 */

import type { Actor } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { isAdmin, isSuperAdmin, mayManage, ROLES } from '../../domain/roles.ts';
import {
  lockToken,
  type TokenRow,
  tokenById,
  tokensByIds,
} from '../../store/tables/tokens-table.ts';
import { lockUser, type UserRow, userById } from '../../store/tables/users-table.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { roleOf } from '../logs/audit.ts';

/** The row lock on the owner makes caps and "create if absent" hold under concurrency. */
export async function lockOwner(
  ctx: TxContext,
  actor: Actor,
  requestedId: number | undefined,
): Promise<UserRow> {
  const id = requestedId ?? (actor.kind === 'user' ? actor.id : undefined);
  if (id === undefined) throw invalidInput('user', 'owner_missing');
  const owner = await lockUser(ctx.db, id);
  if (owner === undefined || owner.deleted_at !== null)
    throw new AppError('user_missing', { user: String(id) });
  if (!isTokenOwner(actor, id) && !mayManage(roleOf(actor), owner.role))
    throw new AppError('permission_denied');
  return owner;
}

/** Locks the owner first, as everywhere: a common lock order prevents deadlocks. */
export async function lockWithOwner(
  ctx: TxContext,
  actor: Actor,
  id: number,
): Promise<{ token: TokenRow; owner: UserRow }> {
  const seen = requireToken(await tokenById(ctx.db, id), id);
  await requireTokenAccess(ctx, actor, seen);
  const owner = await lockUser(ctx.db, seen.user_id);
  if (owner === undefined) throw missingTokenError(id);
  return { owner, token: requireToken(await lockToken(ctx.db, id), id) };
}

/** As `lockWithOwner` for many: all owners, then all tokens, each in id order. */
export async function lockAllWithOwners(
  ctx: TxContext,
  actor: Actor,
  ids: readonly number[],
): Promise<{ token: TokenRow; owner: UserRow }[]> {
  const seen = await tokensByIds(ctx.db, ids);
  const owners = new Map<number, UserRow>();
  for (const id of [...new Set(seen.map((token) => token.user_id))].sort((a, b) => a - b)) {
    const owner = await lockUser(ctx.db, id);
    if (owner !== undefined && mayUse(actor, owner)) owners.set(id, owner);
  }
  const locked: { token: TokenRow; owner: UserRow }[] = [];
  for (const { id, user_id } of seen) {
    const owner = owners.get(user_id);
    const token = owner && (await lockToken(ctx.db, id));
    if (owner !== undefined && token !== undefined) locked.push({ token, owner });
  }
  return locked;
}

/** A token that the actor may not see is reported as missing. */
export async function requireTokenAccess(
  ctx: Context,
  actor: Actor,
  token: TokenRow,
): Promise<void> {
  if (isTokenOwner(actor, token.user_id) || roleOf(actor) === ROLES.super_admin) return;
  const owner = await userById(ctx.reads, token.user_id);
  if (owner === undefined || !mayUse(actor, owner)) throw missingTokenError(token.id);
}

function mayUse(actor: Actor, owner: UserRow): boolean {
  const role = roleOf(actor);
  return isTokenOwner(actor, owner.id) || role === ROLES.super_admin || mayManage(role, owner.role);
}

/** The user whose tokens a list shows; undefined for all users. */
export async function requireListedUser(
  ctx: Context,
  actor: Actor,
  {
    user: requestedId,
    everyone = false,
  }: { user?: number | undefined; everyone?: boolean | undefined },
): Promise<number | undefined> {
  if (actor.kind === 'operator') return requestedId;
  if (requestedId === undefined) return everyone && isSuperAdmin(actor.role) ? undefined : actor.id;
  if (requestedId === actor.id) return requestedId;
  const owner = isAdmin(actor.role) ? await userById(ctx.reads, requestedId) : undefined;
  if (owner === undefined || !mayManage(actor.role, owner.role))
    throw new AppError('permission_denied');
  return requestedId;
}

export function isTokenOwner(actor: Actor, userId: number): boolean {
  return actor.kind === 'user' && actor.id === userId;
}

export function requireToken(token: TokenRow | undefined, id: number): TokenRow {
  if (token === undefined) throw missingTokenError(id);
  return token;
}

export function missingTokenError(id: number): AppError {
  return new AppError('token_missing_row', { token: String(id) });
}
