/** What may be done to channels. */
import { channelTypeOf } from '../../domain/channels/channel-types.ts';
import { asAppError } from '../../domain/errors/errors.ts';
import { ROLES } from '../../domain/roles.ts';
import { errorText } from '../../locales/text.ts';
import { confirmLoss, each, editedFields, field, hint } from './acts.ts';
import { setNumber, setStatus } from './channel-switches.ts';
import type { Action, Channel, Desk, Reader, Trial } from './screen.ts';

export function channelActions({ role, memory }: Reader): readonly Action<Channel>[] {
  const actions: Action<Channel>[] = [
    {
      key: 't',
      name: 'test',
      on: 'rows',
      run: (desk, rows) => testAll(desk, rows, () => [undefined]),
    },
    {
      key: 'T',
      name: 'test_models',
      on: 'rows',
      run: (desk, rows) => testAll(desk, rows, ({ models }) => models.split(',')),
    },
    { key: 'a', name: 'add', writes: true, on: 'none', run: add },
    { key: 'e', name: 'edit', writes: true, on: 'row', run: edit },
    { key: 'v', name: 'editor', writes: true, on: 'row', run: editInEditor },
    {
      key: 'E',
      name: 'enable',
      writes: true,
      on: 'rows',
      run: (desk, rows) => setStatus(desk, rows, 'enabled'),
    },
    {
      key: 'D',
      name: 'disable',
      writes: true,
      on: 'rows',
      run: (desk, rows) => setStatus(desk, rows, 'disabled'),
    },
    {
      key: 'P',
      name: 'priority',
      writes: true,
      on: 'rows',
      run: (desk, rows) => setNumber(desk, rows, 'priority'),
    },
    {
      key: 'W',
      name: 'weight',
      writes: true,
      on: 'rows',
      run: (desk, rows) => setNumber(desk, rows, 'weight'),
    },
    { key: 'delete', name: 'delete', writes: true, on: 'rows', run: remove },
    {
      key: '#',
      name: 'tag_view',
      on: 'none',
      run: (desk) => {
        memory.isTagView = !memory.isTagView;
        desk.sortBy(memory.isTagView ? 'tag' : undefined);
      },
    },
    { key: 'b', name: 'balance', on: 'rows', run: balance },
    {
      key: 'y',
      name: 'copy_id',
      on: 'row',
      run: (desk, [row]) => row && desk.copy(String(row.id), `#${row.id}`),
    },
    {
      key: 'x',
      name: 'reveal',
      on: 'row',
      role: ROLES.super_admin,
      async run(desk, [row]) {
        if (row === undefined) return;
        const { key } = await desk.api.channel.get({ id: row.id, reveal: true });
        desk.reveal(row.id, key.split('\n').join(', '));
      },
    },
    {
      key: 'l',
      name: 'logs',
      on: 'row',
      run: (desk, [row]) => row && desk.go('logs', `channel:${row.id}`),
    },
  ];
  return actions.filter((action) => role >= (action.role ?? ROLES.admin));
}

async function add(desk: Desk): Promise<void> {
  const fields = [
    field(desk, 'name'),
    field(desk, 'type', 'openai', hint(desk, 'type')),
    field(desk, 'key', '', { secret: true }),
    field(desk, 'base_url', '', hint(desk, 'base_url')),
    field(desk, 'models', '', hint(desk, 'models')),
    field(desk, 'groups', 'default'),
    field(desk, 'priority', 0),
    field(desk, 'weight', 0),
    field(desk, 'tag'),
  ];
  const made = await desk.form(desk.t('tui.dialog.add_channel'), fields, async (values) => {
    await desk.api.channel.create({ ...inputOf(desk, values), key: values.key ?? '' });
  });
  if (made) desk.refresh();
}

