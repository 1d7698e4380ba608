/**
 * Self-registration: with a password here, or through an identity provider, which calls `signUp`
 * with the verified identity. One transaction creates the account and all its rewards.
 */

import type { accountCalls } from '../../api/accounts/account.ts';
import { NewToken } from '../../api/accounts/token.ts';
import { type Actor, type Service, terminalVisit } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { DEFAULT_GROUP } from '../../domain/groups.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { ROLES } from '../../domain/roles.ts';
import { USER_STATUS } from '../../domain/statuses.ts';
import { requireRateLimit } from '../../store/kv/rate-limit.ts';
import { post } from '../../store/ledger/ledger.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import { addInvite, inviterOf } from '../../store/tables/user-rewards-table.ts';
import type { ProviderIds, UserRow } from '../../store/tables/users-table.ts';
import { grantOpeningBalance, insertAccount, type NamedUser } from '../accounts/new-account.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import { requireAllowedEmail } from '../credentials/email-addresses.ts';
import { hashPassword } from '../credentials/passwords.ts';
import { startSession } from '../credentials/sessions.ts';
import { actorName, recordAction } from '../logs/audit.ts';
import { clientNetwork } from '../network/client-network.ts';
import * as tokens from '../tokens/tokens.ts';
import { consumeVerificationCode, countCodeAttempt } from './email-codes.ts';

type Calls = Service<typeof accountCalls, Context>;

/** Accounts that one network may create per hour. */
const MAX_PER_NETWORK = 10;
const HOUR_MS = 3_600_000;

export const register: Calls['register'] = async (ctx, _actor, input, visit) => {
  requireOpenRegistration(ctx);
  if (!ctx.options().get('PasswordRegisterEnabled'))
    throw new AppError('password_registration_off');
  if (input.password2 !== undefined && input.password2 !== input.password)
    throw new AppError('passwords_differ', {}, { param: 'password2' });
  const proof = proofOf(ctx, input);
  if (proof !== undefined) await countCodeAttempt(ctx, proof.email);
  await limitSignUps(ctx, visit.address);
  const passwordHash = await hashPassword(input.password);
  const id = await writing(ctx, async (ctx) => {
    if (proof !== undefined) await consumeVerificationCode(ctx, proof.email, proof.code);
    return signUp(ctx, {
      username: input.username,
      passwordHash,
      displayName: input.username,
      email: proof?.email ?? '',
      affCode: input.aff_code ?? '',
    });
  });
  if (visit.via !== 'terminal') await startSession(ctx, visit, id);
};

/** The address and its verification code; without a code the address is not stored. */
function proofOf(
  ctx: Context,
  { email = '', verification_code: code = '' }: { email?: string; verification_code?: string },
): { readonly email: string; readonly code: string } | undefined {
  if (email === '' || code === '') {
    if (ctx.options().get('EmailVerificationEnabled')) throw new AppError('email_code_needed');
    return undefined;
  }
  requireAllowedEmail(ctx, email);
  return { email, code };
}

async function limitSignUps({ kv }: Context, address: string): Promise<void> {
  if (address === '') return;
  const key = `sign-up:${clientNetwork(address)}`;
  await requireRateLimit(kv, { key, limit: MAX_PER_NETWORK, windowMs: HOUR_MS });
}

/** @throws AppError `registration_off`, also in self-use mode. */
function requireOpenRegistration({ options }: Pick<Context, 'options'>): void {
  const now = options();
  if (!now.get('RegisterEnabled') || now.get('SelfUseModeEnabled'))
    throw new AppError('registration_off');
}

export interface SignUpInput {
  readonly username: string;
  /** '' for an account without a password. */
  readonly passwordHash: string;
  readonly displayName: string;
  /** Verified, or ''. */
  readonly email: string;
  /** Invite code; '' or an unknown code means no inviter. */
  readonly affCode: string;
  readonly ids?: ProviderIds;
}

/**
 * Creates an account with its opening balance, invitation rewards and, if the site is configured
 * so, a first API token. Returns its id. Runs in the caller's transaction.
 * @throws AppError registration_off, user_name_taken, email_taken, identity_taken.
 */
export async function signUp(ctx: TxContext, given: SignUpInput): Promise<number> {
  requireOpenRegistration(ctx);
  const options = ctx.options();
  const inviter = options.get('AffEnabled') ? await inviterOf(ctx.db, given.affCode) : undefined;
  const user = await insertAccount(ctx, {
    username: given.username,
    password: given.passwordHash,
    display_name: given.displayName || given.username,
    role: ROLES.user,
    email: given.email,
    group: DEFAULT_GROUP,
    inviter_id: inviter?.id ?? 0,
    ...(given.ids === undefined ? {} : { ids: given.ids }),
  });
  const actor: Actor = { kind: 'user', id: user.id, role: ROLES.user, group: DEFAULT_GROUP };
  await grantOpeningBalance(ctx, actor, user, options.get('QuotaForNewUser'));
  if (inviter !== undefined) await rewardInvitation(ctx, actor, user, inviter);
  if (ctx.config.generateDefaultToken) {
    const token = { name: user.username, remain_quota: 0, unlimited_quota: true };
    await tokens.create(ctx, actor, NewToken.parse(token), terminalVisit());
  }
  await announceChange(ctx.db, 'users', user.id);
  if (inviter !== undefined) await announceChange(ctx.db, 'users', inviter.id);
  return user.id;
}

/** The invited account gets balance; the inviter's reward is kept until it is transferred. */
async function rewardInvitation(
  ctx: TxContext,
  actor: Actor,
  user: NamedUser,
  inviter: NamedUser,
): Promise<void> {
  const reward = ctx.options().get('QuotaForInviter');
  const bonusUnits = ctx.options().get('QuotaForInvitee');
  const isRewarded = await addInvite(ctx.db, inviter.id, reward);
  const row = { cause: 'invite', actor: actorName(actor), createdAtSec: nowSec(ctx) } as const;
  const common = { type: LOG_TYPE.system } as const;
  if (bonusUnits > 0) {
    await post(ctx.db, {
      ...row,
      key: `invitee:${user.id}`,
      userId: user.id,
      userUnits: bonusUnits,
    });
    const event = { event: 'invitee_granted', params: { units: bonusUnits } } as const;
    await recordAction(ctx, actor, {
      ...common,
      action: 'invitee_gift',
      event,
      user,
      quota: bonusUnits,
    });
  }
  if (reward > 0 && isRewarded) {
    // Moves no balance yet; the entry documents in the ledger where a later transfer comes from.
    const detail = JSON.stringify({ invited: user.id, aff_quota: reward });
    const key = `inviter:${user.id}`;
    await post(ctx.db, { ...row, key, userId: inviter.id, userUnits: 0, detail });
    const event = { event: 'inviter_rewarded', params: { units: reward } } as const;
    await recordAction(ctx, actor, { ...common, action: 'inviter_reward', event, user: inviter });
  }
}

/** @throws AppError account_closed, account_banned. */
export function requireMaySignIn(user: Pick<UserRow, 'status' | 'deleted_at'>): void {
  if (user.deleted_at !== null) throw new AppError('account_closed');
  if (user.status !== USER_STATUS.enabled) throw new AppError('account_banned');
}
