/** Creates accounts: the row, the invite code and the opening balance. */
import type { Actor } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import type { Role } from '../../domain/roles.ts';
import { imitates } from '../../domain/text/alike-names.ts';
import { post } from '../../store/ledger/ledger.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import { isAffCodeTaken } from '../../store/tables/user-rewards-table.ts';
import {
  administratorNames,
  insertUser,
  isIdentityTaken,
  isNameTaken,
  type ProviderIds,
} from '../../store/tables/users-table.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { requireFreeEmail } from '../credentials/email-addresses.ts';
import { actorName, recordAction } from '../logs/audit.ts';
import { randomText } from '../random/random-text.ts';

const AFF_CODE_LENGTH = 8;

export interface NewAccount {
  readonly username: string;
  /** Already hashed; '' for no password. */
  readonly password: string;
  readonly display_name: string;
  readonly role: Role;
  readonly email: string;
  readonly group: string;
  /** 0 or absent if the user was not invited. */
  readonly inviter_id?: number;
  readonly ids?: ProviderIds;
  /** Unlimited if absent. */
  readonly max_concurrency?: number;
  readonly tokens_per_minute?: number;
}

export interface NewAccountWithBalance extends NewAccount {
  /** Opening balance. */
  readonly quota: number;
}

/** A user as identified in log entries and ledger rows. */
export interface NamedUser {
  readonly id: number;
  readonly username: string;
}

/**
 * Inserts the account with its opening balance and returns its id.
 * @throws AppError user_name_taken, email_taken, identity_taken.
 */
export async function openAccount(
  ctx: TxContext,
  actor: Actor,
  { quota, ...account }: NewAccountWithBalance,
): Promise<number> {
  const user = await insertAccount(ctx, account);
  await recordAction(ctx, actor, {
    action: 'user_create',
    event: { event: 'account_created' },
    user,
  });
  await grantOpeningBalance(ctx, actor, user, quota);
  await announceChange(ctx.db, 'users', user.id);
  return user.id;
}

/**
 * Inserts only the account's row, without a balance.
 * @throws AppError user_name_taken, email_taken, identity_taken.
 */
export async function insertAccount(
  ctx: TxContext,
  { ids = {}, inviter_id = 0, ...account }: NewAccount,
): Promise<NamedUser> {
  if (account.email !== '') await requireFreeEmail(ctx, account.email, 0);
  if (await isIdentityTaken(ctx.db, ids, 0)) throw new AppError('identity_taken');
  await requireFreeUsername(ctx, account.username, 0);
  const aff_code = await unusedAffCode(ctx);
  const created_time = nowSec(ctx);
  const id = await insertUser(ctx.db, { ...account, ...ids, inviter_id, aff_code, created_time });
  if (id === undefined) throw nameTakenError(account.username);
  return { id, username: account.username };
}

/** An unused invite code. */
export async function unusedAffCode({
  db,
  random,
}: Pick<Context, 'db' | 'random'>): Promise<string> {
  for (;;) {
    const code = randomText(random, AFF_CODE_LENGTH);
    if (!(await isAffCodeTaken(db, code))) return code;
  }
}

/** Does nothing for 0. */
export async function grantOpeningBalance(
  ctx: TxContext,
  actor: Actor,
  user: NamedUser,
  quota: number,
): Promise<void> {
  if (quota <= 0) return;
  await post(ctx.db, {
    key: `user-grant:${user.id}`,
    cause: 'opening',
    userId: user.id,
    userUnits: quota,
    actor: actorName(actor),
    createdAtSec: nowSec(ctx),
  });
  await recordAction(ctx, actor, {
    action: 'user_grant',
    event: { event: 'account_granted', params: { units: quota } },
    user,
    type: LOG_TYPE.system,
    quota,
  });
}

/**
 * No other account has the name or one that looks like it, or the name as its address.
 * @throws AppError user_name_taken
 */
export async function requireFreeUsername(
  { db }: Pick<Context, 'db'>,
  username: string,
  except: number,
): Promise<void> {
  const isFree =
    !(await isNameTaken(db, username, except)) &&
    !imitates(username, await administratorNames(db, except));
  if (!isFree) throw nameTakenError(username);
}

function nameTakenError(username: string): AppError {
  return new AppError('user_name_taken', { username }, { param: 'username' });
}
