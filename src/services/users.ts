/**
 * Users as administrators manage them. Whether the actor may touch the account is decided here, on
 * the locked row; what the account was told to be is announced, so that it acts at once.
 */

import type * as z from 'zod/mini';
import type { Actor, Service } from '../api/call.ts';
import { pageWindow } from '../api/call.ts';
import type { User, userCalls } from '../api/user.ts';
import { type Context, nowSec } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import { DEFAULT_GROUP } from '../domain/groups.ts';
import { LOG_TYPE } from '../domain/log-types.ts';
import { type ManageAction, mayAct, mayManage, ROLES, type Role } from '../domain/roles.ts';
import { USER_STATUS } from '../domain/statuses.ts';
import { announceChange } from '../store/changes.ts';
import { isDuplicate } from '../store/dialect.ts';
import { post } from '../store/ledger.ts';
import { closeTokensOf } from '../store/tokens.ts';
import {
  endSessions,
  insertUser,
  isEmailTaken,
  isNameTaken,
  lockUser,
  pageOfUsers,
  passwordOf,
  type UserFields,
  type UserRow,
  updateUser,
  userById,
  userByName,
} from '../store/users.ts';
import { actorName, amountText, note, roleOf } from './audit.ts';
import { changeBalance } from './balances.ts';
import { asPage } from './pages.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { randomText } from './random-text.ts';
import { invalid, requireGroup } from './validate.ts';
import { type TxContext, writing } from './writing.ts';

type Calls = Service<typeof userCalls, Context>;

const AFF_CODE_LENGTH = 8;
const ACCESS_TOKEN_BYTES = 24;

export const list: Calls['list'] = async (ctx, _actor, input) => {
  const window = pageWindow(input);
  const { rows, total } = await pageOfUsers(ctx.reads, input, window);
  return asPage(window, rows.map(shown), total);
};

export const search = list;

export const get: Calls['get'] = async (ctx, actor, { id }) =>
  readable(actor, await userById(ctx.reads, id), String(id));

export const getByName: Calls['getByName'] = async (ctx, actor, { username }) =>
  readable(actor, await userByName(ctx.reads, username.trim()), username);

export const create: Calls['create'] = async (ctx, actor, input) => {
  const group = input.group ?? DEFAULT_GROUP;
  requireGroup(ctx, group);
  const password = await hashPassword(input.password);
  const id = await writing(ctx, (ctx) =>
    openAccount(ctx, actor, {
      username: input.username,
      password,
      display_name: input.display_name || input.username,
      role: ROLES.user,
      email: input.email ?? '',
      group,
      quota: input.quota ?? ctx.options().get('QuotaForNewUser'),
    }),
  );
  return shown(requireUser(await userById(ctx.db, id), String(id)));
};

export interface Account {
  readonly username: string;
  /** Already hashed. */
  readonly password: string;
  readonly display_name: string;
  readonly role: Role;
  readonly email: string;
  readonly group: string;
  /** Opening balance. */
  readonly quota: number;
}

/**
 * Inserts the account with its opening balance and answers its id.
 * @throws AppError user_name_taken, input_invalid for an e-mail that another account has.
 */
export async function openAccount(
  ctx: TxContext,
  actor: Actor,
  { quota, ...account }: Account,
): Promise<number> {
  if (account.email !== '') await requireFreeEmail(ctx, account.email, 0);
  const aff_code = randomText(ctx.random, AFF_CODE_LENGTH);
  const id = await insertUser(ctx.db, { ...account, aff_code });
  if (id === undefined) throw nameTaken(account.username);
  const user = { id, username: account.username };
  await note(ctx, actor, { action: 'user_create', content: 'Account created', user });
  if (quota > 0) await grantOpening(ctx, actor, user, quota);
  await announceChange(ctx.db, 'users', id);
  return id;
}

async function grantOpening(
  ctx: TxContext,
  actor: Actor,
  user: { readonly id: number; readonly username: string },
  quota: number,
): Promise<void> {
  await post(ctx.db, {
    key: `user-grant:${user.id}`,
    cause: 'opening',
    userId: user.id,
    userUnits: quota,
    actor: actorName(actor),
    createdAtSec: nowSec(ctx),
  });
  await note(ctx, actor, {
    action: 'user_grant',
    content: `New account: ${amountText(ctx, quota)} granted`,
    user,
    type: LOG_TYPE.system,
    quota,
  });
}

export const edit: Calls['edit'] = async (ctx, actor, input) => {
  const { id, quota, password, ...sent } = input;
  if (sent.group !== undefined) requireGroup(ctx, sent.group);
  const hash = password ? await hashPassword(password) : undefined;
  return changingUser(ctx, id, async (ctx, user) => {
    requireManaged(actor, user);
    if (sent.username !== undefined && (await isNameTaken(ctx.db, sent.username, id)))
      throw nameTaken(sent.username);
    if (sent.email) await requireFreeEmail(ctx, sent.email, id);
    const fields = changedFields(user, sent);
    await updateUser(ctx.db, id, hash === undefined ? fields : { ...fields, password: hash });
    if (hash !== undefined) await endSessions(ctx.db, id);
    if (quota !== undefined) await changeBalance(ctx, actor, user, { mode: 'set', units: quota });
    const names = [...Object.keys(fields), ...(hash === undefined ? [] : ['password'])];
    if (names.length === 0) return;
    const content = `Account changed: ${names.join(', ')}`;
    await note(ctx, actor, { action: 'user_edit', content, user, facts: { fields: names } });
  });
};

function changedFields(user: UserRow, sent: UserFields): UserFields {
  const now: Readonly<Record<string, unknown>> = { ...user };
  return Object.fromEntries(
    Object.entries(sent).filter(([field, value]) => value !== undefined && now[field] !== value),
  );
}

