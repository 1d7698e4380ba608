/** The channels screen: upstream providers, their health and their tests. */

import { channelTypeName, channelTypeOf } from '../../domain/channels/channel-types.ts';
import { ROLES } from '../../domain/roles.ts';
import { CHANNEL_STATUS, statusWord } from '../../domain/statuses.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { listText } from '../../locales/text.ts';
import { oneLine } from '../../session/text.ts';
import { type CellText, type Column, column, numberColumn, UNTITLED } from '../model/columns.ts';
import type { Line, Span } from '../model/line.ts';
import { channelActions } from './channel-actions.ts';
import {
  agoText,
  named,
  secondsText,
  shortTime,
  statusFilter,
  statusShown,
  timeText,
  usd,
} from './format.ts';
import type { ActionOutcome, Channel, ChannelTest, Screen, Viewer } from './screen.ts';

/** Number of outcomes shown per row. */
const STRIP = 20;
const SLOW_MS = 5000;
/** Sorts after all other text (highest weight in Unicode collation). */
const LAST = '\uFFFF';

export function channelsScreen(viewer: Viewer): Screen<Channel> {
  const { t, memory } = viewer;
  return {
    name: 'channels',
    role: ROLES.admin,
    everyMs: 5000,
    path: '/admin/channels',
    get columns() {
      return columnsOf(viewer);
    },
    filters: {
      '*': (keyword) => ({ keyword }),
      status: statusFilter(CHANNEL_STATUS),
      model: (model) => ({ model }),
      group: (group) => ({ group }),
      tag: (tag) => (tag === '-' ? { untagged: true } : { tag }),
      type: (value) => {
        const type = channelTypeOf(value);
        return type === undefined ? undefined : { type: type.type };
      },
    },
    id: ({ id }) => id,
    actions: channelActions(viewer),
    read: (api, page, query) => api.channel.list({ ...page, ...query }),
    async readExtras(api, rows) {
      const ids = rows.slice(0, 100).map(({ id }) => id);
      if (ids.length === 0) return;
      const healths = await api.channelHealth.many({ ids: ids.join(',') });
      memory.health = new Map(healths.map((each) => [each.channel_id, each.outcomes]));
    },
    heading: ({ total }) => [
      { text: t('tui.heading.channels', { count: total }) },
      { text: memory.isTagView ? `  ${t('tui.heading.tag_view')}` : '', tone: 'info' },
    ],
    head: ({ id, name, tag }) => [
      [
        { text: `${oneLine(name)} (#${id})`, tone: 'strong' },
        ...(tag === '' ? [] : [{ text: `   ${t('tui.columns.tag')} ${tag}` }]),
      ],
    ],
    tail: ({ id }) => [
      ...testLines(memory.tests.get(id) ?? [], viewer),
      ...failureLines(memory.health.get(id) ?? [], viewer),
    ],
  };
}

function columnsOf(viewer: Viewer): readonly Column<Channel>[] {
  const { t, memory, revealed } = viewer;
  const tag = column<Channel>('tag', 10, ({ tag }) => ({ text: tag || '-', tone: 'info' }), {
    drop: memory.isTagView ? 99 : 1,
    order: ({ tag }) => (tag === '' ? LAST : tag),
    ...UNTITLED,
  });
  return [
    ...(memory.isTagView ? [tag] : []),
    numberColumn('id', 4, ({ id }) => id, String, UNTITLED),
    column('name', 14, ({ name }) => name, { grow: 2, ...UNTITLED }),
    column('type', 10, ({ type }) => channelTypeName(type), { grow: 1, drop: 4 }),
    column('status', 6, ({ status }) => statusShown(statusWord(CHANNEL_STATUS, status), viewer), {
      full: (row) => statusText(row, viewer),
    }),
    column('base_url', 0, ({ base_url }) => base_url),
    column('groups', 0, ({ group }) => group),
    column('models', 0, ({ models }) => {
      const names = models.split(',');
      return named({ name: String(names.length), value: listText(names, t) }, t);
    }),
    column('key', 0, ({ id, key }) => {
      const secret = revealed(id);
      const text = secret ?? listText(key.split('\n'), t);
      return { text, tone: secret === undefined ? 'plain' : 'warn' };
    }),
    column('keys_off', 0, ({ keys }) => {
      const off = keys.filter(({ status }) => status !== 1).length;
      return off === 0 ? '' : String(off);
    }),
    column('health', STRIP, ({ id }) => outcomeStrip(memory.health.get(id) ?? [], viewer), {
      drop: 5,
      order: ({ id }) => failuresIn(memory.health.get(id) ?? []),
      ...UNTITLED,
    }),
    numberColumn('resp', 6, ({ response_time }) => response_time, responseShown, UNTITLED),
    numberColumn('used', 9, ({ used_quota }) => used_quota, usd(viewer), { drop: 6 }),
    numberColumn('priority', 5, ({ priority }) => priority, String, { drop: 3 }),
    numberColumn('weight', 4, ({ weight }) => weight, String, { drop: 2 }),
    column('balance', 0, ({ balance, balance_currency, balance_updated_time: atSec }) =>
      atSec > 0 ? `${balance} ${balance_currency} · ${agoText(atSec, viewer)}` : '',
    ),
    column('tested', 0, ({ test_time, response_time }) =>
      test_time > 0 ? `${timeText(test_time)} ${secondsText(response_time)}` : '',
    ),
    ...(memory.isTagView ? [] : [tag]),
  ];
}

