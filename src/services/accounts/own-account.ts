/** The current user's own account. */
import type * as z from 'zod/mini';
import type { accountCalls, Self } from '../../api/accounts/account.ts';
import { type Actor, pageWindow, type Service, toPage, type Visit } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { differingFields } from '../../domain/defined-fields.ts';
import { AppError } from '../../domain/errors/errors.ts';
import {
  AUTO_GROUP,
  autoGroupsOf,
  type GroupOptions,
  isAutoGroup,
  usableGroups,
} from '../../domain/groups.ts';
import { isSuperAdmin } from '../../domain/roles.ts';
import { storedText } from '../../locales/event-text.ts';
import { alertStates } from '../../store/tables/alert-states-table.ts';
import { sessionStart, sessionsOf } from '../../store/tables/sessions-table.ts';
import {
  endSessions as endSessionsOf,
  hasAccessToken,
  passwordHashOf,
  type UserFields,
  updateUser,
  userById,
} from '../../store/tables/users-table.ts';
import { protectedUserError, requireOpenAccount } from '../access/account-access.ts';
import { callableModels } from '../billing/listed-models.ts';
import { writing } from '../cluster/announced-write.ts';
import { requireOwnerProof } from '../credentials/owner-proof.ts';
import { hashPassword } from '../credentials/passwords.ts';
import { endAllSessions, endSession, startSession } from '../credentials/sessions.ts';
import { ownerAudience, ownId, recordAction } from '../logs/audit.ts';
import { userSubject } from '../messaging/notify/targets.ts';
import { replaceAccessToken } from './access-tokens.ts';
import { requireFreeUsername } from './new-account.ts';
import { changeUser, closeAccount, userView } from './user-changes.ts';
import { settingView } from './user-settings.ts';

type Calls = Service<typeof accountCalls, Context>;

const SHOWN_SESSION_ID = 16;

export const self: Calls['self'] = (ctx, actor, _input, visit) =>
  shownSelf(ctx, ownId(actor), visit);

async function shownSelf(
  ctx: Context,
  id: number,
  { language }: Visit,
): Promise<z.input<typeof Self>> {
  const user = requireOpenAccount(await userById(ctx.db, id), String(id));
  const has_password = (await passwordHashOf(ctx.db, id)) !== '';
  const has_access_token = await hasAccessToken(ctx.db, id);
  const [failing] = await alertStates(ctx.reads, 'receiver', [userSubject(id)]);
  return {
    ...userView(user),
    ...settingView(user.setting),
    has_password,
    has_access_token,
    notice_failing_since: failing?.since_at ?? 0,
    notice_failure: storedText(failing?.note ?? '', ownerAudience(ctx, language)),
  };
}

/** A password change ends the other sessions; this browser gets a new one. */
export const editSelf: Calls['editSelf'] = async (ctx, actor, input, visit) => {
  const id = ownId(actor);
  const hash = await newPasswordHash(ctx, actor, input, visit);
  const sent = {
    ...(input.username ? { username: input.username } : {}),
    ...(input.display_name ? { display_name: input.display_name } : {}),
  };
  await changeUser(ctx, id, async (ctx, user) => {
    const fields = differingFields<UserFields>(user, sent);
    if (fields.username !== undefined) await requireMayRename(ctx, id, fields.username);
    const names = [...Object.keys(fields), ...(hash === undefined ? [] : ['password'])];
    if (names.length === 0) return;
    await updateUser(ctx.db, id, hash === undefined ? fields : { ...fields, password: hash });
    if (hash !== undefined) await endSessionsOf(ctx.db, id);
    await recordAction(ctx, actor, {
      action: 'user_edit',
      event: { event: 'account_changed', params: { fields: names } },
      user,
      facts: { fields: names },
    });
  });
  if (hash !== undefined && visit.via === 'session') await startSession(ctx, visit, id);
  return shownSelf(ctx, id, visit);
};

async function newPasswordHash(
  ctx: Context,
  actor: Actor,
  input: {
    readonly password?: string | undefined;
    readonly original_password?: string | undefined;
  },
  visit: Visit,
): Promise<string | undefined> {
  if (!input.password) return undefined;
  const { original_password: password } = input;
  await requireOwnerProof(ctx, actor, visit, { password, field: 'original_password' });
  return hashPassword(input.password);
}

