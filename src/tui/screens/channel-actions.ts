/** Actions on channels. */

import { channelTypeOf } from '../../domain/channels/channel-types.ts';
import { asAppError } from '../../domain/errors/errors.ts';
import { ROLES } from '../../domain/roles.ts';
import { errorText, listText } from '../../locales/text.ts';
import { setNumber, setStatus } from './channel-switches.ts';
import { named } from './format.ts';
import type { Action, ActionContext, Channel, ChannelTest, Viewer } from './screen.ts';
import {
  action,
  change,
  deleteAction,
  editorAction,
  field,
  forEachInParallel,
  hint,
  rowAction,
  rowChange,
  saveForm,
} from './shared-actions.ts';

export function channelActions({ role, memory }: Viewer): readonly Action<Channel>[] {
  const actions: Action<Channel>[] = [
    action('t', 'test', 'rows', (context, rows) => testAll(context, rows, () => [undefined])),
    action('T', 'test_models', 'rows', (context, rows) =>
      testAll(context, rows, ({ models }) => models.split(',')),
    ),
    change('a', 'add', 'none', add),
    rowChange('e', 'edit', edit),
    editorAction({
      nameOf: ({ name }) => name,
      fieldsOf: editorFields,
      save: (api, row, changed) =>
        api.channel.edit({ ...changed, id: row.id, before: asRead(row, changed) }),
    }),
    change('E', 'enable', 'rows', (context, rows) => setStatus(context, rows, 'enabled')),
    change('D', 'disable', 'rows', (context, rows) => setStatus(context, rows, 'disabled')),
    change('P', 'priority', 'rows', (context, rows) => setNumber(context, rows, 'priority')),
    change('W', 'weight', 'rows', (context, rows) => setNumber(context, rows, 'weight')),
    deleteAction({
      noun: 'channels',
      nameOf: ({ name }) => name,
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
  return actions.filter((action) => role >= (action.role ?? ROLES.admin));
}

async function reveal(context: ActionContext, { id }: Channel): Promise<void> {
  const { key } = await context.api.channel.get({ id, reveal: true });
  context.reveal(id, listText(key.split('\n'), context.t));
}

async function add(context: ActionContext): Promise<void> {
  const fields = [
    field(context, 'name'),
    field(context, 'type', 'openai', hint(context, 'type')),
    field(context, 'key', '', { secret: true }),
    field(context, 'base_url', '', hint(context, 'base_url')),
    field(context, 'models', '', hint(context, 'models')),
    field(context, 'groups', 'default'),
    field(context, 'priority', 0),
    field(context, 'weight', 0),
    field(context, 'tag'),
  ];
  await saveForm(context, context.t('tui.dialog.add_channel'), fields, async (values) => {
    await context.api.channel.create({ ...inputOf(context, values), key: values.key ?? '' });
  });
}

async function edit(context: ActionContext, row: Channel): Promise<void> {
  const fields = [
    field(context, 'name', row.name),
    field(context, 'type', channelTypeOf(row.type)?.slug ?? row.type, hint(context, 'type')),
    field(context, 'key', '', { secret: true, ...hint(context, 'key') }),
    field(context, 'base_url', row.base_url),
    field(context, 'models', row.models),
    field(context, 'groups', row.group),
    field(context, 'priority', row.priority),
    field(context, 'weight', row.weight),
    field(context, 'tag', row.tag),
    field(context, 'test_model', row.test_model),
  ];
  const title = context.t('tui.dialog.edit', { name: row.name });
  await saveForm(context, title, fields, async (values) => {
    const key = values.key === '' ? undefined : values.key;
    const input = inputOf(context, values);
    await context.api.channel.edit({ ...input, id: row.id, key, before: asRead(row, input) });
  });
}

/** The displayed values of the fields sent, so that a concurrent change is not overwritten. */
function asRead(row: Channel, sent: object): Partial<Channel> {
  return Object.fromEntries(Object.keys(sent).map((name) => [name, Reflect.get(row, name)]));
}

function inputOf({ values: read, t }: ActionContext, values: Readonly<Record<string, string>>) {
  const number = (name: string) => read.wholeNumber(t(`tui.columns.${name}`), values[name] ?? '');
  return {
    name: values.name ?? '',
    type: values.type ?? '',
    base_url: values.base_url ?? '',
    models: values.models ?? '',
    group: values.groups ?? '',
    priority: number('priority'),
    weight: number('weight'),
    tag: values.tag ?? '',
    ...(values.test_model !== undefined && { test_model: values.test_model }),
  };
}

const EDITOR_FIELDS = [
  'name',
  'type',
  'base_url',
  'models',
  'group',
  'priority',
  'weight',
  'tag',
  'test_model',
  'auto_ban',
  'model_prefix',
  'max_input_tokens',
  'cost',
  'model_mapping',
  'status_code_mapping',
  'param_override',
  'setting',
  'system_prompt',
  'openai_organization',
  'other',
] as const satisfies readonly (keyof Channel)[];

function editorFields(row: Channel) {
  const fields = Object.fromEntries(EDITOR_FIELDS.map((name) => [name, row[name]]));
  return { ...fields, type: channelTypeOf(row.type)?.slug ?? row.type };
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
