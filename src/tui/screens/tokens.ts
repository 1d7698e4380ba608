/** The API tokens screen: the caller's own tokens, or those of all users. */

import { isSuperAdmin, ROLES } from '../../domain/roles.ts';
import { statusWord, TOKEN_STATUS } from '../../domain/statuses.ts';
import { listText } from '../../locales/text.ts';
import { oneLine } from '../../session/text.ts';
import { numberColumn } from '../model/columns.ts';
import type { Line } from '../model/line.ts';
import {
  fieldLines,
  money,
  statusFilter,
  statusShown,
  timeText,
  untilText,
  usd,
} from './format.ts';
import type { ListedToken, Screen, Viewer } from './screen.ts';
import { TOKEN_ACTIONS } from './token-actions.ts';

export function tokensScreen(viewer: Viewer): Screen<ListedToken> {
  const { t, isOperator, role } = viewer;
  return {
    name: 'tokens',
    role: ROLES.user,
    everyMs: 5000,
    path: '/app/tokens',
    columns: [
      numberColumn('id', 5, ({ id }) => id, String, { drop: 3 }),
      { key: 'name', width: 14, grow: 2, shown: ({ name }) => ({ text: oneLine(name) }) },
      { key: 'user', width: 12, drop: 4, shown: ({ username }) => ({ text: username }) },
      {
        key: 'status',
        width: 10,
        shown: ({ status }) => statusShown(statusWord(TOKEN_STATUS, status), viewer),
      },
      numberColumn('used', 10, ({ used_quota }) => used_quota, usd(viewer)),
      {
        key: 'left',
        width: 11,
        align: 'right',
        shown: (token) => ({ text: leftText(token, viewer) }),
        order: ({ unlimited_quota, remain_quota }) =>
          unlimited_quota ? Number.MAX_VALUE : remain_quota,
      },
      {
        key: 'expires',
        width: 9,
        shown: ({ expired_time }) => ({ text: untilText(expired_time, viewer) }),
        order: ({ expired_time }) => (expired_time < 0 ? Number.MAX_VALUE : expired_time),
      },
      { key: 'group', width: 8, grow: 1, drop: 2, shown: ({ group }) => ({ text: group || '-' }) },
      {
        key: 'key',
        width: 18,
        drop: 1,
        shown: ({ id, key }) => {
          const secret = viewer.revealed(id);
          return { text: secret ?? key, tone: secret === undefined ? 'dim' : 'warn' };
        },
      },
    ],
    filters: {
      '*': (keyword) => ({ keyword }),
      status: statusFilter(TOKEN_STATUS),
      group: (group) => ({ group }),
      user: (user) =>
        user === '*' && isSuperAdmin(role)
          ? { everyone: true }
          : /^\d+$/.test(user)
            ? { user: Number(user) }
            : undefined,
    },
    id: ({ id }) => id,
    extra: ({ model_limits }) => model_limits,
    actions: TOKEN_ACTIONS,
    async read(api, page, query) {
      const whose = isOperator && !('user' in query) ? { everyone: true } : {};
      const { items, total } = await api.token.list({ ...page, ...whose, ...query });
      return { items, total };
    },
    heading: ({ total }) => [
      { text: t(isOperator ? 'tui.heading.tokens' : 'tui.heading.tokens_own', { count: total }) },
    ],
    detail: (token) => detailOf(token, viewer),
  };
}

function leftText({ unlimited_quota, remain_quota }: ListedToken, viewer: Viewer): string {
  return unlimited_quota ? viewer.t('tui.words.unlimited') : money(remain_quota, viewer);
}

function detailOf(token: ListedToken, viewer: Viewer): readonly Line[] {
  const { t, revealed } = viewer;
  const secret = revealed(token.id);
  const { rate_limit_count: calls, rate_limit_period: period } = token;
  return [
    [
      { text: `${oneLine(token.name)} (#${token.id})`, tone: 'strong' },
      { text: `   ${token.username}` },
    ],
    ...fieldLines(viewer, [
      ['key', secret ?? token.key, secret ? 'warn' : 'plain'],
      ['status', statusShown(statusWord(TOKEN_STATUS, token.status), viewer)],
      ['left', leftText(token, viewer)],
      ['held', token.held > 0 ? money(token.held, viewer) : ''],
      ['used', money(token.used_quota, viewer)],
      ['expires', token.expired_time < 0 ? t('tui.words.never') : timeText(token.expired_time)],
      ['group', token.group],
      ['models', token.model_limits_enabled ? token.model_limits : t('tui.words.all')],
      ['ips', listText(token.allow_ips.split('\n'), t)],
      ['rate', token.rate_limit_enabled ? `${calls}/${period}s` : ''],
      ['created', timeText(token.created_time)],
      ['last_used', timeText(token.accessed_time)],
    ]),
  ];
}
