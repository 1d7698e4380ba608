/** What may be done to API tokens. */
import { SNIPPETS, snippetOf } from '../../session/snippets.ts';
import { confirmLoss, each, editedFields, field, hint } from './acts.ts';
import type { Action, Desk, Token } from './screen.ts';

export const TOKEN_ACTIONS: readonly Action<Token>[] = [
  { key: 'a', name: 'add', writes: true, on: 'none', run: add },
  { key: 'e', name: 'edit', writes: true, on: 'row', run: edit },
  { key: 'v', name: 'editor', writes: true, on: 'row', run: editInEditor },
  {
    key: 'E',
    name: 'enable',
    writes: true,
    on: 'rows',
    run: (desk, rows) => setStatus(desk, rows, 1),
  },
  {
    key: 'D',
    name: 'disable',
    writes: true,
    on: 'rows',
    run: (desk, rows) => setStatus(desk, rows, 2),
  },
  { key: 'delete', name: 'delete', writes: true, on: 'rows', run: remove },
  { key: 'y', name: 'copy_key', on: 'row', run: copyKey },
  { key: 'x', name: 'reveal', on: 'row', run: reveal },
  { key: 'i', name: 'snippet', on: 'row', run: snippet },
  {
    key: 'l',
    name: 'logs',
    on: 'row',
    run: (desk, [row]) => row && desk.go('logs', `token:"${row.name}"`),
  },
];

async function add(desk: Desk): Promise<void> {
  const fields = [
    field(desk, 'name'),
    field(desk, 'left', '1', hint(desk, 'left')),
    field(desk, 'expires', 'never', hint(desk, 'expires')),
    field(desk, 'group'),
    field(desk, 'models', '', hint(desk, 'models_all')),
    field(desk, 'ips', '', hint(desk, 'ips')),
  ];
  let made: { readonly key: string; readonly name: string } | undefined;
  await desk.form(desk.t('tui.dialog.add_token'), fields, async (values) => {
    made = await desk.api.token.create({ name: values.name ?? '', ...inputOf(desk, values) });
  });
  if (made === undefined) return;
  desk.copy(made.key, made.name);
  await desk.page(made.name, `${made.key}\n\n${desk.t('cli.say.shown_once')}`);
  desk.refresh();
}

async function edit(desk: Desk, [row]: readonly Token[]): Promise<void> {
  if (row === undefined) return;
  const { quotaPerUnit } = desk.reader;
  const fields = [
    field(desk, 'name', row.name),
    field(
      desk,
      'left',
      row.unlimited_quota ? 'unlimited' : row.remain_quota / quotaPerUnit,
      hint(desk, 'left'),
    ),
    field(
      desk,
      'expires',
      row.expired_time < 0 ? 'never' : row.expired_time,
      hint(desk, 'expires'),
    ),
    field(desk, 'group', row.group),
    field(
      desk,
      'models',
      row.model_limits_enabled ? row.model_limits : '',
      hint(desk, 'models_all'),
    ),
    field(desk, 'ips', row.allow_ips.split('\n').join(','), hint(desk, 'ips')),
  ];
  const isSaved = await desk.form(
    desk.t('tui.dialog.edit', { name: row.name }),
    fields,
    async (values) => {
      // A field left as it was is not sent: what was spent meanwhile stays spent.
      const same = (name: string) =>
        values[name] === fields.find((each) => each.name === name)?.value;
      const changed = Object.fromEntries(Object.entries(values).filter(([name]) => !same(name)));
      await desk.api.token.edit({
        id: row.id,
        ...inputOf(desk, changed),
        ...(changed.name !== undefined && { name: changed.name }),
      });
    },
  );
  if (isSaved) desk.refresh();
}

function inputOf({ values: read, reader, t }: Desk, values: Readonly<Record<string, string>>) {
  const { left, expires, group, models, ips } = values;
  const isUnlimited = left === 'unlimited';
  const usd = left === undefined || isUnlimited ? undefined : left;
  return {
    ...(left !== undefined && { unlimited_quota: isUnlimited }),
    ...(usd !== undefined && { remain_quota: read.units({ usd }, reader.quotaPerUnit) ?? 0 }),
    ...(expires !== undefined && { expired_time: read.expiry(t('tui.columns.expires'), expires) }),
    ...(group !== undefined && { group }),
    ...(models !== undefined && {
      model_limits: models,
      model_limits_enabled: read.list(models).length > 0,
    }),
    ...(ips !== undefined && { allow_ips: read.list(ips).join('\n') }),
  };
}

async function editInEditor(desk: Desk, [row]: readonly Token[]): Promise<void> {
  if (row === undefined) return;
  const {
    name,
    expired_time,
    remain_quota,
    unlimited_quota,
    group,
    model_limits_enabled,
    model_limits,
    allow_ips,
  } = row;
  const { rate_limit_enabled, rate_limit_period, rate_limit_count, rate_limit_success } = row;
  const changed = await editedFields(desk, `${name} (#${row.id})`, {
    name,
    expired_time,
    remain_quota,
    unlimited_quota,
    group,
    model_limits_enabled,
    model_limits,
    allow_ips,
    rate_limit_enabled,
    rate_limit_period,
    rate_limit_count,
    rate_limit_success,
  });
  if (changed === undefined) return;
  await desk.api.token.edit({ ...changed, id: row.id });
  desk.refresh();
}

async function setStatus(desk: Desk, rows: readonly Token[], status: 1 | 2): Promise<void> {
  await each(rows, ({ id }) => desk.api.token.setStatus({ id, status }));
  const count = rows.length;
  desk.say(desk.t(status === 1 ? 'tui.say.enabled' : 'tui.say.disabled', { count }), 'good');
  desk.refresh();
}

async function remove(desk: Desk, rows: readonly Token[]): Promise<void> {
  const names = rows.map(({ name }) => name);
  if (!(await confirmLoss(desk, 'tokens', names, desk.t('tui.loses.tokens')))) return;
  await each(rows, ({ id }) => desk.api.token.remove({ id }));
  desk.say(desk.t('tui.say.deleted', { count: rows.length }), 'good');
  desk.refresh();
}

async function copyKey(desk: Desk, [row]: readonly Token[]): Promise<void> {
  if (row === undefined) return;
  const { key } = await desk.api.token.reveal({ id: row.id });
  desk.copy(key, row.name);
}

async function reveal(desk: Desk, [row]: readonly Token[]): Promise<void> {
  if (row === undefined) return;
  const { key } = await desk.api.token.reveal({ id: row.id });
  desk.reveal(row.id, key);
}

/** How programs are pointed here; the key is masked, as the page stays on the screen. */
async function snippet(desk: Desk, [row]: readonly Token[]): Promise<void> {
  if (row === undefined) return;
  const url = await desk.address();
  const model = row.model_limits_enabled ? (row.model_limits.split(',')[0] ?? '') : 'gpt-4o-mini';
  const texts = SNIPPETS.map(
    (form) => `# ${form}\n${snippetOf(form, { url, key: row.key, model })}`,
  );
  await desk.page(row.name, texts.join('\n'));
}
