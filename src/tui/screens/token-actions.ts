/** Actions on API tokens. */
import { SNIPPETS, snippetOf } from '../../session/snippets.ts';
import type { Action, ActionContext, ListedToken } from './screen.ts';
import {
  change,
  deleteAction,
  editorAction,
  field,
  forEachInParallel,
  hint,
  rowAction,
  rowChange,
  saveForm,
  showDone,
} from './shared-actions.ts';

const EDITOR_FIELDS = [
  'name',
  'expired_time',
  'remain_quota',
  'unlimited_quota',
  'group',
  'model_limits_enabled',
  'model_limits',
  'allow_ips',
  'rate_limit_enabled',
  'rate_limit_period',
  'rate_limit_count',
  'rate_limit_success',
] as const satisfies readonly (keyof ListedToken)[];

export const TOKEN_ACTIONS: readonly Action<ListedToken>[] = [
  change('a', 'add', 'none', add),
  rowChange('e', 'edit', edit),
  editorAction({
    nameOf: ({ name }) => name,
    fieldsOf: (row) => Object.fromEntries(EDITOR_FIELDS.map((name) => [name, row[name]])),
    save: (api, { id }, changed) => api.token.edit({ ...changed, id }),
  }),
  change('E', 'enable', 'rows', (context, rows) => setStatus(context, rows, 1)),
  change('D', 'disable', 'rows', (context, rows) => setStatus(context, rows, 2)),
  deleteAction({
    noun: 'tokens',
    nameOf: ({ name }) => name,
    remove: (api, ids) => forEachInParallel(ids, (id) => api.token.remove({ id })),
  }),
  rowAction('y', 'copy_key', async (context, { id, name }) =>
    context.copy((await context.api.token.reveal({ id })).key, name),
  ),
  rowAction('x', 'reveal', async (context, { id }) =>
    context.reveal(id, (await context.api.token.reveal({ id })).key),
  ),
  rowAction('i', 'snippet', snippet),
  rowAction('l', 'logs', (context, row) => context.go('logs', `token:"${row.name}"`)),
];

async function add(context: ActionContext): Promise<void> {
  const fields = [
    field(context, 'name'),
    field(context, 'left', '1', hint(context, 'left')),
    field(context, 'expires', 'never', hint(context, 'expires')),
    field(context, 'group'),
    field(context, 'models', '', hint(context, 'models_all')),
    field(context, 'ips', '', hint(context, 'ips')),
  ];
  let made: { readonly key: string; readonly name: string } | undefined;
  await context.form(context.t('tui.dialog.add_token'), fields, async (values) => {
    made = await context.api.token.create({ name: values.name ?? '', ...inputOf(context, values) });
  });
  if (made === undefined) return;
  context.copy(made.key, made.name);
  await context.page(made.name, `${made.key}\n\n${context.t('cli.notes.shown_once')}`);
  context.refresh();
}

async function edit(context: ActionContext, row: ListedToken): Promise<void> {
  const left = row.unlimited_quota ? 'unlimited' : row.remain_quota / context.viewer.quotaPerUnit;
  const expires = row.expired_time < 0 ? 'never' : row.expired_time;
  const models = row.model_limits_enabled ? row.model_limits : '';
  const fields = [
    field(context, 'name', row.name),
    field(context, 'left', left, hint(context, 'left')),
    field(context, 'expires', expires, hint(context, 'expires')),
    field(context, 'group', row.group),
    field(context, 'models', models, hint(context, 'models_all')),
    field(context, 'ips', row.allow_ips.split('\n').join(','), hint(context, 'ips')),
  ];
  const title = context.t('tui.dialog.edit', { name: row.name });
  await saveForm(context, title, fields, async (values) => {
    // Unchanged fields are not sent, so that quota spent meanwhile is not restored.
    const same = (name: string) =>
      values[name] === fields.find((each) => each.name === name)?.value;
    const changed = Object.fromEntries(Object.entries(values).filter(([name]) => !same(name)));
    await context.api.token.edit({
      id: row.id,
      ...inputOf(context, changed),
      ...(changed.name !== undefined && { name: changed.name }),
    });
  });
}

function inputOf(
  { values: read, viewer, t }: ActionContext,
  values: Readonly<Record<string, string>>,
) {
  const { left, expires, group, models, ips } = values;
  const isUnlimited = left === 'unlimited';
  const usd = left === undefined || isUnlimited ? undefined : left;
  return {
    ...(left !== undefined && { unlimited_quota: isUnlimited }),
    ...(usd !== undefined && { remain_quota: read.units({ usd }, viewer.quotaPerUnit) ?? 0 }),
    ...(expires !== undefined && { expired_time: read.expiry(t('tui.columns.expires'), expires) }),
    ...(group !== undefined && { group }),
    ...(models !== undefined && {
      model_limits: models,
      model_limits_enabled: read.list(models).length > 0,
    }),
    ...(ips !== undefined && { allow_ips: read.list(ips).join('\n') }),
  };
}

async function setStatus(
  context: ActionContext,
  rows: readonly ListedToken[],
  status: 1 | 2,
): Promise<void> {
  await forEachInParallel(rows, ({ id }) => context.api.token.setStatus({ id, status }));
  showDone(context, status === 1 ? 'enabled' : 'disabled', rows.length);
}

/** Client configuration with the key masked, because the page stays on the screen. */
async function snippet(context: ActionContext, row: ListedToken): Promise<void> {
  const url = await context.address();
  const model = row.model_limits_enabled ? (row.model_limits.split(',')[0] ?? '') : 'gpt-4o-mini';
  const texts = SNIPPETS.map(
    (form) => `# ${form}\n${snippetOf(form, { url, key: row.key, model })}`,
  );
  await context.page(row.name, texts.join('\n'));
}
