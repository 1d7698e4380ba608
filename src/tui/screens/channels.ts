/** The channels screen: upstream providers, their health and their tests. */

import { channelTypeName, channelTypeOf } from '../../domain/channels/channel-types.ts';
import { ROLES } from '../../domain/roles.ts';
import { CHANNEL_STATUS, statusWord } from '../../domain/statuses.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { listText } from '../../locales/text.ts';
import { oneLine } from '../../session/text.ts';
import { type CellText, type Column, numberColumn } from '../model/columns.ts';
import type { Line, Span } from '../model/line.ts';
import { channelActions } from './channel-actions.ts';
import {
  agoText,
  columnName,
  fieldLines,
  money,
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
    extra: ({ base_url, models, group }) => `${base_url}\n${models}\n${group}`,
    actions: channelActions(viewer),
    async read(api, page, query) {
      const { items, total } = await api.channel.list({ ...page, ...query });
      return { items, total };
    },
    async readExtras(api, rows) {
      const ids = rows.slice(0, 100).map(({ id }) => id);
      if (ids.length === 0) return;
      const healths = await api.channelHealth.many({ ids: ids.join(',') });
      memory.health = new Map(healths.map((each) => [each.channel_id, each.outcomes]));
    },
    heading: ({ total }) => [
      { text: t('tui.heading.channels', { count: total }) },
      ...(memory.isTagView
        ? [{ text: `  ${t('tui.heading.tag_view')}`, tone: 'info' } as const]
        : []),
    ],
    detail: (channel) => detailOf(channel, viewer),
  };
}

function columnsOf(viewer: Viewer): readonly Column<Channel>[] {
  const { memory } = viewer;
  const tagOnly: Column<Channel> = {
    key: 'tag',
    width: 10,
    drop: memory.isTagView ? 99 : 1,
    shown: ({ tag }) => ({ text: tag === '' ? '-' : tag, tone: 'info' }),
    order: ({ tag }) => (tag === '' ? LAST : tag),
  };
  return [
    ...(memory.isTagView ? [tagOnly] : []),
    { key: 'id', width: 4, align: 'right', shown: ({ id }) => ({ text: String(id) }), order: byId },
    { key: 'name', width: 14, grow: 2, shown: ({ name }) => ({ text: oneLine(name) }) },
    {
      key: 'type',
      width: 10,
      grow: 1,
      drop: 4,
      shown: ({ type }) => ({ text: channelTypeName(type) }),
    },
    {
      key: 'status',
      width: 6,
      shown: ({ status }) => statusShown(statusWord(CHANNEL_STATUS, status), viewer),
    },
    {
      key: 'health',
      width: STRIP,
      drop: 5,
      shown: ({ id }) => stripOf(memory.health.get(id) ?? [], viewer),
      order: ({ id }) => failuresIn(memory.health.get(id) ?? []),
    },
    {
      key: 'resp',
      width: 6,
      align: 'right',
      shown: ({ response_time: ms }) => ({
        text: secondsText(ms),
        tone: ms > SLOW_MS ? 'warn' : 'plain',
      }),
      order: ({ response_time }) => response_time,
    },
    numberColumn('used', 9, ({ used_quota }) => used_quota, usd(viewer), { drop: 6 }),
    numberColumn('priority', 5, ({ priority }) => priority, String, { drop: 3 }),
    numberColumn('weight', 4, ({ weight }) => weight, String, { drop: 2 }),
    ...(memory.isTagView ? [] : [tagOnly]),
  ];
}

const byId = ({ id }: { readonly id: number }) => id;

function failuresIn(outcomes: readonly ActionOutcome[]): number {
  return outcomes.filter(({ ok }) => !ok).length;
}

/** Oldest first: `|` succeeded, `.` slow, `x` failed. */
function stripOf(outcomes: readonly ActionOutcome[], { t }: Viewer): CellText {
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

function detailOf(channel: Channel, viewer: Viewer): readonly Line[] {
  const { t, memory, revealed } = viewer;
  const name = (key: string) => t(`tui.columns.${key}`);
  const models = channel.models.split(',');
  const keys = channel.keys.filter(({ status }) => status !== 1).length;
  const secret = revealed(channel.id);
  return [
    [
      { text: `${oneLine(channel.name)} (#${channel.id})`, tone: 'strong' },
      ...(channel.tag === '' ? [] : [{ text: `   ${name('tag')} ${channel.tag}` }]),
    ],
    ...fieldLines(viewer, [
      ['status', statusText(channel, viewer)],
      ['base_url', channel.base_url],
      ['groups', channel.group],
      [
        'models',
        named({ name: String(models.length), value: listText(models, viewer.t) }, viewer.t),
      ],
      ['key', secret ?? listText(channel.key.split('\n'), viewer.t), secret ? 'warn' : 'plain'],
      ['keys_off', keys === 0 ? '' : String(keys)],
      ['priority', `${channel.priority}   ${columnName('weight', viewer)} ${channel.weight}`],
      ['used', money(channel.used_quota, viewer)],
      [
        'balance',
        channel.balance_updated_time > 0
          ? `${channel.balance} ${channel.balance_currency} · ${agoText(channel.balance_updated_time, viewer)}`
          : '',
      ],
      [
        'tested',
        channel.test_time > 0
          ? `${timeText(channel.test_time)} ${secondsText(channel.response_time)}`
          : '',
      ],
    ]),
    ...testLines(memory.tests.get(channel.id) ?? [], viewer),
    ...failureLines(memory.health.get(channel.id) ?? [], viewer),
  ];
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
