/**
 * Handles a verified identity: signs in to its account, creates the account, or links the identity
 * to the account that is signed in.
 */
import type { Visit } from '../../../api/call.ts';
import type { Context } from '../../../context.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import { IDENTITY_PROVIDERS, type IdentityProvider } from '../../../domain/identity-providers.ts';
import { isDuplicate } from '../../../store/sql/sql-dialect.ts';
import { announceChange } from '../../../store/tables/changes-table.ts';
import {
  lastUserId,
  replaceIdentity,
  userByIdentity,
} from '../../../store/tables/identities-table.ts';
import {
  lockUser,
  passwordHashOf,
  type UserRow,
  updateUser,
  userById,
} from '../../../store/tables/users-table.ts';
import { type TxContext, writing } from '../../cluster/announced-write.ts';
import { requireAllowedEmail } from '../../credentials/email-addresses.ts';
import { startSession } from '../../credentials/sessions.ts';
import { recordAction } from '../../logs/audit.ts';
import { requireMaySignIn, signUp } from '../sign-up.ts';
import type { Identity } from './identity.ts';
import { candidateUsernames, truncateText } from './usernames.ts';

const MAX_DISPLAY_NAME_CHARS = 20;
const MAX_EMAIL_CHARS = 50;

/** The account fields returned to its own browser. */
export type SignedInUser = Pick<
  UserRow,
  'id' | 'username' | 'display_name' | 'role' | 'status' | 'group'
>;

/**
 * Signs the browser in to the identity's account, which is created if missing.
 * @throws AppError account_closed, account_banned; registration_off, oauth_email_taken and the
 * identity's own refusal if an account would have to be created.
 */
export async function signInWithIdentity(
  ctx: Context,
  visit: Visit,
  identity: Identity,
  affCode: string,
): Promise<SignedInUser> {
  const user =
    (await writing(ctx, (ctx) => findAccount(ctx, identity))) ??
    (await createAccount(ctx, identity, affCode));
  await startSession(ctx, visit, user.id);
  return user;
}

/**
 * As `signInWithIdentity`, but never creates an account.
 * @throws AppError oauth_unbound, account_closed, account_banned.
 */
export async function signInWithBoundIdentity(
  ctx: Context,
  visit: Visit,
  identity: Identity,
): Promise<SignedInUser> {
  const user = await writing(ctx, (ctx) => findAccount(ctx, identity));
  if (user === undefined) throw new AppError('oauth_unbound', { provider: identity.provider });
  await startSession(ctx, visit, user.id);
  return user;
}

async function findAccount(ctx: TxContext, identity: Identity): Promise<UserRow | undefined> {
  const { column } = IDENTITY_PROVIDERS[identity.provider];
  const user =
    (await userByIdentity(ctx.db, column, identity.subject)) ??
    (await accountOfFormerSubject(ctx, identity));
  if (user !== undefined) requireMaySignIn(user);
  return user;
}

/** The account linked to the previous subject by an older installation; relinks it to the new one. */
async function accountOfFormerSubject(
  ctx: TxContext,
  { provider, subject, formerSubject: previous }: Identity,
): Promise<UserRow | undefined> {
  if (previous === undefined) return undefined;
  const { column } = IDENTITY_PROVIDERS[provider];
  const user = await userByIdentity(ctx.db, column, previous);
  if (user === undefined) return undefined;
  requireMaySignIn(user);
  if (!(await replaceIdentity(ctx.db, user.id, column, { previous, subject })))
    return userByIdentity(ctx.db, column, subject);
  await announceChange(ctx.db, 'users', user.id);
  await recordAction(ctx, ownActor(user), {
    action: 'identity_renew',
    event: { event: 'identity_renewed', params: { provider } },
    user,
    facts: { provider },
  });
  return user;
}

/**
 * Runs one transaction per candidate name. Each first checks whether the account exists by now: of
 * two concurrent sign-ins one creates it and the other finds it.
 */
async function createAccount(ctx: Context, identity: Identity, affCode: string): Promise<UserRow> {
  const { namePrefix: prefix } = IDENTITY_PROVIDERS[identity.provider];
  const nextId = (await lastUserId(ctx.db)) + 1;
  let taken: unknown;
  for (const username of candidateUsernames({ name: identity.name, prefix, nextId }, ctx.random)) {
    try {
      return await writing(
        ctx,
        async (ctx) =>
          (await findAccount(ctx, identity)) ?? (await register(ctx, identity, username, affCode)),
      );
    } catch (error) {
      if (!isTaken(error)) throw error;
      taken = error;
    }
  }
  throw taken;
}

