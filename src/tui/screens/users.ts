/** Users: who may call, with what balance. */

import { type ManageAction, mayAct, ROLES, roleWord } from '../../domain/roles.ts';
import { numberOf, USER_STATUS, wordOf } from '../../domain/statuses.ts';
import { oneLine } from '../../session/text.ts';
import type { Line } from '../model/line.ts';
import { confirmLoss, each, editedFields, field, hint, namesText } from './acts.ts';
import type { Action, Desk, Reader, Screen, User } from './screen.ts';
import {
  agoShown,
  facts,
  money,
  numberText,
  statusFilter,
  statusShown,
  timeText,
} from './words.ts';

const ROLE_WORDS: Readonly<Record<string, number>> = { ...ROLES, super: ROLES.super_admin };

export function usersScreen(reader: Reader): Screen<User> {
  const { t, role } = reader;
  return {
    name: 'users',
    role: ROLES.admin,
    everyMs: 5000,
    path: '/admin/users',
    columns: [
      {
        key: 'id',
        width: 5,
        align: 'right',
        shown: ({ id }) => ({ text: String(id) }),
        order: ({ id }) => id,
      },
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
      { key: 'status', width: 8, shown: (user) => statusShown(stateOf(user), reader) },
      { key: 'group', width: 8, grow: 1, drop: 3, shown: ({ group }) => ({ text: group }) },
      {
        key: 'quota',
        width: 11,
        align: 'right',
        shown: ({ quota }) => ({ text: money(quota, reader), tone: quota <= 0 ? 'warn' : 'plain' }),
        order: ({ quota }) => quota,
      },
      {
        key: 'used',
        width: 10,
        align: 'right',
        shown: ({ used_quota }) => ({ text: money(used_quota, reader) }),
        order: ({ used_quota }) => used_quota,
      },
      {
        key: 'requests',
        width: 9,
        align: 'right',
        drop: 4,
        shown: ({ request_count }) => ({ text: numberText(request_count) }),
        order: ({ request_count }) => request_count,
      },
      {
        key: 'seen',
        width: 7,
        drop: 2,
        shown: ({ last_login_time }) => agoShown(last_login_time, reader),
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
    detail: (user) => detailOf(user, reader),
  };
}

/** A closed account has no status of its own. */
function stateOf(user: User): string {
  return user.DeletedAt === null ? statusWord(USER_STATUS, user.status) : 'deleted';
}

function detailOf(user: User, reader: Reader): readonly Line[] {
  const { t } = reader;
  const name = (key: string) => t(`tui.columns.${key}`);
  return [
    [
      { text: `${user.username} (#${user.id})`, tone: 'strong' },
      { text: `   ${oneLine(user.display_name)}` },
    ],
    ...facts([
      [name('role'), t(`tui.roles.${roleWord(user.role)}`)],
      [name('status'), statusShown(stateOf(user), reader)],
      [name('group'), user.group],
      [name('email'), user.email],
      [name('quota'), money(user.quota, reader)],
      [name('held'), user.held > 0 ? money(user.held, reader) : ''],
      [name('used'), money(user.used_quota, reader)],
      [name('requests'), numberText(user.request_count)],
      [name('invited'), user.aff_count > 0 ? String(user.aff_count) : ''],
      [name('created'), timeText(user.created_time)],
      [name('seen'), timeText(user.last_login_time)],
    ]),
  ];
}

const ACTIONS: readonly Action<User>[] = [
  { key: 'a', name: 'add', writes: true, on: 'none', run: add },
  { key: 'e', name: 'edit', writes: true, on: 'row', run: edit },
  { key: 'v', name: 'editor', writes: true, on: 'row', run: editInEditor },
  {
    key: 'P',
    name: 'promote',
    writes: true,
    on: 'rows',
    role: ROLES.super_admin,
    run: (desk, rows) => manage(desk, rows, 'promote'),
  },
  {
    key: 'M',
    name: 'demote',
    writes: true,
    on: 'rows',
    role: ROLES.super_admin,
    run: (desk, rows) => manage(desk, rows, 'demote'),
  },
  {
    key: 'E',
    name: 'enable',
    writes: true,
    on: 'rows',
    run: (desk, rows) => manage(desk, rows, 'enable'),
  },
  {
    key: 'D',
    name: 'ban',
    writes: true,
    on: 'rows',
    run: (desk, rows) => manage(desk, rows, 'disable'),
  },
  {
    key: '+',
    name: 'add_quota',
    writes: true,
    on: 'row',
    run: (desk, [row]) => changeQuota(desk, row, 1),
  },
  {
    key: '-',
    name: 'take_quota',
    writes: true,
    on: 'row',
    run: (desk, [row]) => changeQuota(desk, row, -1),
  },
  { key: 'delete', name: 'delete', writes: true, on: 'rows', run: remove },
  {
    key: 'y',
    name: 'copy_id',
    on: 'row',
    run: (desk, [row]) => row && desk.copy(String(row.id), row.username),
  },
  {
    key: 'l',
    name: 'logs',
    on: 'row',
    run: (desk, [row]) => row && desk.go('logs', `user:${row.username}`),
  },
];

async function add(desk: Desk): Promise<void> {
  const fields = [
    field(desk, 'name'),
    field(desk, 'password', '', { secret: true, ...hint(desk, 'password') }),
    field(desk, 'display_name'),
    field(desk, 'email'),
    field(desk, 'group', 'default'),
    field(desk, 'quota', '', hint(desk, 'quota')),
  ];
  const isMade = await desk.form(desk.t('tui.dialog.add_user'), fields, async (values) => {
    const { name = '', password = '', display_name, email, group } = values;
    const quota = usdOf(desk, values.quota);
    await desk.api.user.create({ username: name, password, display_name, email, group, quota });
  });
  if (isMade) desk.refresh();
}

async function edit(desk: Desk, [row]: readonly User[]): Promise<void> {
  if (row === undefined) return;
  const fields = [
    field(desk, 'name', row.username),
    field(desk, 'display_name', row.display_name),
    field(desk, 'password', '', { secret: true, ...hint(desk, 'password_kept') }),
    field(desk, 'email', row.email),
    field(desk, 'group', row.group),
  ];
  const title = desk.t('tui.dialog.edit', { name: row.username });
  const isSaved = await desk.form(title, fields, async (values) => {
    const { name, display_name, password, email, group } = values;
    await desk.api.user.edit({ id: row.id, username: name, display_name, password, email, group });
  });
  if (isSaved) desk.refresh();
}

function usdOf({ values, reader }: Desk, usd: string | undefined): number | undefined {
  return usd === undefined || usd === '' ? undefined : values.units({ usd }, reader.quotaPerUnit);
}

async function editInEditor(desk: Desk, [row]: readonly User[]): Promise<void> {
  if (row === undefined) return;
  const { username, display_name, email, group } = row;
  const fields = { username, display_name, email, group };
  const changed = await editedFields(desk, `${username} (#${row.id})`, fields);
  if (changed === undefined) return;
  await desk.api.user.edit({ ...changed, id: row.id });
  desk.refresh();
}

/** Promotions, demotions and bans ask: they change what a person may do at once. */
async function manage(desk: Desk, rows: readonly User[], action: ManageAction): Promise<void> {
  const able = rows.filter(
    (row) => row.DeletedAt === null && mayAct(action, desk.reader.role, row.role),
  );
  if (able.length === 0) return desk.say(desk.t('tui.say.not_possible'), 'warn');
  if (action !== 'enable' && !(await isSure(desk, able, action))) return;
  await each(able, ({ id }) => desk.api.user.manage({ id, action }));
  desk.say(desk.t('tui.say.changed', { count: able.length }), 'good');
  desk.refresh();
}

function isSure(desk: Desk, rows: readonly User[], action: string): Promise<boolean> {
  const names = rows.map(({ username }) => username);
  return desk.confirm({
    title: desk.t(`tui.dialog.${action}_users`, { count: rows.length }),
    body: [namesText(names, desk), desk.t(`tui.loses.${action}_users`)],
    verb: desk.t(`tui.dialog.${action}_verb`),
  });
}

async function changeQuota(desk: Desk, row: User | undefined, sign: 1 | -1): Promise<void> {
  if (row === undefined) return;
  const { t, reader } = desk;
  const title = `${row.username}  ${t('tui.columns.quota')} ${money(row.quota, reader)}`;
  const label = t(sign > 0 ? 'tui.dialog.add_usd' : 'tui.dialog.take_usd');
  const text = await desk.ask({ title, label });
  if (text === undefined || text.trim() === '') return;
  const units = (desk.values.units({ usd: text }, reader.quotaPerUnit) ?? 0) * sign;
  // Of this one answer: a request that is sent again by the way pays once.
  const key = `tui:${row.id}:${reader.nowMs()}`;
  const { after } = await desk.api.user.setQuota({ id: row.id, mode: 'add', units, key });
  desk.say(t('tui.say.quota', { name: row.username, quota: money(after, reader) }), 'good');
  desk.refresh();
}

async function remove(desk: Desk, rows: readonly User[]): Promise<void> {
  const names = rows.map(({ username }) => username);
  if (!(await confirmLoss(desk, 'users', names, desk.t('tui.loses.users')))) return;
  await each(rows, ({ id }) => desk.api.user.remove({ id }));
  desk.say(desk.t('tui.say.deleted', { count: rows.length }), 'good');
  desk.refresh();
}
