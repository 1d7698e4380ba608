/** Sign-in with a password, and sign-out. */

import type { accountCalls } from '../../api/accounts/account.ts';
import type { Service } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { USER_STATUS } from '../../domain/statuses.ts';
import {
  passwordHashOf,
  rehashPassword,
  type UserRow,
  userByEmail,
  userByName,
} from '../../store/tables/users-table.ts';
import { limitAttempts } from '../credentials/attempt-limiter.ts';
import { requirePasswordQueueSpace } from '../credentials/password-thread/password-thread.ts';
import { DUMMY_HASH, hashPassword, verifyPassword } from '../credentials/passwords.ts';
import { endSession, startSession } from '../credentials/sessions.ts';
import { clientNetwork } from '../network/client-network.ts';

type Calls = Service<typeof accountCalls, Context>;

/**
 * Returns the same error after the same time for a wrong name, a wrong password and a banned
 * account.
 * @throws AppError password_login_off, login_failed, login_limited, sign_in_busy.
 */
export const login: Calls['login'] = async (ctx, _actor, input, visit) => {
  if (!ctx.options().get('PasswordLoginEnabled')) throw new AppError('password_login_off');
  // Checked before the attempt is counted: a request rejected by a full queue is not a guess.
  requirePasswordQueueSpace();
  const name = ctx.secrets.hash(`sign-in:${input.username.toLowerCase()}`);
  const tries = await limitAttempts(ctx, `${name}:${clientNetwork(visit.address)}`);
  const user = await namedUser(ctx, input.username);
  const stored = user === undefined ? '' : await passwordHashOf(ctx.db, user.id);
  const passwordCheck = await verifyPassword(stored || DUMMY_HASH, input.password);
  if (passwordCheck === 'wrong' || user === undefined || !maySignIn(user))
    throw new AppError('login_failed');
  await tries.succeeded();
  if (passwordCheck === 'outdated')
    await rehashPassword(ctx.db, user.id, { from: stored, to: await hashPassword(input.password) });
  await startSession(ctx, visit, user.id);
  const { id, username, display_name, role, status, group } = user;
  return { id, username, display_name, role, status, group };
};

/**
 * E-mail addresses take precedence: a user name that looks like another user's address must not
 * keep that user from signing in.
 */
async function namedUser({ db }: Context, text: string): Promise<UserRow | undefined> {
  const owner = text.includes('@') ? await userByEmail(db, text) : undefined;
  return owner ?? userByName(db, text);
}

function maySignIn(user: UserRow): boolean {
  return user.deleted_at === null && user.status === USER_STATUS.enabled;
}

export const logout: Calls['logout'] = async (ctx, _actor, _input, visit) => {
  await endSession(ctx, visit);
};
