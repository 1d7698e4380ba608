/** The API tokens screen: the caller's own tokens, or those of all users. */
import { isSuperAdmin, ROLES } from '../../domain/roles.ts';
import { statusWord, TOKEN_STATUS } from '../../domain/statuses.ts';
import { listText } from '../../locales/text.ts';
import { SNIPPETS, snippetOf } from '../../session/snippets.ts';
import { oneLine } from '../../session/text.ts';
import { column, numberColumn, UNTITLED } from '../model/columns.ts';
import { budgetsAction } from './budgets.ts';
import { endText, money, statusFilter, statusShown, timeText, untilText, usd } from './format.ts';
import type { Action, ActionContext, ListedToken, ReplyRow, Screen, Viewer } from './screen.ts';
import { type Commands, formActions, setting } from './settings.ts';
import { deleteAction, eachAction, rowAction } from './shared-actions.ts';

export function tokensScreen(viewer: Viewer): Screen<ListedToken> {
  const { t, isOperator, role, quotaPerUnit } = viewer;
  return {
    name: 'tokens',
    role: ROLES.user,
    everyMs: 5000,
    path: '/app/tokens',
    columns: [
      numberColumn('id', 5, ({ id }) => id, String, { drop: 3, ...UNTITLED }),
      column('name', 14, ({ name }) => name, { grow: 2, ...UNTITLED }),
      column('user', 12, ({ username }) => username, { drop: 4, ...UNTITLED }),
      column('status', 10, ({ status }) => statusShown(statusWord(TOKEN_STATUS, status), viewer)),
      numberColumn('used', 10, ({ used_quota }) => used_quota, usd(viewer)),
      column('left', 11, leftText, {
        align: 'right',
        order: (row) => (row.unlimited_quota ? Number.MAX_VALUE : row.remain_quota),
      }),
      column('held', 0, ({ held }) => (held > 0 ? money(held, viewer) : '')),
      column('expires', 9, ({ expired_time }) => untilText(expired_time, viewer), {
        full: ({ expired_time }) => endText(expired_time, viewer),
        order: ({ expired_time }) => (expired_time < 0 ? Number.MAX_VALUE : expired_time),
      }),
      column('group', 8, ({ group }) => group || '-', {
        grow: 1,
        drop: 2,
        full: (row) => row.group,
      }),
      column('models', 0, (row) =>
        row.model_limits_enabled ? row.model_limits : t('tui.words.all'),
      ),
      column('ips', 0, ({ allow_ips }) => listText(allow_ips.split('\n'), t)),
      column('rate', 0, rateText),
      column('created', 0, ({ created_time }) => timeText(created_time)),
      column('last_used', 0, ({ accessed_time }) => timeText(accessed_time)),
      column('key', 18, keyShown, { drop: 1 }),
    ],
    filters: {
      '*': (keyword) => ({ keyword }),
      status: statusFilter(TOKEN_STATUS),
      group: (group) => ({ group }),
      user(user) {
        if (user === '*' && isSuperAdmin(role)) return { everyone: true };
        return /^\d+$/.test(user) ? { user: Number(user) } : undefined;
      },
    },
    id: ({ id }) => id,
    actions: actionsOf(quotaPerUnit),
    read: (api, page, query) =>
      api.token.list({
        ...page,
        ...(isOperator && !('user' in query) && { everyone: true }),
        ...query,
      }),
    heading: ({ total }) => [
      { text: t(isOperator ? 'tui.heading.tokens' : 'tui.heading.tokens_own', { count: total }) },
    ],
    head: ({ id, name, username }) => [
      [{ text: `${oneLine(name)} (#${id})`, tone: 'strong' }, { text: `   ${username}` }],
    ],
  };

  function leftText({ unlimited_quota, remain_quota }: ListedToken): string {
    return unlimited_quota ? t('tui.words.unlimited') : money(remain_quota, viewer);
  }

  function keyShown({ id, key }: ListedToken) {
    const secret = viewer.revealed(id);
    return { text: secret ?? key, tone: secret === undefined ? 'dim' : 'warn' } as const;
  }
}

function rateText(row: ListedToken): string {
  return row.rate_limit_enabled ? `${row.rate_limit_count}/${row.rate_limit_period}s` : '';
}

const IPS = { fresh: '', hint: 'ips' };
const leftArgs = (value: string) => (value === 'unlimited' ? ['--unlimited'] : ['--usd', value]);
const rateArgs = (value: string) => ['--rate', value || '0/1m'];
const modelsOf = (row: ListedToken) => (row.model_limits_enabled ? row.model_limits : '');
const expiryOf = ({ expired_time: at }: ListedToken) => (at < 0 ? 'never' : at);

function commandsFor(quotaPerUnit: number): Commands<ListedToken> {
  const quotaLeft = ({ unlimited_quota, remain_quota }: ListedToken) =>
    unlimited_quota ? 'unlimited' : remain_quota / quotaPerUnit;
  return {
    command: 'token',
    nameOf: ({ name }) => name,
    get: (api, id) => api.token.get({ id }),
    settings: [
      setting('--name', 'name', ({ name }) => name, { fresh: '' }),
      setting('--usd', 'left', quotaLeft, { fresh: '1', hint: 'left', args: leftArgs }),
      setting('--expires', 'expires', expiryOf, { fresh: 'never', hint: 'expires' }),
      setting('--group', 'group', ({ group }) => group, { fresh: '' }),
      setting('--models', 'models', modelsOf, { fresh: '', hint: 'models_all' }),
      setting('--ips', 'ips', (row) => row.allow_ips.replaceAll('\n', ','), IPS),
      setting('--rate', 'rate', rateText, { isInEditor: true, args: rateArgs }),
    ],
  };
}

function actionsOf(quotaPerUnit: number): readonly Action<ListedToken>[] {
  const commands = commandsFor(quotaPerUnit);
  return [
    ...formActions(commands, { title: 'tui.dialog.add_token', done: showKey }),
    eachAction('E', ['token', 'enable'], 'enabled'),
    eachAction('D', ['token', 'disable'], 'disabled'),
    deleteAction({ ...commands, noun: 'tokens' }),
    rowAction('y', 'copy_key', async (context, { id, name }) =>
      context.copy((await context.api.token.reveal({ id })).key, name),
    ),
    rowAction('x', 'reveal', async (context, { id }) =>
      context.reveal(id, (await context.api.token.reveal({ id })).key),
    ),
    rowAction('i', 'snippet', snippet),
    budgetsAction('token', ({ name }) => name),
    rowAction('l', 'logs', (context, row) => context.go('logs', `token:"${row.name}"`)),
  ];
}

async function showKey(context: ActionContext, [made]: readonly ReplyRow[]): Promise<void> {
  if (made === undefined) return;
  const [name, key] = [String(made.name), String(made.key)];
  context.copy(key, name);
  await context.page(name, `${key}\n\n${context.t('cli.notes.shown_once')}`);
}

/** Client configuration with the key masked, because the page stays on the screen. */
async function snippet(context: ActionContext, row: ListedToken): Promise<void> {
  const url = await context.address();
  const model = row.model_limits_enabled ? (row.model_limits.split(',')[0] ?? '') : 'gpt-4o-mini';
  const texts = SNIPPETS.map(
    (form) => `# ${form}\n${snippetOf(form, { url, key: row.key, model })}`,
  );
  await context.page(row.name, texts.join('\n'));
}
