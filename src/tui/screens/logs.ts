/** The usage log, newest first; follow mode shows each call as it ends. */

import { inputTokensOf } from '../../domain/logs/claude-facts.ts';
import { readFacts } from '../../domain/logs/log-facts.ts';
import { balanceChangeOf, LOG_TYPE, logTypeOf, logTypeWord } from '../../domain/logs/log-types.ts';
import { countText } from '../../domain/pricing/quota-text.ts';
import { isAdmin, ROLES } from '../../domain/roles.ts';
import { numberText } from '../../domain/text/number-text.ts';
import { oneLine } from '../../session/text.ts';
import type { Values } from '../../session/values.ts';
import { type CellText, type Column, column, numberColumn, UNTITLED } from '../model/columns.ts';
import type { ServerFilters } from '../model/filter.ts';
import type { Line, Tone } from '../model/line.ts';
import { balanceChange, money, shortTime, timeText } from './format.ts';
import { durations, logHead, timingText } from './log-detail.ts';
import type { Action, ActionContext, Log, LogStat, Screen, Viewer } from './screen.ts';
import { action, rowAction } from './shared-actions.ts';

const TAIL_BATCH = 500;
/** Sums over a busy log are expensive, and the server allows a client one call per second. */
const STAT_EVERY_MS = 15_000;

/** Cache of entered times per session; a dropped one is resolved again. */
const MAX_MOMENTS = 100;

const TONES: Readonly<Record<string, Tone>> = {
  consume: 'good',
  error: 'bad',
  top_up: 'info',
  check_in: 'info',
  refund: 'info',
  admin: 'warn',
  system: 'dim',
};

export function logsScreen(viewer: Viewer, values: Values): Screen<Log> {
  const { role, memory } = viewer;
  const isForAll = isAdmin(role);
  let countedFor = '';
  let countedAtMs = 0;
  /** Of all rows that were read: one that is older than the loaded rows is not kept. */
  let newest = 0;
  return {
    name: 'logs',
    role: ROLES.user,
    everyMs: 2000,
    path: '/app/logs/api-usage',
    below: true,
    columns: columnsOf(viewer),
    filters: filtersOf(isForAll, values),
    id: byId,
    actions: actionsOf(viewer),
    read(api, page, query) {
      const list = isForAll ? api.log.list : api.log.listOwn;
      return list({ ...page, ...query, language: viewer.language });
    },
    ...(isForAll && {
      async readNewer(api, rows, query) {
        const fresh: Log[] = [];
        newest = newestId(rows, newest);
        for (;;) {
          const page = { language: viewer.language, after: newest, limit: TAIL_BATCH };
          const batch = await api.log.tail({ ...query, ...page });
          fresh.push(...batch);
          newest = newestId(batch, newest);
          if (batch.length < TAIL_BATCH) return fresh;
        }
      },
      compare: newerFirst,
    }),
    async readExtras(api, _rows, query) {
      const queryKey = JSON.stringify(query);
      if (queryKey === countedFor && viewer.nowMs() - countedAtMs < STAT_EVERY_MS) return;
      memory.logStat = await (isForAll ? api.log.stat : api.log.statOwn)(query);
      countedFor = queryKey;
      countedAtMs = viewer.nowMs();
    },
    heading: ({ total }) => headingOf(total, viewer),
    head: (log) => logHead(log, viewer),
  };
}

function filtersOf(isForAll: boolean, values: Values): ServerFilters {
  const moments = new Map<string, number>();
  /** A relative time is resolved when entered, so that it does not move with every read. */
  const moment = (name: string) => (text: string) => {
    const known = moments.get(name + text);
    if (known !== undefined) return { [name]: known };
    try {
      const sec = values.since(name, text);
      if (moments.size >= MAX_MOMENTS) moments.clear();
      moments.set(name + text, sec);
      return { [name]: sec };
    } catch {
      // Not yet a valid time: the user is still typing.
      return undefined;
    }
  };
  return {
    type: (word) => {
      const type = logTypeOf(word);
      return type === undefined ? undefined : { type };
    },
    ...(isForAll && {
      user: (username) => (username === '*' ? {} : { username }),
      channel: (id) => (/^\d+$/.test(id) ? { channel: Number(id) } : undefined),
    }),
    token: (token_name) => ({ token_name }),
    model: (model_name) => ({ model_name }),
    group: (group) => ({ group }),
    request: (request_id) => ({ request_id }),
    ip: (client_ip) => ({ client_ip }),
    since: moment('since'),
    until: moment('until'),
  };
}