export const setQuota: Calls['setQuota'] = (ctx, actor, { id, ...change }) =>
  writing(ctx, async (ctx) => {
    const user = requireOpen(await lockUser(ctx.db, id), String(id));
    requireManaged(actor, user);
    const changed = await changeBalance(ctx, actor, user, change);
    if (changed.before !== changed.after) await announceChange(ctx.db, 'users', id);
    return changed;
  });

const GOALS: Readonly<Record<ManageAction, UserFields>> = {
  enable: { status: USER_STATUS.enabled },
  disable: { status: USER_STATUS.banned },
  promote: { role: ROLES.admin },
  demote: { role: ROLES.user },
  delete: {},
};

export const manage: Calls['manage'] = async (ctx, actor, { id, action }) => {
  const user = await changingUser(ctx, id, async (ctx, user) => {
    requireManaged(actor, user);
    const fields = changedFields(user, GOALS[action]);
    if (action !== 'delete' && Object.keys(fields).length === 0) return;
    if (isOneself(actor, id) || !mayAct(action, roleOf(actor), user.role)) throw untouchable(user);
    await updateUser(ctx.db, id, fields);
    if (action !== 'enable') await endSessions(ctx.db, id);
    if (action === 'delete') await closeAccount(ctx, id);
    await note(ctx, actor, { action: `user_${action}`, content: `Account: ${action}`, user });
  });
  return { id, username: user.username, role: user.role, status: user.status };
};

async function closeAccount(ctx: TxContext, id: number): Promise<void> {
  const atSec = nowSec(ctx);
  await updateUser(ctx.db, id, { deleted_at: atSec, access_token_hash: null });
  for (const tokenId of await closeTokensOf(ctx.db, id, atSec))
    await announceChange(ctx.db, 'tokens', tokenId);
}

export const setPassword: Calls['setPassword'] = async (ctx, actor, input) => {
  if (isOneself(actor, input.id)) {
    const stored = await passwordOf(ctx.db, input.id);
    if ((await verifyPassword(stored, input.original_password ?? '')) === 'wrong')
      throw invalid('original_password', 'is not the password in use');
  }
  const password = await hashPassword(input.password);
  await changingUser(ctx, input.id, async (ctx, user) => {
    requireOwnOrManaged(actor, user);
    await updateUser(ctx.db, user.id, { password });
    await endSessions(ctx.db, user.id);
    await note(ctx, actor, { action: 'user_password', content: 'Password changed', user });
  });
};

/** For oneself, or for anybody by a super admin: whoever holds it is that user. */
export const newAccessToken: Calls['newAccessToken'] = async (ctx, actor, input) => {
  const id = input.id ?? (actor.kind === 'user' ? actor.id : undefined);
  if (id === undefined) throw invalid('id', 'names the user');
  if (!isOneself(actor, id) && roleOf(actor) < ROLES.super_admin)
    throw new AppError('permission_denied');
  const token = ctx.random(ACCESS_TOKEN_BYTES).toString('base64url');
  await changingUser(ctx, id, async (ctx, user) => {
    await updateUser(ctx.db, id, { access_token_hash: ctx.secrets.hash(token) });
    await note(ctx, actor, { action: 'user_access_token', content: 'Access token made', user });
  });
  return token;
};

/** Locks an open account, lets `work` change it if the actor may, and announces it. */
async function changingUser(
  ctx: Context,
  id: number,
  work: (ctx: TxContext, user: UserRow) => Promise<void>,
): Promise<z.input<typeof User>> {
  try {
    return await writing(ctx, async (ctx) => {
      const user = await lockUser(ctx.db, id);
      await work(ctx, requireOpen(user, String(id)));
      await announceChange(ctx.db, 'users', id);
      return shown(requireUser(await userById(ctx.db, id), String(id)));
    });
  } catch (error) {
    // Two edits at once may both have found the name free; the unique index decides.
    if (isDuplicate(error)) throw invalid('username', 'or e-mail is taken');
    throw error;
  }
}

function readable(actor: Actor, user: UserRow | undefined, asked: string): z.input<typeof User> {
  const found = requireUser(user, asked);
  requireOwnOrManaged(actor, found);
  return shown(found);
}

function requireManaged(actor: Actor, user: UserRow): void {
  if (!mayManage(roleOf(actor), user.role)) throw untouchable(user);
}

function requireOwnOrManaged(actor: Actor, user: UserRow): void {
  if (!isOneself(actor, user.id)) requireManaged(actor, user);
}

function isOneself(actor: Actor, id: number): boolean {
  return actor.kind === 'user' && actor.id === id;
}

function requireOpen(user: UserRow | undefined, asked: string): UserRow {
  const found = requireUser(user, asked);
  if (found.deleted_at !== null) throw new AppError('user_missing', { user: asked });
  return found;
}

function requireUser(user: UserRow | undefined, asked: string): UserRow {
  if (user === undefined) throw new AppError('user_missing', { user: asked });
  return user;
}

async function requireFreeEmail(ctx: TxContext, email: string, except: number): Promise<void> {
  if (await isEmailTaken(ctx.db, email, except))
    throw invalid('email', 'belongs to another account');
}

function nameTaken(username: string): AppError {
  return new AppError('user_name_taken', { username }, { param: 'username' });
}

function untouchable(user: UserRow): AppError {
  return new AppError('user_protected', { user: user.username });
}

function shown(user: UserRow): z.input<typeof User> {
  const { aff_history, setting: _, session_version: __, deleted_at, ...rest } = user;
  const DeletedAt = deleted_at === null ? null : new Date(deleted_at * 1000).toISOString();
  return { ...rest, aff_history_quota: aff_history, DeletedAt };
}
