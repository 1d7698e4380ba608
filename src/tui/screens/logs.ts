/** The usage log, newest first; follow mode shows each call as it ends. */

import { parsedFields } from '../../domain/json-fields.ts';
import { inputTokensOf } from '../../domain/logs/claude-facts.ts';
import { balanceChangeOf, LOG_TYPE, logTypeOf, logTypeWord } from '../../domain/logs/log-types.ts';
import { countText } from '../../domain/pricing/quota-text.ts';
import { isAdmin, ROLES } from '../../domain/roles.ts';
import { numberText } from '../../domain/text/number-text.ts';
import { oneLine } from '../../session/text.ts';
import type { Values } from '../../session/values.ts';
import { type Column, numberColumn } from '../model/columns.ts';
import type { ServerFilters } from '../model/filter.ts';
import type { Line, Tone } from '../model/line.ts';
import { balanceChange, money, secondsText, shortTime } from './format.ts';
import { logDetail } from './log-detail.ts';
import type { Action, ActionContext, Log, Screen, Viewer } from './screen.ts';
import { rowAction } from './shared-actions.ts';

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
    extra: ({ content, request_id, group }) => `${content}\n${request_id}\n${group}`,
    actions: actionsOf(viewer),
    async read(api, page, query) {
      const { items, total } = await (isForAll ? api.log.list : api.log.listOwn)({
        ...page,
        ...query,
        language: viewer.language,
      });
      return { items, total };
    },
    ...(isForAll && {
      async readNewer(api, rows, query) {
        const fresh: Log[] = [];
        newest = newestId(rows, newest);
        for (;;) {
          const { language } = viewer;
          const batch = await api.log.tail({
            ...query,
            language,
            after: newest,
            limit: TAIL_BATCH,
          });
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
    detail: (log) => logDetail(log, viewer),
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
  const isForAll = isAdmin(role);
  return [
    {
      key: 'time',
      width: 11,
      shown: (log) => ({ text: shortTime(log.created_at, viewer), tone: 'dim' }),
      order: ({ created_at }) => created_at,
    },
    {
      key: 'type',
      width: 5,
      shown: ({ type }) => ({
        text: t(`tui.log_types.${logTypeWord(type)}`),
        tone: TONES[logTypeWord(type)] ?? 'plain',
      }),
    },
    ...(isForAll
      ? [{ key: 'user', width: 10, grow: 1, shown: ({ username }: Log) => ({ text: username }) }]
      : []),
    {
      key: 'token',
      width: 10,
      grow: 1,
      drop: 3,
      shown: ({ token_name }) => ({ text: oneLine(token_name) }),
    },
    { key: 'model', width: 14, grow: 2, shown: ({ model_name }) => ({ text: model_name }) },
    ...figureColumns(viewer),
  ];
}

/** Columns of measurements and cost. */
function figureColumns(viewer: Viewer): readonly Column<Log>[] {
  const isForAll = isAdmin(viewer.role);
  return [
    {
      key: 'duration',
      width: 10,
      drop: 5,
      shown: ({ use_time_ms, first_token_ms }) => ({
        text:
          first_token_ms > 0
            ? `${secondsText(use_time_ms)}/${secondsText(first_token_ms)}`
            : secondsText(use_time_ms),
      }),
      order: ({ use_time_ms }) => use_time_ms,
    },
    {
      key: 'stream',
      width: 1,
      drop: 2,
      shown: ({ is_stream }) => ({ text: is_stream ? 'S' : '' }),
    },
    numberColumn(
      'in',
      8,
      (log) => inputTokensOf(log, parsedFields(log.other)),
      (n) => (n > 0 ? numberText(n) : '-'),
      { drop: 4 },
    ),
    numberColumn(
      'out',
      7,
      ({ completion_tokens }) => completion_tokens,
      (n) => (n > 0 ? numberText(n) : '-'),
      { drop: 4 },
    ),
    numberColumn(
      'cost',
      10,
      ({ type, quota }) => balanceChangeOf(type, quota).units,
      (units) => (units === 0 ? '-' : balanceChange(units, viewer)),
    ),
    ...(isForAll
      ? [
          {
            key: 'channel',
            width: 6,
            drop: 6,
            shown: ({ channel }: Log) => ({ text: channel > 0 ? `ch ${channel}` : '' }),
            order: ({ channel }: Log) => channel,
          },
        ]
      : []),
    {
      key: 'content',
      width: 10,
      grow: 3,
      drop: 1,
      shown: ({ type, content }) => ({
        text: oneLine(content),
        tone: type === LOG_TYPE.error ? 'bad' : 'dim',
      }),
    },
  ];
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
  const stat = memory.logStat;
  return [
    { text: t('tui.heading.logs', { count: numberText(total) }) },
    ...(memory.follow ? [{ text: `  ${t('tui.heading.follow')}`, tone: 'good' } as const] : []),
    ...(stat === undefined
      ? []
      : [
          {
            text: `  ${money(stat.quota, viewer)}  ${t('tui.heading.tokens_in_out', { in: countText(stat.token_input), out: countText(stat.token_output) })}`,
            tone: 'dim',
          } as const,
        ]),
  ];
}

function actionsOf({ role, memory }: Viewer): readonly Action<Log>[] {
  const actions: readonly Action<Log>[] = [
    {
      key: 'f',
      name: 'follow',
      on: 'none',
      run(context) {
        memory.follow = !memory.follow;
        context.refresh();
      },
    },
    rowAction('R', 'raw', (context, row) => showRaw(context, row, role)),
    rowAction('y', 'copy_id', (context, row) => context.copy(row.request_id, row.request_id)),
    rowAction('l', 'logs_user', (context, row) => context.go('logs', `user:${row.username}`), {
      role: ROLES.admin,
    }),
  ];
  return actions.filter((action) => role >= (action.role ?? ROLES.user));
}

async function showRaw(context: ActionContext, log: Log, role: number): Promise<void> {
  const { detail, detailOwn } = context.api.log;
  const whole = await (isAdmin(role) ? detail : detailOwn)({ id: log.id });
  await context.page(`#${log.id}`, JSON.stringify(whole, null, 2));
}