const TAKEN: ReadonlySet<string> = new Set(['user_name_taken', 'identity_taken']);

function isTaken(error: unknown): boolean {
  return isDuplicate(error) || (error instanceof AppError && TAKEN.has(error.code));
}

async function register(
  ctx: TxContext,
  identity: Identity,
  username: string,
  affCode: string,
): Promise<UserRow> {
  const { column, nameless } = IDENTITY_PROVIDERS[identity.provider];
  if (identity.refusal !== undefined) throw identity.refusal;
  try {
    const id = await signUp(ctx, {
      username,
      passwordHash: '',
      displayName: displayNameOf(identity) || nameless,
      email: emailFor(ctx, identity),
      affCode,
      ids: { [column]: identity.subject },
    });
    const user = await userById(ctx.db, id);
    if (user === undefined) throw new AppError('internal');
    return user;
  } catch (error) {
    if (error instanceof AppError && error.code === 'email_taken')
      throw new AppError('oauth_email_taken', { provider: identity.provider }, { cause: error });
    throw error;
  }
}

function displayNameOf({ displayName }: Identity): string {
  return truncateText(displayName.replace(/\p{C}/gu, '').trim(), MAX_DISPLAY_NAME_CHARS).trim();
}

/** The verified address if the site's rules allow it; otherwise the account gets none. */
function emailFor(ctx: Context, { email }: Identity): string {
  const address = email.trim();
  if (address.length > MAX_EMAIL_CHARS || !/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(address)) return '';
  try {
    requireAllowedEmail(ctx, address);
    return address;
  } catch {
    return '';
  }
}

/**
 * Links the identity to an account, replacing another one of the same provider.
 * @throws AppError identity_taken, account_closed, account_banned.
 */
export async function bindIdentity(
  ctx: Context,
  userId: number,
  identity: Identity,
): Promise<void> {
  const { column } = IDENTITY_PROVIDERS[identity.provider];
  try {
    await writing(ctx, async (ctx) => {
      const user = await ownAccount(ctx, userId);
      await requireFreeIdentity(ctx, userId, identity);
      if (user[column] === identity.subject) return;
      await updateUser(ctx.db, userId, { [column]: identity.subject });
      await announceChange(ctx.db, 'users', userId);
      await recordAction(ctx, ownActor(user), {
        action: 'identity_bind',
        event: { event: 'identity_bound', params: { provider: identity.provider } },
        user,
        facts: { provider: identity.provider },
      });
    });
  } catch (error) {
    // Two accounts may concurrently have found it free; the unique index decides.
    if (isDuplicate(error)) throw new AppError('identity_taken', {}, { cause: error });
    throw error;
  }
}

async function requireFreeIdentity(
  ctx: TxContext,
  userId: number,
  { provider, subject, formerSubject = '' }: Identity,
): Promise<void> {
  const { column } = IDENTITY_PROVIDERS[provider];
  for (const value of [subject, formerSubject]) {
    const owner = value === '' ? undefined : await userByIdentity(ctx.db, column, value);
    if (owner !== undefined && owner.id !== userId) throw new AppError('identity_taken');
  }
}

/**
 * Unlinks the identity from an account that has another way to sign in.
 * @throws AppError identity_missing, identity_last, account_closed, account_banned.
 */
export function unbindIdentity(
  ctx: Context,
  userId: number,
  provider: IdentityProvider,
): Promise<void> {
  const { column } = IDENTITY_PROVIDERS[provider];
  return writing(ctx, async (ctx) => {
    const user = await ownAccount(ctx, userId);
    if (user[column] === '') throw new AppError('identity_missing', { provider });
    const others = Object.values(IDENTITY_PROVIDERS).filter((other) => other.column !== column);
    const hasOther = others.some((other) => user[other.column] !== '');
    if (!hasOther && (await passwordHashOf(ctx.db, userId)) === '')
      throw new AppError('identity_last');
    await updateUser(ctx.db, userId, { [column]: '' });
    await announceChange(ctx.db, 'users', userId);
    await recordAction(ctx, ownActor(user), {
      action: 'identity_unbind',
      event: { event: 'identity_unbound', params: { provider } },
      user,
      facts: { provider },
    });
  });
}

async function ownAccount(ctx: TxContext, userId: number): Promise<UserRow> {
  const user = await lockUser(ctx.db, userId);
  if (user === undefined) throw new AppError('not_signed_in');
  requireMaySignIn(user);
  return user;
}

/** The user as actor: the request has no session yet. */
function ownActor({ id, group }: UserRow) {
  return { kind: 'user', id, role: 1, group } as const;
}