async function requireMayRename(ctx: Context, id: number, username: string): Promise<void> {
  if (!ctx.options().get('UsernameChangeEnabled'))
    throw new AppError('username_change_off', {}, { param: 'username' });
  await requireFreeUsername(ctx, username, id);
}

/** A super admin cannot close their own account: the site could be left without one. */
export const closeSelf: Calls['closeSelf'] = async (ctx, actor, input, visit) => {
  const id = ownId(actor);
  await requireOwnerProof(ctx, actor, visit, { password: input.password });
  await changeUser(ctx, id, async (ctx, user) => {
    if (isSuperAdmin(user.role)) throw protectedUserError(user);
    await closeAccount(ctx, id);
    await recordAction(ctx, actor, {
      action: 'user_delete',
      event: { event: 'account_closed' },
      user,
    });
  });
  await endSession(ctx, visit);
};

export const offeredGroups: Calls['offeredGroups'] = async (ctx) => groupsFor(ctx, '');

export const groups: Calls['groups'] = async (ctx, actor) => groupsFor(ctx, groupOf(actor));

interface OfferedGroup {
  readonly ratio?: number;
  readonly desc: string;
}

function groupsFor(ctx: Context, group: string): Record<string, OfferedGroup> {
  const entries = usable(ctx, group).map(({ name, ratio, label }): [string, OfferedGroup] => [
    name,
    { ratio, desc: label },
  ]);
  const auto = autoGroupsOf(ctx.options().get('AutoGroups'), groupOptions(ctx), group);
  if (auto.length > 0) entries.push([AUTO_GROUP, { desc: auto.join(' → ') }]);
  return Object.fromEntries(entries);
}

function usable(ctx: Context, group: string) {
  return usableGroups(groupOptions(ctx), group);
}

function groupOptions({ options }: Context): GroupOptions {
  const now = options();
  return { ratios: now.get('GroupRatio'), labels: now.get('UserUsableGroups') };
}

export const models: Calls['models'] = (ctx, actor, { group, endpoint }) => {
  const auto = ctx.options().get('AutoGroups');
  const groups = isAutoGroup(auto, group ?? '')
    ? autoGroupsOf(auto, groupOptions(ctx), groupOf(actor))
    : group && [group];
  return callableModels(ctx, actor, { ...(groups && { groups }), endpoint });
};

function groupOf(actor: Actor): string {
  return actor.kind === 'user' ? actor.group : '';
}

export const newToken: Calls['newToken'] = (ctx, actor) =>
  replaceAccessToken(ctx, actor, ownId(actor));

export const endToken: Calls['endToken'] = async (ctx, actor) => {
  await changeUser(ctx, ownId(actor), async (ctx, user) => {
    await updateUser(ctx.db, user.id, { access_token_hash: null });
    await recordAction(ctx, actor, {
      action: 'user_access_token',
      event: { event: 'access_token_revoked' },
      user,
    });
  });
};

export const sessions: Calls['sessions'] = async (ctx, actor, input, visit) => {
  const window = pageWindow(input);
  const cookie = visit.cookies.get('session');
  const current = cookie === undefined ? '' : ctx.secrets.hash(cookie);
  const rows = await sessionsOf(ctx.reads, ownId(actor), nowSec(ctx));
  const shown = rows.map(({ id_hash, user_id: _, version: __, ...row }) => ({
    ...row,
    id: id_hash.slice(0, SHOWN_SESSION_ID),
    current: id_hash === current,
  }));
  const items = shown.slice(window.offset, window.offset + window.limit);
  return toPage(window, items, shown.length);
};

export const endSessions: Calls['endSessions'] = async (ctx, actor, input, visit) => {
  const id = ownId(actor);
  const cookie = visit.cookies.get('session');
  const signedInAt = cookie && (await sessionStart(ctx.db, ctx.secrets.hash(cookie)));
  await writing(ctx, (ctx) => endAllSessions(ctx, id));
  // Keeps the original sign-in time: a fresh one would make an old session look recent.
  if (input.keep_current && visit.via === 'session' && signedInAt)
    await startSession(ctx, visit, id, signedInAt);
  else await endSession(ctx, visit);
};

/**
 * Signs the user in again, so that actions that need a recent sign-in work without the password.
 */
export const confirm: Calls['confirm'] = async (ctx, actor, input, visit) => {
  const id = ownId(actor);
  await requireOwnerProof(ctx, actor, visit, input);
  await startSession(ctx, visit, id);
};
