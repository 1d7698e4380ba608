/**
 * Proof that the owner of an account acts, for what a stolen session or access token must not do: the
 * password in use, or a cookie session that began a short time ago.
 */
import { type Actor, terminalVisit, type Visit } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { sessionStart } from '../../store/tables/sessions-table.ts';
import { passwordOf } from '../../store/tables/users-table.ts';
import { limitTries } from './attempt-limiter.ts';
import { verifyPassword } from './passwords.ts';

/** A session younger than this needs no password. */
const YOUNG_SESSION_SEC = 600;

/** What was sent as the password in use, and the field it is expected in. */
export interface Proof {
  readonly password: string | undefined;
  readonly field?: 'password' | 'original_password';
}

/**
 * A password that was sent must be right, even where none is needed. An account without one proves
 * itself by a young session alone.
 * @throws AppError password_needed; session_only and sign_in_again for an account without a password;
 * input_invalid for a wrong password, login_limited after too many.
 */
export async function requireOwnerProof(
  ctx: Context,
  actor: Actor,
  visit: Visit = terminalVisit(),
  { password = '', field = 'password' }: Proof,
): Promise<void> {
  if (actor.kind === 'operator') return;
  const stored = await passwordOf(ctx.db, actor.id);
  if (stored !== '' && password !== '') {
    const tries = await limitTries(ctx, `password:${actor.id}`);
    if ((await verifyPassword(stored, password)) === 'wrong')
      throw invalidInput(field, 'wrong_password');
    return tries.succeeded();
  }
  if (visit.via === 'session' && (await isYoung(ctx, visit))) return;
  if (stored !== '') throw new AppError('password_needed', { field }, { param: field });
  if (visit.via === 'access_token') throw new AppError('session_only');
  if (visit.via === 'session') throw new AppError('sign_in_again');
}

async function isYoung(ctx: Context, visit: Visit): Promise<boolean> {
  const startedAt = await sessionStart(
    ctx.db,
    ctx.secrets.hash(visit.cookies.get('session') ?? ''),
  );
  return startedAt !== undefined && nowSec(ctx) - startedAt < YOUNG_SESSION_SEC;
}