function columnsOf(viewer: Viewer): readonly Column<Log>[] {
  const { t, role } = viewer;
  const tokens = (n: number) => (n > 0 ? numberText(n) : '-');
  const typeShown = (word: string): CellText => {
    return { text: t(`tui.log_types.${word}`), tone: TONES[word] ?? 'plain' };
  };
  const columns: readonly (Column<Log> & { readonly isForAll?: true })[] = [
    column('time', 11, (log) => ({ text: shortTime(log.created_at, viewer), tone: 'dim' }), {
      full: ({ created_at }) => timeText(created_at),
      order: ({ created_at }) => created_at,
    }),
    column('type', 5, ({ type }) => typeShown(logTypeWord(type)), UNTITLED),
    { ...column('user', 10, ({ username }) => username, { grow: 1, ...UNTITLED }), isForAll: true },
    column('token', 10, ({ token_name }) => token_name, { grow: 1, drop: 3, ...UNTITLED }),
    column('model', 14, ({ model_name }) => model_name, { grow: 2, ...UNTITLED }),
    column('group', 0, ({ group }) => group, UNTITLED),
    column('duration', 10, (log) => durations(log).filter(Boolean).join('/'), {
      drop: 5,
      full: (log) => timingText(log, viewer),
      order: ({ use_time_ms }) => use_time_ms,
    }),
    column('stream', 1, ({ is_stream }) => (is_stream ? 'S' : ''), { drop: 2, ...UNTITLED }),
    numberColumn('in', 8, (log) => inputTokensOf(log, readFacts(log.other)), tokens, {
      drop: 4,
      ...UNTITLED,
    }),
    numberColumn('out', 7, ({ completion_tokens }) => completion_tokens, tokens, {
      drop: 4,
      ...UNTITLED,
    }),
    numberColumn(
      'cost',
      10,
      ({ type, quota }) => balanceChangeOf(type, quota).units,
      (units) => (units === 0 ? '-' : balanceChange(units, viewer)),
      UNTITLED,
    ),
    {
      ...column('channel', 6, ({ channel }) => (channel > 0 ? `ch ${channel}` : ''), {
        drop: 6,
        full: ({ channel, channel_name }) => (channel > 0 ? `#${channel} ${channel_name}` : ''),
        order: ({ channel }) => channel,
      }),
      isForAll: true,
    },
    column('usage_source', 0, ({ usage_source }) => usage_source),
    column('request', 0, ({ request_id }) => request_id),
    column('ip', 0, ({ client_ip }) => client_ip ?? ''),
    column('content', 10, contentShown, { grow: 3, drop: 1, ...UNTITLED }),
  ];
  return columns.filter((each) => !each.isForAll || isAdmin(role));
}

function contentShown({ type, content }: Log): CellText {
  return { text: oneLine(content), tone: type === LOG_TYPE.error ? 'bad' : 'dim' };
}

function newestId(rows: readonly Log[], least: number): number {
  return rows.reduce((newest, { id }) => Math.max(newest, id), least);
}

/** The order of ids differs from that of times after an import. */
function newerFirst(one: Log, other: Log): number {
  return other.created_at - one.created_at || other.id - one.id;
}

const byId = ({ id }: { readonly id: number }) => id;

function headingOf(total: number, viewer: Viewer): Line {
  const { t, memory } = viewer;
  return [
    { text: t('tui.heading.logs', { count: numberText(total) }) },
    { text: memory.follow ? `  ${t('tui.heading.follow')}` : '', tone: 'good' },
    { text: memory.logStat ? sumsText(memory.logStat, viewer) : '', tone: 'dim' },
  ];
}

function sumsText({ quota, token_input, token_output }: LogStat, viewer: Viewer): string {
  const counts = { in: countText(token_input), out: countText(token_output) };
  return `  ${money(quota, viewer)}  ${viewer.t('tui.heading.tokens_in_out', counts)}`;
}

function actionsOf({ role, memory }: Viewer): readonly Action<Log>[] {
  return [
    action('f', 'follow', 'none', (context) => {
      memory.follow = !memory.follow;
      context.refresh();
    }),
    rowAction('R', 'raw', (context, row) => showRaw(context, row, role)),
    rowAction('y', 'copy_id', (context, row) => context.copy(row.request_id, row.request_id)),
    rowAction('l', 'logs_user', (context, row) => context.go('logs', `user:${row.username}`), {
      role: ROLES.admin,
    }),
  ];
}

async function showRaw(context: ActionContext, log: Log, role: number): Promise<void> {
  const { detail, detailOwn } = context.api.log;
  const whole = await (isAdmin(role) ? detail : detailOwn)({ id: log.id });
  await context.page(`#${log.id}`, JSON.stringify(whole, null, 2));
}
