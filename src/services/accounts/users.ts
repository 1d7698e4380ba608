/**
 * User management for administrators. Permissions are checked on the locked row; changes are
 * announced so that they take effect at once.
 */

import type { userCalls } from '../../api/accounts/user.ts';
import { type Actor, pageWindow, type Service, toPage } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { differingFields } from '../../domain/defined-fields.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { DEFAULT_GROUP } from '../../domain/groups.ts';
import type { EventCode } from '../../domain/logs/events.ts';
import { IDENTITY_COLUMNS } from '../../domain/nouns/user.ts';
import { isSuperAdmin, type ManageAction, mayAct, ROLES } from '../../domain/roles.ts';
import { USER_STATUS } from '../../domain/statuses.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import {
  endSessions,
  lockUser,
  type ProviderIds,
  pageOfUsers,
  type UserFields,
  type UserRow,
  updateUser,
  userById,
  userByName,
} from '../../store/tables/users-table.ts';
import {
  isOwnAccount,
  protectedUserError,
  requireManaged,
  requireOpenAccount,
  requireOwnOrManaged,
  requireReadable,
  requireUser,
} from '../access/account-access.ts';
import { settingWithLanguage } from '../access/account-language.ts';
import { changeBalance } from '../billing/balance-changes.ts';
import { writing } from '../cluster/announced-write.ts';
import { requireFreeEmail } from '../credentials/email-addresses.ts';
import { requireOwnerProof } from '../credentials/owner-proof.ts';
import { hashPassword } from '../credentials/passwords.ts';
import { startSession } from '../credentials/sessions.ts';
import { recordAction, roleOf } from '../logs/audit.ts';
import { requireGroup } from '../options/require-group.ts';
import { replaceAccessToken } from './access-tokens.ts';
import { openAccount, requireFreeUsername } from './new-account.ts';
import { changeUser, closeAccount, userView } from './user-changes.ts';

type Calls = Service<typeof userCalls, Context>;

export const list: Calls['list'] = async (ctx, _actor, input) => {
  const window = pageWindow(input);
  const { rows, total } = await pageOfUsers(ctx.reads, input, window);
  return toPage(window, rows.map(userView), total);
};

export const search = list;

export const get: Calls['get'] = async (ctx, actor, { id }) =>
  userView(requireReadable(actor, await userById(ctx.reads, id), String(id)));

export const getByName: Calls['getByName'] = async (ctx, actor, { username }) =>
  userView(requireReadable(actor, await userByName(ctx.reads, username.trim()), username));

export const create: Calls['create'] = async (ctx, actor, input) => {
  const group = input.group ?? DEFAULT_GROUP;
  const role = input.role ?? ROLES.user;
  requireGroup(ctx, group);
  requireLowerRole(actor, role);
  const password = await hashPassword(input.password);
  const id = await writing(ctx, (ctx) =>
    openAccount(ctx, actor, {
      username: input.username,
      password,
      display_name: input.display_name || input.username,
      role,
      email: input.email ?? '',
      group,
      quota: input.quota ?? ctx.options().get('QuotaForNewUser'),
      max_concurrency: input.max_concurrency ?? 0,
      tokens_per_minute: input.tokens_per_minute ?? 0,
    }),
  );
  return userView(requireUser(await userById(ctx.db, id), String(id)));
};

/** Administrators can only assign roles below their own. @throws AppError `permission_denied`. */
function requireLowerRole(actor: Actor, role: number): void {
  if (role >= roleOf(actor)) throw new AppError('permission_denied', {}, { param: 'role' });
}

export const edit: Calls['edit'] = async (ctx, actor, input) => {
  const { id, quota, password, role, language, ...sent } = input;
  if (role !== undefined && !isSuperAdmin(roleOf(actor))) requireLowerRole(actor, role);
  if (sent.group !== undefined) requireGroup(ctx, sent.group);
  const hash = password ? await hashPassword(password) : undefined;
  const after = await changeUser(ctx, id, async (ctx, user) => {
    requireManaged(actor, user);
    requireKnownIdentities(user, sent);
    if (sent.username !== undefined && sent.username !== user.username)
      await requireFreeUsername(ctx, sent.username, id);
    if (sent.email) await requireFreeEmail(ctx, sent.email, id);
    const setting =
      language === undefined ? {} : { setting: settingWithLanguage(user.setting, language) };
    const fields = differingFields<UserFields>(user, { ...sent, ...setting });
    await updateUser(ctx.db, id, hash === undefined ? fields : { ...fields, password: hash });
    if (hash !== undefined) await endSessions(ctx.db, id);
    if (quota !== undefined) await changeBalance(ctx, actor, user, { mode: 'set', units: quota });
    const { setting: isLanguageNew, ...named } = fields;
    const names = [
      ...Object.keys(named),
      ...(isLanguageNew === undefined ? [] : ['language']),
      ...(hash === undefined ? [] : ['password']),
    ];
    if (names.length === 0) return;
    await recordAction(ctx, actor, {
      action: 'user_edit',
      event: { event: 'account_changed', params: { fields: names } },
      user,
      facts: { fields: names },
    });
  });
  return userView(after);
};

