/** Who may see and change an account. */
import type { Actor } from '../../api/call.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { mayManage } from '../../domain/roles.ts';
import type { UserRow } from '../../store/tables/users-table.ts';
import { roleOf } from '../logs/audit.ts';

export function isOwnAccount(actor: Actor, id: number): boolean {
  return actor.kind === 'user' && actor.id === id;
}

export function requireOpenAccount(user: UserRow | undefined, requestedUser: string): UserRow {
  const found = requireUser(user, requestedUser);
  if (found.deleted_at !== null) throw new AppError('user_missing', { user: requestedUser });
  return found;
}

export function requireUser(user: UserRow | undefined, requestedUser: string): UserRow {
  if (user === undefined) throw new AppError('user_missing', { user: requestedUser });
  return user;
}

export function protectedUserError(user: UserRow): AppError {
  return new AppError('user_protected', { user: user.username });
}

/** @throws AppError user_missing, user_protected for another account that the actor may not manage. */
export function requireReadable(
  actor: Actor,
  user: UserRow | undefined,
  requestedUser: string,
): UserRow {
  const found = requireUser(user, requestedUser);
  requireOwnOrManaged(actor, found);
  return found;
}

export function requireManaged(actor: Actor, user: UserRow): void {
  if (!mayManage(roleOf(actor), user.role)) throw protectedUserError(user);
}

export function requireOwnOrManaged(actor: Actor, user: UserRow): void {
  if (!isOwnAccount(actor, user.id)) requireManaged(actor, user);
}
