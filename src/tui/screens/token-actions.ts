/** Actions on API tokens. */
import { SNIPPETS, snippetOf } from '../../session/snippets.ts';
import type { Action, ActionContext, Token } from './screen.ts';
import { action, change, confirmLoss, each, editedFields, field, hint } from './shared-actions.ts';

export const TOKEN_ACTIONS: readonly Action<Token>[] = [
  change('a', 'add', 'none', add),
  change('e', 'edit', 'row', edit),
  change('v', 'editor', 'row', editInEditor),
  change('E', 'enable', 'rows', (context, rows) => setStatus(context, rows, 1)),
  change('D', 'disable', 'rows', (context, rows) => setStatus(context, rows, 2)),
  change('delete', 'delete', 'rows', remove),
  action('y', 'copy_key', 'row', copyKey),
  action('x', 'reveal', 'row', reveal),
  action('i', 'snippet', 'row', snippet),
  action('l', 'logs', 'row', (context, [row]) => row && context.go('logs', `token:"${row.name}"`)),
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
  await context.page(made.name, `${made.key}\n\n${context.t('cli.say.shown_once')}`);
  context.refresh();
}

async function edit(context: ActionContext, [row]: readonly Token[]): Promise<void> {
  if (row === undefined) return;
  const { quotaPerUnit } = context.viewer;
  const fields = [
    field(context, 'name', row.name),
    field(
      context,
      'left',
      row.unlimited_quota ? 'unlimited' : row.remain_quota / quotaPerUnit,
      hint(context, 'left'),
    ),
    field(
      context,
      'expires',
      row.expired_time < 0 ? 'never' : row.expired_time,
      hint(context, 'expires'),
    ),
    field(context, 'group', row.group),
    field(
      context,
      'models',
      row.model_limits_enabled ? row.model_limits : '',
      hint(context, 'models_all'),
    ),
    field(context, 'ips', row.allow_ips.split('\n').join(','), hint(context, 'ips')),
  ];
  const isSaved = await context.form(
    context.t('tui.dialog.edit', { name: row.name }),
    fields,
    async (values) => {
      // Unchanged fields are not sent, so that quota spent meanwhile is not restored.
      const same = (name: string) =>
        values[name] === fields.find((each) => each.name === name)?.value;
      const changed = Object.fromEntries(Object.entries(values).filter(([name]) => !same(name)));
      await context.api.token.edit({
        id: row.id,
        ...inputOf(context, changed),
        ...(changed.name !== undefined && { name: changed.name }),
      });
    },
  );
  if (isSaved) context.refresh();
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

async function editInEditor(context: ActionContext, [row]: readonly Token[]): Promise<void> {
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
  const changed = await editedFields(context, `${name} (#${row.id})`, {
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
  await context.api.token.edit({ ...changed, id: row.id });
  context.refresh();
}

async function setStatus(
  context: ActionContext,
  rows: readonly Token[],
  status: 1 | 2,
): Promise<void> {
  await each(rows, ({ id }) => context.api.token.setStatus({ id, status }));
  const count = rows.length;
  context.say(context.t(status === 1 ? 'tui.say.enabled' : 'tui.say.disabled', { count }), 'good');
  context.refresh();
}

async function remove(context: ActionContext, rows: readonly Token[]): Promise<void> {
  const names = rows.map(({ name }) => name);
  if (!(await confirmLoss(context, 'tokens', names, context.t('tui.loses.tokens')))) return;
  await each(rows, ({ id }) => context.api.token.remove({ id }));
  context.say(context.t('tui.say.deleted', { count: rows.length }), 'good');
  context.refresh();
}

async function copyKey(context: ActionContext, [row]: readonly Token[]): Promise<void> {
  if (row === undefined) return;
  const { key } = await context.api.token.reveal({ id: row.id });
  context.copy(key, row.name);
}

async function reveal(context: ActionContext, [row]: readonly Token[]): Promise<void> {
  if (row === undefined) return;
  const { key } = await context.api.token.reveal({ id: row.id });
  context.reveal(row.id, key);
}

/** Client configuration with the key masked, because the page stays on the screen. */
async function snippet(context: ActionContext, [row]: readonly Token[]): Promise<void> {
  if (row === undefined) return;
  const url = await context.address();
  const model = row.model_limits_enabled ? (row.model_limits.split(',')[0] ?? '') : 'gpt-4o-mini';
  const texts = SNIPPETS.map(
    (form) => `# ${form}\n${snippetOf(form, { url, key: row.key, model })}`,
  );
  await context.page(row.name, texts.join('\n'));
}
