/** The users screen: accounts and their balances. */
import { type ManageAction, mayAct, ROLES, roleWord } from '../../domain/roles.ts';
import { statusNumber, statusWord, USER_STATUS } from '../../domain/statuses.ts';
import { numberText } from '../../domain/text/number-text.ts';
import { oneLine } from '../../session/text.ts';
import { column, numberColumn, UNTITLED } from '../model/columns.ts';
import { budgetsAction } from './budgets.ts';
import { agoShown, money, statusFilter, statusShown, timeText, usd } from './format.ts';
import type { Action, ActionContext, Screen, User, Viewer } from './screen.ts';
import { type Commands, formActions, setting } from './settings.ts';
import {
  change,
  deleteAction,
  namesText,
  rowAction,
  rowChange,
  runEach,
} from './shared-actions.ts';

const ROLE_WORDS: Readonly<Record<string, number>> = { ...ROLES, super: ROLES.super_admin };

export function usersScreen(viewer: Viewer): Screen<User> {
  const { t } = viewer;
  return {
    name: 'users',
    role: ROLES.admin,
    everyMs: 5000,
    path: '/admin/users',
    columns: [
      numberColumn('id', 5, ({ id }) => id, String, UNTITLED),
      column('name', 12, ({ username }) => username, { grow: 1, ...UNTITLED }),
      column('display_name', 12, (user) => user.display_name, { grow: 1, drop: 1, ...UNTITLED }),
      column('role', 7, roleShown, { order: ({ role }) => role }),
      column('status', 8, (user) => statusShown(stateOf(user), viewer)),
      column('group', 8, ({ group }) => group, { grow: 1, drop: 3 }),
      column('email', 0, ({ email }) => email),
      numberColumn('quota', 11, ({ quota }) => quota, quotaShown),
      column('held', 0, ({ held }) => (held > 0 ? money(held, viewer) : '')),
      numberColumn('used', 10, ({ used_quota }) => used_quota, usd(viewer)),
      numberColumn('requests', 9, ({ request_count }) => request_count, numberText, { drop: 4 }),
      column('invited', 0, ({ aff_count }) => (aff_count > 0 ? String(aff_count) : '')),
      column('created', 0, ({ created_time }) => timeText(created_time)),
      column('seen', 7, ({ last_login_time }) => agoShown(last_login_time, viewer), {
        drop: 2,
        full: ({ last_login_time }) => timeText(last_login_time),
        order: ({ last_login_time }) => -last_login_time,
      }),
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
    actions: ACTIONS,
    read: (api, page, query) => api.user.list({ ...page, ...query }),
    heading: ({ total }) => [{ text: t('tui.heading.users', { count: total }) }],
    head: ({ id, username, display_name }) => [
      [{ text: `${username} (#${id})`, tone: 'strong' }, { text: `   ${oneLine(display_name)}` }],
    ],
  };

  function quotaShown(quota: number) {
    return { text: money(quota, viewer), tone: quota <= 0 ? 'warn' : 'plain' } as const;
  }

  function roleShown({ role }: User) {
    const tone = role >= ROLES.admin ? 'info' : 'plain';
    return { text: t(`tui.roles.${roleWord(role)}`), tone } as const;
  }
}

/** A deleted account has no status of its own. */
function stateOf(user: User): string {
  return user.DeletedAt === null ? statusWord(USER_STATUS, user.status) : 'deleted';
}

const PASSWORD = {
  fresh: '',
  hint: 'password',
  editHint: 'password_kept',
  isSecret: true,
  verb: 'passwd',
} as const;

const COMMANDS: Commands<User> = {
  command: 'user',
  nameOf: ({ username }) => username,
  get: (api, id) => api.user.get({ id }),
  settings: [
    setting('--username', 'name', ({ username }) => username, { fresh: '' }),
    setting('--password-stdin', 'password', () => '', PASSWORD),
    setting('--display-name', 'display_name', ({ display_name }) => display_name, { fresh: '' }),
    setting('--email', 'email', ({ email }) => email, { fresh: '' }),
    setting('--group', 'group', ({ group }) => group, { fresh: 'default' }),
    setting('--usd', 'quota', undefined, { fresh: '', hint: 'quota' }),
  ],
};

const superAdmin = { role: ROLES.super_admin };

const ACTIONS: readonly Action<User>[] = [
  ...formActions(COMMANDS, { title: 'tui.dialog.add_user' }),
  change('P', 'promote', 'rows', (context, rows) => manage(context, rows, 'promote'), superAdmin),
  change('M', 'demote', 'rows', (context, rows) => manage(context, rows, 'demote'), superAdmin),
  change('E', 'enable', 'rows', (context, rows) => manage(context, rows, 'enable')),
  change('D', 'ban', 'rows', (context, rows) => manage(context, rows, 'disable')),
  rowChange('+', 'add_quota', (context, row) => changeQuota(context, row, 1)),
  rowChange('-', 'take_quota', (context, row) => changeQuota(context, row, -1)),
  deleteAction({ ...COMMANDS, noun: 'users' }),
  rowAction('y', 'copy_id', (context, row) => context.copy(String(row.id), row.username)),
  budgetsAction('user', ({ username }) => username),
  rowAction('l', 'logs', (context, row) => context.go('logs', `user:${row.username}`)),
];

/** Promotions, demotions and bans take effect at once, so they need a confirmation. */
async function manage(
  context: ActionContext,
  rows: readonly User[],
  action: Exclude<ManageAction, 'delete'>,
): Promise<void> {
  const { t, viewer } = context;
  const able = rows.filter(
    (row) => row.DeletedAt === null && mayAct(action, viewer.role, row.role),
  );
  const count = able.length;
  if (count === 0) return context.showMessage(t('tui.messages.not_possible'), 'warn');
  if (action !== 'enable') {
    const names = able.map(({ username }) => username);
    const isSure = await context.confirm({
      title: t(`tui.dialog.${action}_users`, { count }),
      body: [namesText(names, context), t(`tui.loses.${action}_users`, { count })],
      verb: t(`tui.dialog.${action}_verb`),
    });
    if (!isSure) return;
  }
  await runEach(context, able, ['user', action], 'changed');
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
  const facts = { name: row.username, quota: money(after, viewer) };
  context.showMessage(t('tui.messages.quota', facts), 'good');
  context.refresh();
}
