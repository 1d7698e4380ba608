/** Actions on channels. */

import { channelTypeOf } from '../../domain/channels/channel-types.ts';
import { asAppError } from '../../domain/errors/errors.ts';
import { CHANNEL, type ChannelColumn } from '../../domain/nouns/channel.ts';
import { columnNames } from '../../domain/nouns/columns.ts';
import { ROLES } from '../../domain/roles.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { errorText, listText } from '../../locales/text.ts';
import type { LocalApi } from '../../session/session.ts';
import { setNumber, setStatus } from './channel-switches.ts';
import { named } from './format.ts';
import type { Action, ActionContext, Channel, ChannelTest, Viewer } from './screen.ts';
import { type Commands, formActions, type Setting, setting } from './settings.ts';
import { action, change, deleteAction, forEachInParallel, rowAction } from './shared-actions.ts';

export function channelActions({ memory }: Pick<Viewer, 'memory'>): readonly Action<Channel>[] {
  return [
    action('t', 'test', 'rows', (context, rows) => testAll(context, rows, () => [undefined])),
    action('T', 'test_models', 'rows', (context, rows) =>
      testAll(context, rows, ({ models }) => models.split(',')),
    ),
    ...formActions(COMMANDS, { title: 'tui.dialog.add_channel' }),
    change('E', 'enable', 'rows', (context, rows) => setStatus(context, rows, 'enabled')),
    change('D', 'disable', 'rows', (context, rows) => setStatus(context, rows, 'disabled')),
    change('P', 'priority', 'rows', (context, rows) => setNumber(context, rows, 'priority')),
    change('W', 'weight', 'rows', (context, rows) => setNumber(context, rows, 'weight')),
    deleteAction({
      ...COMMANDS,
      noun: 'channels',
      remove: (api, ids) => api.channelBatch.remove({ ids }),
    }),
    action('#', 'tag_view', 'none', (context) => {
      memory.isTagView = !memory.isTagView;
      context.sortBy(memory.isTagView ? 'tag' : undefined);
    }),
    action('b', 'balance', 'rows', balance),
    rowAction('y', 'copy_id', (context, row) => context.copy(String(row.id), `#${row.id}`)),
    rowAction('x', 'reveal', reveal, { role: ROLES.super_admin }),
    rowAction('l', 'logs', (context, row) => context.go('logs', `channel:${row.id}`)),
  ];
}

async function reveal(context: ActionContext, { id }: Channel): Promise<void> {
  const { key } = await context.api.channel.get({ id, reveal: true });
  context.reveal(id, listText(key.split('\n'), context.t));
}

/** Fields of an edit that are not compared: keys are masked when read. */
const UNREAD: ReadonlySet<string> = new Set(['id', 'key', 'status']);

/** The server compares the former values in the transaction that writes the new ones. */
function guarded(api: LocalApi, row: Channel): LocalApi {
  const edit: LocalApi['channel']['edit'] = (input) => {
    const sent = Object.entries(row).filter(([field]) => !UNREAD.has(field) && field in input);
    return api.channel.edit({ ...input, before: Object.fromEntries(sent) });
  };
  return { ...api, channel: { ...api.channel, edit } };
}

const ASKED = { fresh: '', editHint: 'key', isSecret: true } as const;
const KEY = setting<Channel>('--key-stdin', 'key', () => '', ASKED);
const HINTS: ReadonlySet<string> = new Set(['type', 'base_url', 'models']);

const COMMANDS: Commands<Channel> = {
  guarded,
  command: 'channel',
  nameOf: ({ name }) => name,
  get: (api, id) => api.channel.get({ id, reveal: false }),
  settings: [
    ...columnNames(CHANNEL).flatMap(columnSettings),
    inEditor('--cost-factor', ({ cost }) => String(parsedObject(cost).factor ?? '')),
    inEditor('--cost-rates', ({ cost }) => jsonText(parsedObject(cost).rates)),
  ],
};

/** The setting of a column; after the type that of the key. */
function columnSettings(name: keyof typeof CHANNEL): readonly Setting<Channel>[] {
  const { kind, flag, default: initial = '', isCommon }: ChannelColumn = CHANNEL[name];
  if (flag === undefined) return [];
  const shown = (row: Pick<Channel, typeof name>) => {
    if (name === 'type') return typeName(Number(row[name]));
    return kind === 'switch' ? (row[name] === 1 ? 'on' : 'off') : row[name];
  };
  const word = flag.split(' ')[0] ?? '';
  if (!isCommon) return [inEditor(word, shown)];
  const row = setting<Channel>(word, name === 'group' ? 'groups' : name, shown, {
    ...(name !== 'test_model' && { fresh: String(name === 'type' ? 'openai' : initial) }),
    ...(HINTS.has(name) && { hint: name }),
  });
  return name === 'type' ? [row, KEY] : [row];
}

function typeName(type: number): string | number {
  return channelTypeOf(type)?.slug ?? type;
}

function inEditor(flag: string, of: (row: Channel) => string | number): Setting<Channel> {
  return setting(flag, '', of, { isInEditor: true });
}

function jsonText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}

async function balance(context: ActionContext, rows: readonly Channel[]): Promise<void> {
  await context.work(() =>
    forEachInParallel(rows, async ({ id, name }) => {
      const result = await context.api.channelBalance.update({ id });
      const value = result.success ? `${result.balance} ${result.currency}` : result.message;
      context.showMessage(named({ name, value }, context.t), result.success ? 'good' : 'bad');
    }),
  );
  context.refresh();
}

/** One line per model, printed as each result arrives. */
async function testAll(
  context: ActionContext,
  rows: readonly Channel[],
  modelsOf: (channel: Channel) => readonly (string | undefined)[],
): Promise<void> {
  const tests = rows.flatMap((channel) => modelsOf(channel).map((model) => ({ channel, model })));
  for (const { id } of rows) context.viewer.memory.tests.set(id, []);
  let failed = 0;
  await context.work(() =>
    forEachInParallel(tests, async ({ channel, model }) => {
      if (!(await testOne(context, channel, model))) failed += 1;
    }),
  );
  const text = context.t('tui.messages.tested', { count: tests.length, failed });
  context.showMessage(text, failed === 0 ? 'good' : 'bad');
  context.refresh();
}

async function testOne(
  context: ActionContext,
  channel: Channel,
  requested: string | undefined,
): Promise<boolean> {
  const model = requested ?? (channel.test_model || (channel.models.split(',')[0] ?? ''));
  const startedMs = context.viewer.nowMs();
  note(context, channel.id, { model, startedMs });
  const result = await context.api.probe.test({ id: channel.id, model, stream: true }).then(
    ({ success, time_ms, answer, message }) => ({
      ok: success,
      timeMs: time_ms,
      text: success ? answer : message,
    }),
    (error: unknown) => ({
      ok: false,
      timeMs: context.viewer.nowMs() - startedMs,
      text: errorText(asAppError(error), context.viewer.language),
    }),
  );
  note(context, channel.id, { model, startedMs, result });
  return result.ok;
}

function note({ viewer, redraw }: ActionContext, id: number, test: ChannelTest): void {
  const { tests } = viewer.memory;
  const results = tests.get(id) ?? [];
  const at = results.findIndex(({ model }) => model === test.model);
  tests.set(id, at < 0 ? [...results, test] : results.with(at, test));
  redraw();
}
