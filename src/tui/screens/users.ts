/** The users screen: accounts and their balances. */

import { type ManageAction, mayAct, ROLES, roleWord } from '../../domain/roles.ts';
import { statusNumber, statusWord, USER_STATUS } from '../../domain/statuses.ts';
import { numberText } from '../../domain/text/number-text.ts';
import { oneLine } from '../../session/text.ts';
import { numberColumn } from '../model/columns.ts';
import type { Line } from '../model/line.ts';
import { agoShown, fieldLines, money, statusFilter, statusShown, timeText, usd } from './format.ts';
import type { Action, ActionContext, Screen, User, Viewer } from './screen.ts';
import {
  change,
  deleteAction,
  editorAction,
  field,
  forEachInParallel,
  hint,
  namesText,
  rowAction,
  rowChange,
  saveForm,
  showDone,
} from './shared-actions.ts';

const ROLE_WORDS: Readonly<Record<string, number>> = { ...ROLES, super: ROLES.super_admin };

export function usersScreen(viewer: Viewer): Screen<User> {
  const { t, role } = viewer;
  return {
    name: 'users',
    role: ROLES.admin,
    everyMs: 5000,
    path: '/admin/users',
    columns: [
      numberColumn('id', 5, ({ id }) => id, String),
      { key: 'name', width: 12, grow: 1, shown: ({ username }) => ({ text: oneLine(username) }) },
      {
        key: 'display_name',
        width: 12,
        grow: 1,
        drop: 1,
        shown: ({ display_name }) => ({ text: oneLine(display_name) }),
      },
      {
        key: 'role',
        width: 7,
        shown: ({ role }) => ({
          text: t(`tui.roles.${roleWord(role)}`),
          tone: role >= ROLES.admin ? 'info' : 'plain',
        }),
        order: ({ role }) => role,
      },
      { key: 'status', width: 8, shown: (user) => statusShown(stateOf(user), viewer) },
      { key: 'group', width: 8, grow: 1, drop: 3, shown: ({ group }) => ({ text: group }) },
      {
        key: 'quota',
        width: 11,
        align: 'right',
        shown: ({ quota }) => ({ text: money(quota, viewer), tone: quota <= 0 ? 'warn' : 'plain' }),
        order: ({ quota }) => quota,
      },
      numberColumn('used', 10, ({ used_quota }) => used_quota, usd(viewer)),
      numberColumn('requests', 9, ({ request_count }) => request_count, numberText, { drop: 4 }),
      {
        key: 'seen',
        width: 7,
        drop: 2,
        shown: ({ last_login_time }) => agoShown(last_login_time, viewer),
        order: ({ last_login_time }) => -last_login_time,
      },
    ],
    filters: {
      '*': (keyword) => ({ keyword }),
      status: statusFilter(USER_STATUS),
      group: (group) => ({ group }),
      role: (word) => {
        const role = statusNumber(ROLE_WORDS, word);
        return role === undefined ? undefined : { role };
      },
    },
    id: ({ id }) => id,
    extra: ({ email }) => email,
    actions: ACTIONS.filter((action) => role >= (action.role ?? ROLES.admin)),
    async read(api, page, query) {
      const { items, total } = await api.user.list({ ...page, ...query });
      return { items, total };
    },
    heading: ({ total }) => [{ text: t('tui.heading.users', { count: total }) }],
    detail: (user) => detailOf(user, viewer),
  };
}

/** A deleted account has no status of its own. */
function stateOf(user: User): string {
  return user.DeletedAt === null ? statusWord(USER_STATUS, user.status) : 'deleted';
}

function detailOf(user: User, viewer: Viewer): readonly Line[] {
  const { t } = viewer;
  return [
    [
      { text: `${user.username} (#${user.id})`, tone: 'strong' },
      { text: `   ${oneLine(user.display_name)}` },
    ],
    ...fieldLines(viewer, [
      ['role', t(`tui.roles.${roleWord(user.role)}`)],
      ['status', statusShown(stateOf(user), viewer)],
      ['group', user.group],
      ['email', user.email],
      ['quota', money(user.quota, viewer)],
      ['held', user.held > 0 ? money(user.held, viewer) : ''],
      ['used', money(user.used_quota, viewer)],
      ['requests', numberText(user.request_count)],
      ['invited', user.aff_count > 0 ? String(user.aff_count) : ''],
      ['created', timeText(user.created_time)],
      ['seen', timeText(user.last_login_time)],
    ]),
  ];
}

