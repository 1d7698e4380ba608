/**
 * Re-authentication of an account's owner, for actions that a stolen session or access token must
 * not allow: the current password, or a recently started cookie session.
 */
import type { Actor, Visit } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { sessionStart } from '../../store/tables/sessions-table.ts';
import { passwordHashOf } from '../../store/tables/users-table.ts';
import { limitAttempts } from './attempt-limiter.ts';
import { verifyPassword } from './passwords.ts';

/** A session younger than this needs no password. */
const YOUNG_SESSION_SEC = 600;

/** The password that was sent as the current one, and the field that holds it. */
export interface OwnerProof {
  readonly password: string | undefined;
  readonly field?: 'password' | 'original_password';
}

/**
 * A password that was sent must be correct, even if none is required. An account without a password
 * needs a recent session.
 * @throws AppError password_needed; session_only and sign_in_again for an account without a
 * password; input_invalid for a wrong password, login_limited after too many.
 */
export async function requireOwnerProof(
  ctx: Context,
  actor: Actor,
  visit: Visit,
  { password = '', field = 'password' }: OwnerProof,
): Promise<void> {
  if (actor.kind === 'operator') return;
  const stored = await passwordHashOf(ctx.db, actor.id);
  if (stored !== '' && password !== '') {
    const tries = await limitAttempts(ctx, `password:${actor.id}`);
    if ((await verifyPassword(stored, password)) === 'wrong')
      throw invalidInput(field, 'wrong_password');
    return tries.succeeded();
  }
  if (visit.via === 'session' && (await isRecentSession(ctx, visit))) return;
  if (stored !== '') throw new AppError('password_needed', { field }, { param: field });
  if (visit.via === 'access_token') throw new AppError('session_only');
  if (visit.via === 'session') throw new AppError('sign_in_again');
}

async function isRecentSession(ctx: Context, visit: Visit): Promise<boolean> {
  const startedAt = await sessionStart(
    ctx.db,
    ctx.secrets.hash(visit.cookies.get('session') ?? ''),
  );
  return startedAt !== undefined && nowSec(ctx) - startedAt < YOUNG_SESSION_SEC;
}
