/** Actions on channels. */
import { channelTypeOf } from '../../domain/channels/channel-types.ts';
import { asAppError } from '../../domain/errors/errors.ts';
import { ROLES } from '../../domain/roles.ts';
import { errorText } from '../../locales/text.ts';
import { setNumber, setStatus } from './channel-switches.ts';
import type { Action, ActionContext, Channel, ChannelTest, Viewer } from './screen.ts';
import { action, change, confirmLoss, each, editedFields, field, hint } from './shared-actions.ts';

export function channelActions({ role, memory }: Viewer): readonly Action<Channel>[] {
  const actions: Action<Channel>[] = [
    action('t', 'test', 'rows', (context, rows) => testAll(context, rows, () => [undefined])),
    action('T', 'test_models', 'rows', (context, rows) =>
      testAll(context, rows, ({ models }) => models.split(',')),
    ),
    change('a', 'add', 'none', add),
    change('e', 'edit', 'row', edit),
    change('v', 'editor', 'row', editInEditor),
    change('E', 'enable', 'rows', (context, rows) => setStatus(context, rows, 'enabled')),
    change('D', 'disable', 'rows', (context, rows) => setStatus(context, rows, 'disabled')),
    change('P', 'priority', 'rows', (context, rows) => setNumber(context, rows, 'priority')),
    change('W', 'weight', 'rows', (context, rows) => setNumber(context, rows, 'weight')),
    change('delete', 'delete', 'rows', remove),
    action('#', 'tag_view', 'none', (context) => {
      memory.isTagView = !memory.isTagView;
      context.sortBy(memory.isTagView ? 'tag' : undefined);
    }),
    action('b', 'balance', 'rows', balance),
    action(
      'y',
      'copy_id',
      'row',
      (context, [row]) => row && context.copy(String(row.id), `#${row.id}`),
    ),
    {
      key: 'x',
      name: 'reveal',
      on: 'row',
      role: ROLES.super_admin,
      async run(context, [row]) {
        if (row === undefined) return;
        const { key } = await context.api.channel.get({ id: row.id, reveal: true });
        context.reveal(row.id, key.split('\n').join(', '));
      },
    },
    action('l', 'logs', 'row', (context, [row]) => row && context.go('logs', `channel:${row.id}`)),
  ];
  return actions.filter((action) => role >= (action.role ?? ROLES.admin));
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
  const made = await context.form(context.t('tui.dialog.add_channel'), fields, async (values) => {
    await context.api.channel.create({ ...inputOf(context, values), key: values.key ?? '' });
  });
  if (made) context.refresh();
}

async function edit(context: ActionContext, [row]: readonly Channel[]): Promise<void> {
  if (row === undefined) return;
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
  const saved = await context.form(title, fields, async (values) => {
    const key = values.key === '' ? undefined : values.key;
    const input = inputOf(context, values);
    await context.api.channel.edit({ ...input, id: row.id, key, before: asRead(row, input) });
  });
  if (saved) context.refresh();
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

async function editInEditor(context: ActionContext, [row]: readonly Channel[]): Promise<void> {
  if (row === undefined) return;
  const fields = {
    name: row.name,
    type: channelTypeOf(row.type)?.slug ?? row.type,
    base_url: row.base_url,
    models: row.models,
    group: row.group,
    priority: row.priority,
    weight: row.weight,
    tag: row.tag,
    test_model: row.test_model,
    auto_ban: row.auto_ban,
    model_prefix: row.model_prefix,
    max_input_tokens: row.max_input_tokens,
    model_mapping: row.model_mapping,
    status_code_mapping: row.status_code_mapping,
    param_override: row.param_override,
    setting: row.setting,
    system_prompt: row.system_prompt,
    openai_organization: row.openai_organization,
    other: row.other,
  };
  const changed = await editedFields(context, `${row.name} (#${row.id})`, fields);
  if (changed === undefined) return;
  await context.api.channel.edit({ ...changed, id: row.id, before: asRead(row, changed) });
  context.refresh();
}

async function remove(context: ActionContext, rows: readonly Channel[]): Promise<void> {
  const names = rows.map(({ name }) => name);
  if (!(await confirmLoss(context, 'channels', names, context.t('tui.loses.channels')))) return;
  const count = await context.api.channelBatch.remove({ ids: rows.map(({ id }) => id) });
  context.say(context.t('tui.say.deleted', { count }), 'good');
  context.refresh();
}

async function balance(context: ActionContext, rows: readonly Channel[]): Promise<void> {
  await context.work(() =>
    each(rows, async ({ id, name }) => {
      const told = await context.api.channelBalance.update({ id });
      if (told.success) context.say(`${name}: ${told.balance} ${told.currency}`, 'good');
      else context.say(`${name}: ${told.message}`, 'bad');
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
    each(tests, async ({ channel, model }) => {
      if (!(await testOne(context, channel, model))) failed += 1;
    }),
  );
  const text = context.t('tui.say.tested', { count: tests.length, failed });
  context.say(text, failed === 0 ? 'good' : 'bad');
  context.refresh();
}

async function testOne(
  context: ActionContext,
  channel: Channel,
  asked: string | undefined,
): Promise<boolean> {
  const model = asked ?? (channel.test_model || (channel.models.split(',')[0] ?? ''));
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
  const told = tests.get(id) ?? [];
  const at = told.findIndex(({ model }) => model === test.model);
  tests.set(id, at < 0 ? [...told, test] : told.with(at, test));
  redraw();
}