const ACTIONS: readonly Action<User>[] = [
  change('a', 'add', 'none', add),
  rowChange('e', 'edit', edit),
  editorAction({
    nameOf: ({ username }) => username,
    fieldsOf: ({ username, display_name, email, group }) => ({
      username,
      display_name,
      email,
      group,
    }),
    save: (api, { id }, changed) => api.user.edit({ ...changed, id }),
  }),
  change('P', 'promote', 'rows', (context, rows) => manage(context, rows, 'promote'), {
    role: ROLES.super_admin,
  }),
  change('M', 'demote', 'rows', (context, rows) => manage(context, rows, 'demote'), {
    role: ROLES.super_admin,
  }),
  change('E', 'enable', 'rows', (context, rows) => manage(context, rows, 'enable')),
  change('D', 'ban', 'rows', (context, rows) => manage(context, rows, 'disable')),
  rowChange('+', 'add_quota', (context, row) => changeQuota(context, row, 1)),
  rowChange('-', 'take_quota', (context, row) => changeQuota(context, row, -1)),
  deleteAction({
    noun: 'users',
    nameOf: ({ username }) => username,
    remove: (api, ids) => forEachInParallel(ids, (id) => api.user.remove({ id })),
  }),
  rowAction('y', 'copy_id', (context, row) => context.copy(String(row.id), row.username)),
  rowAction('l', 'logs', (context, row) => context.go('logs', `user:${row.username}`)),
];

async function add(context: ActionContext): Promise<void> {
  const fields = [
    field(context, 'name'),
    field(context, 'password', '', { secret: true, ...hint(context, 'password') }),
    field(context, 'display_name'),
    field(context, 'email'),
    field(context, 'group', 'default'),
    field(context, 'quota', '', hint(context, 'quota')),
  ];
  await saveForm(context, context.t('tui.dialog.add_user'), fields, async (values) => {
    const { name = '', password = '', display_name, email, group } = values;
    const quota = usdOf(context, values.quota);
    await context.api.user.create({ username: name, password, display_name, email, group, quota });
  });
}

async function edit(context: ActionContext, row: User): Promise<void> {
  const fields = [
    field(context, 'name', row.username),
    field(context, 'display_name', row.display_name),
    field(context, 'password', '', { secret: true, ...hint(context, 'password_kept') }),
    field(context, 'email', row.email),
    field(context, 'group', row.group),
  ];
  const title = context.t('tui.dialog.edit', { name: row.username });
  await saveForm(context, title, fields, async ({ name: username, ...others }) => {
    await context.api.user.edit({ id: row.id, username, ...others });
  });
}

function usdOf({ t, values, viewer }: ActionContext, usd = ''): number | undefined {
  return usd === '' ? undefined : values.dollars(t('tui.columns.quota'), usd, viewer.quotaPerUnit);
}

/** Promotions, demotions and bans take effect at once, so they need a confirmation. */
async function manage(
  context: ActionContext,
  rows: readonly User[],
  action: ManageAction,
): Promise<void> {
  const able = rows.filter(
    (row) => row.DeletedAt === null && mayAct(action, context.viewer.role, row.role),
  );
  if (able.length === 0) return context.showMessage(context.t('tui.messages.not_possible'), 'warn');
  if (action !== 'enable' && !(await isSure(context, able, action))) return;
  await forEachInParallel(able, ({ id }) => context.api.user.manage({ id, action }));
  showDone(context, 'changed', able.length);
}

function isSure(context: ActionContext, rows: readonly User[], action: string): Promise<boolean> {
  const names = rows.map(({ username }) => username);
  const count = rows.length;
  return context.confirm({
    title: context.t(`tui.dialog.${action}_users`, { count }),
    body: [namesText(names, context), context.t(`tui.loses.${action}_users`, { count })],
    verb: context.t(`tui.dialog.${action}_verb`),
  });
}

async function changeQuota(context: ActionContext, row: User, sign: 1 | -1): Promise<void> {
  const { t, viewer } = context;
  const title = `${row.username}  ${t('tui.columns.quota')} ${money(row.quota, viewer)}`;
  const label = t(sign > 0 ? 'tui.dialog.add_usd' : 'tui.dialog.take_usd');
  const text = await context.ask({ title, label });
  if (text === undefined || text.trim() === '') return;
  const units = context.values.dollars(label, text, viewer.quotaPerUnit) * sign;
  // Idempotency key of this input: a retried request changes the quota only once.
  const key = `tui:${row.id}:${viewer.nowMs()}`;
  const { after } = await context.api.user.setQuota({ id: row.id, mode: 'add', units, key });
  context.showMessage(
    t('tui.messages.quota', { name: row.username, quota: money(after, viewer) }),
    'good',
  );
  context.refresh();
}