/** A link to an identity proves that its owner signed in there. */
function requireKnownIdentities(user: UserRow, sent: ProviderIds): void {
  for (const column of IDENTITY_COLUMNS)
    if (sent[column] && sent[column] !== user[column])
      throw invalidInput(column, 'identity_of_owner');
}

export const setQuota: Calls['setQuota'] = (ctx, actor, { id, ...change }) =>
  writing(ctx, async (ctx) => {
    const user = requireOpenAccount(await lockUser(ctx.db, id), String(id));
    requireManaged(actor, user);
    const changed = await changeBalance(ctx, actor, user, change);
    if (changed.before !== changed.after) await announceChange(ctx.db, 'users', id);
    return changed;
  });

const ACTIONS = {
  enable: { event: 'account_enabled', fields: { status: USER_STATUS.enabled } },
  disable: { event: 'account_disabled', fields: { status: USER_STATUS.banned } },
  promote: { event: 'account_promoted', fields: { role: ROLES.admin } },
  demote: { event: 'account_demoted', fields: { role: ROLES.user } },
  delete: { event: 'account_deleted', fields: {} },
} as const satisfies Readonly<Record<ManageAction, { event: EventCode; fields: UserFields }>>;

export const topUp: Calls['topUp'] = (ctx, actor, { user_id, quota, key }, visit) =>
  setQuota(ctx, actor, { id: user_id, mode: 'add', units: quota, key }, visit);

export const manage: Calls['manage'] = async (ctx, actor, { action, ...named }) => {
  const id = named.id ?? (await userByName(ctx.reads, named.username ?? ''))?.id ?? 0;
  const user = await changeUser(ctx, id, async (ctx, user) => {
    requireManaged(actor, user);
    const fields = differingFields<UserFields>(user, ACTIONS[action].fields);
    if (action !== 'delete' && Object.keys(fields).length === 0) return;
    if (isOwnAccount(actor, id) || !mayAct(action, roleOf(actor), user.role))
      throw protectedUserError(user);
    await updateUser(ctx.db, id, fields);
    if (action === 'delete') await closeAccount(ctx, id);
    else if (action !== 'enable') await endSessions(ctx.db, id);
    await recordAction(ctx, actor, {
      action: `user_${action}`,
      event: { event: ACTIONS[action].event },
      user,
    });
  });
  return { id, username: user.username, role: user.role, status: user.status };
};

export const remove: Calls['remove'] = async (ctx, actor, { id }, visit) => {
  await manage(ctx, actor, { id, action: 'delete' }, visit);
};

/** Changing one's own password requires the current one and keeps this browser signed in. */
export const setPassword: Calls['setPassword'] = async (ctx, actor, input, visit) => {
  const isOwn = isOwnAccount(actor, input.id);
  if (isOwn)
    await requireOwnerProof(ctx, actor, visit, {
      password: input.original_password,
      field: 'original_password',
    });
  const password = await hashPassword(input.password);
  await changeUser(ctx, input.id, async (ctx, user) => {
    requireOwnOrManaged(actor, user);
    await updateUser(ctx.db, user.id, { password });
    await endSessions(ctx.db, user.id);
    await recordAction(ctx, actor, {
      action: 'user_password',
      event: { event: 'password_changed' },
      user,
    });
  });
  if (isOwn && visit.via === 'session') await startSession(ctx, visit, input.id);
};

/** Only for super admins, for any user: the token's holder can act as that user. */
export const newAccessToken: Calls['newAccessToken'] = async (ctx, actor, { id }) => {
  if (!isSuperAdmin(roleOf(actor))) throw new AppError('permission_denied');
  return replaceAccessToken(ctx, actor, id);
};