async function edit(desk: Desk, [row]: readonly Channel[]): Promise<void> {
  if (row === undefined) return;
  const fields = [
    field(desk, 'name', row.name),
    field(desk, 'type', channelTypeOf(row.type)?.slug ?? row.type, hint(desk, 'type')),
    field(desk, 'key', '', { secret: true, ...hint(desk, 'key') }),
    field(desk, 'base_url', row.base_url),
    field(desk, 'models', row.models),
    field(desk, 'groups', row.group),
    field(desk, 'priority', row.priority),
    field(desk, 'weight', row.weight),
    field(desk, 'tag', row.tag),
    field(desk, 'test_model', row.test_model),
  ];
  const title = desk.t('tui.dialog.edit', { name: row.name });
  const saved = await desk.form(title, fields, async (values) => {
    const key = values.key === '' ? undefined : values.key;
    const input = inputOf(desk, values);
    await desk.api.channel.edit({ ...input, id: row.id, key, before: asRead(row, input) });
  });
  if (saved) desk.refresh();
}

/** What is shown of the fields that are sent: another's change of them is not undone. */
function asRead(row: Channel, sent: object): Partial<Channel> {
  return Object.fromEntries(Object.keys(sent).map((name) => [name, Reflect.get(row, name)]));
}

function inputOf({ values: read, t }: Desk, values: Readonly<Record<string, string>>) {
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

async function editInEditor(desk: Desk, [row]: readonly Channel[]): Promise<void> {
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
  const changed = await editedFields(desk, `${row.name} (#${row.id})`, fields);
  if (changed === undefined) return;
  await desk.api.channel.edit({ ...changed, id: row.id, before: asRead(row, changed) });
  desk.refresh();
}

async function remove(desk: Desk, rows: readonly Channel[]): Promise<void> {
  const names = rows.map(({ name }) => name);
  if (!(await confirmLoss(desk, 'channels', names, desk.t('tui.loses.channels')))) return;
  const count = await desk.api.channelBatch.remove({ ids: rows.map(({ id }) => id) });
  desk.say(desk.t('tui.say.deleted', { count }), 'good');
  desk.refresh();
}

async function balance(desk: Desk, rows: readonly Channel[]): Promise<void> {
  await desk.work(() =>
    each(rows, async ({ id, name }) => {
      const told = await desk.api.channelBalance.update({ id });
      if (told.success) desk.say(`${name}: ${told.balance} ${told.currency}`, 'good');
      else desk.say(`${name}: ${told.message}`, 'bad');
    }),
  );
  desk.refresh();
}

/** One line per model, written as each answer comes. */
async function testAll(
  desk: Desk,
  rows: readonly Channel[],
  modelsOf: (channel: Channel) => readonly (string | undefined)[],
): Promise<void> {
  const trials = rows.flatMap((channel) => modelsOf(channel).map((model) => ({ channel, model })));
  for (const { id } of rows) desk.reader.memory.trials.set(id, []);
  let failed = 0;
  await desk.work(() =>
    each(trials, async ({ channel, model }) => {
      if (!(await testOne(desk, channel, model))) failed += 1;
    }),
  );
  const text = desk.t('tui.say.tested', { count: trials.length, failed });
  desk.say(text, failed === 0 ? 'good' : 'bad');
  desk.refresh();
}

async function testOne(desk: Desk, channel: Channel, asked: string | undefined): Promise<boolean> {
  const model = asked ?? (channel.test_model || (channel.models.split(',')[0] ?? ''));
  const startedMs = desk.reader.nowMs();
  note(desk, channel.id, { model, startedMs });
  const result = await desk.api.probe.test({ id: channel.id, model, stream: true }).then(
    ({ success, time_ms, answer, message }) => ({
      ok: success,
      timeMs: time_ms,
      text: success ? answer : message,
    }),
    (error: unknown) => ({
      ok: false,
      timeMs: desk.reader.nowMs() - startedMs,
      text: errorText(asAppError(error), desk.reader.language),
    }),
  );
  note(desk, channel.id, { model, startedMs, result });
  return result.ok;
}

function note({ reader, redraw }: Desk, id: number, trial: Trial): void {
  const { trials } = reader.memory;
  const told = trials.get(id) ?? [];
  const at = told.findIndex(({ model }) => model === trial.model);
  trials.set(id, at < 0 ? [...told, trial] : told.with(at, trial));
  redraw();
}