function responseShown(ms: number): CellText {
  return { text: secondsText(ms), tone: ms > SLOW_MS ? 'warn' : 'plain' };
}

function failuresIn(outcomes: readonly ActionOutcome[]): number {
  return outcomes.filter(({ ok }) => !ok).length;
}

/** Oldest first: `|` succeeded, `.` slow, `x` failed. */
function outcomeStrip(outcomes: readonly ActionOutcome[], { t }: Viewer): CellText {
  const last = outcomes.slice(-STRIP);
  if (last.length === 0) return { text: '-', tone: 'dim' };
  const text = last
    .map(({ ok, latency_ms }) => (!ok ? 'x' : latency_ms > SLOW_MS ? '.' : '|'))
    .join('');
  const failures = failuresIn(last);
  const tone = failures === 0 ? 'good' : failures * 2 > last.length ? 'bad' : 'warn';
  const label = t('tui.speech.went_well', { count: last.length - failures, all: last.length });
  return { text, tone, label };
}

/** Why and since when a channel is disabled. */
function statusText(channel: Channel, viewer: Viewer): Span {
  const { text } = statusShown(statusWord(CHANNEL_STATUS, channel.status), viewer);
  if (channel.status === CHANNEL_STATUS.enabled) return { text };
  const { status_reason: reason, status_time: atSec } = parsedObject(channel.other_info);
  const when = typeof atSec === 'number' && atSec > 0 ? ` ${shortTime(atSec, viewer)}` : '';
  const why = typeof reason === 'string' && reason !== '' ? ` "${oneLine(reason)}"` : '';
  return { text: text + when + why };
}

function testLines(tests: readonly ChannelTest[], { t, nowMs }: Viewer): readonly Line[] {
  return tests.map(({ model, result, startedMs }): Line => {
    const head = { text: `${t('tui.words.test')} ${model}  `, tone: 'dim' } as const;
    if (result === undefined) {
      const running = t('tui.words.running');
      const since = secondsText(Math.max(100, nowMs() - startedMs));
      return [head, { text: `${running} ${since}`, tone: 'info' }];
    }
    const { ok, timeMs, text } = result;
    const outcome = ok ? `+ ${secondsText(timeMs)}` : `x ${secondsText(timeMs)}`;
    return [head, { text: outcome, tone: ok ? 'good' : 'bad' }, { text: `  "${oneLine(text)}"` }];
  });
}

const SHOWN_FAILURES = 5;

function failureLines(outcomes: readonly ActionOutcome[], viewer: Viewer): readonly Line[] {
  return outcomes
    .filter(({ ok }) => !ok)
    .slice(-SHOWN_FAILURES)
    .reverse()
    .map(({ at_ms, status, error_class, model, message }) => [
      { text: `${shortTime(at_ms / 1000, viewer)} `, tone: 'dim' },
      { text: `${status || '-'} ${error_class} `, tone: 'bad' },
      { text: `${model} ${oneLine(message)}` },
    ]);
}
