/** The redemption codes screen: create codes in batches, write them to a file, redeem them. */

import { REDEMPTION_STATES, type RedemptionState } from '../../domain/redemption-state.ts';
import { ROLES } from '../../domain/roles.ts';
import { REDEMPTION_STATUS } from '../../domain/statuses.ts';
import { oneLine } from '../../session/text.ts';
import { numberColumn } from '../model/columns.ts';
import type { Line } from '../model/line.ts';
import { fieldLines, money, statusShown, timeText, untilText, usd } from './format.ts';
import type { Action, ActionContext, Code, Screen, Viewer } from './screen.ts';
import {
  action,
  change,
  deleteAction,
  editorAction,
  field,
  forEachInParallel,
  hint,
  namesText,
  rowAction,
  rowChange,
  saveForm,
  showDone,
} from './shared-actions.ts';

export function codesScreen(viewer: Viewer): Screen<Code> {
  const { t } = viewer;
  return {
    name: 'codes',
    role: ROLES.admin,
    everyMs: 5000,
    path: '/admin/coupons',
    columns: [
      numberColumn('id', 5, ({ id }) => id, String),
      { key: 'name', width: 14, grow: 1, shown: ({ name }) => ({ text: oneLine(name) }) },
      { key: 'status', width: 10, shown: (code) => statusShown(code.state, viewer) },
      numberColumn('quota', 10, ({ quota }) => quota, usd(viewer)),
      {
        key: 'uses',
        width: 9,
        align: 'right',
        shown: (code) => ({ text: usesText(code) }),
        order: ({ used_count }) => used_count,
      },
      {
        key: 'until',
        width: 9,
        shown: ({ valid_until }) => ({ text: untilText(valid_until, viewer) }),
        order: ({ valid_until }) => valid_until || Number.MAX_VALUE,
      },
      {
        key: 'created',
        width: 19,
        drop: 1,
        shown: ({ created_time }) => ({ text: timeText(created_time) }),
        order: ({ created_time }) => created_time,
      },
      { key: 'key', width: 14, grow: 1, drop: 2, shown: (code) => keyShown(code, viewer) },
    ],
    filters: {
      '*': (keyword) => ({ keyword }),
      status: (word) => {
        const state = REDEMPTION_STATES.find((each) => each === (STATE_WORDS[word] ?? word));
        return state === undefined ? undefined : { state };
      },
      gift: (word) =>
        word === 'yes' ? { is_gift: true } : word === 'no' ? { is_gift: false } : undefined,
    },
    id: ({ id }) => id,
    actions: ACTIONS,
    async read(api, page, query) {
      const { items, total } = await api.redemption.list({ ...page, ...query });
      return { items, total };
    },
    heading: ({ total, rows }) => {
      const count = (word: string) => rows.filter(({ state }) => state === word).length;
      const sums = { unused: count('unused'), used: count('used'), off: count('disabled') };
      return [
        { text: t('tui.heading.codes', { count: total }) },
        // Shown only when all codes are loaded: a partial count would be misleading.
        ...(rows.length < total ? [] : [{ text: `  ${t('tui.heading.code_states', sums)}` }]),
      ];
    },
    detail: (code) => detailOf(code, viewer),
  };
}

const STATE_WORDS: Readonly<Record<string, RedemptionState>> = { on: 'unused', off: 'disabled' };

function usesText({ is_gift, max_uses, used_count }: Code): string {
  if (!is_gift) return `${used_count}/1`;
  return max_uses > 0 ? `${used_count}/${max_uses}` : `${used_count}`;
}

/** Enough to distinguish codes, but not to redeem one by looking over a shoulder. */
function keyShown({ id, key }: Code, { revealed }: Viewer) {
  const secret = revealed(id);
  if (secret !== undefined) return { text: secret, tone: 'warn' } as const;
  return { text: `${key.slice(0, 3)}***${key.slice(-3)}`, tone: 'dim' } as const;
}

function detailOf(code: Code, viewer: Viewer): readonly Line[] {
  const { t } = viewer;
  const { text, tone } = keyShown(code, viewer);
  return [
    [{ text: `${oneLine(code.name)} (#${code.id})`, tone: 'strong' }],
    ...fieldLines(viewer, [
      ['key', text, tone],
      ['status', statusShown(code.state, viewer)],
      ['quota', money(code.quota, viewer)],
      ['gift', code.is_gift ? t('tui.words.yes') : t('tui.words.no')],
      ['uses', usesText(code)],
      ['from', code.valid_from > 0 ? timeText(code.valid_from) : ''],
      ['until', code.valid_until > 0 ? timeText(code.valid_until) : t('tui.words.never')],
      ['created', timeText(code.created_time)],
      [
        'redeemed',
        code.redeemed_time > 0 ? `${timeText(code.redeemed_time)}  #${code.used_user_id}` : '',
      ],
    ]),
  ];
}

const ACTIONS: readonly Action<Code>[] = [
  change('a', 'add_batch', 'none', add),
  rowChange('e', 'edit', edit),
  editorAction({
    nameOf: ({ name }) => name,
    fieldsOf: ({ name, quota, valid_from, valid_until }) => ({
      name,
      quota,
      valid_from,
      valid_until,
    }),
    save: (api, { id }, changed) => api.redemption.edit({ ...changed, id }),
  }),
  action('w', 'write_keys', 'rows', (context, rows) =>
    writeKeys(
      context,
      rows.map(({ key }) => key),
    ),
  ),
  change('E', 'enable', 'rows', (context, rows) =>
    setStatus(context, rows, REDEMPTION_STATUS.unused),
  ),
  change('D', 'disable', 'rows', (context, rows) =>
    setStatus(context, rows, REDEMPTION_STATUS.disabled),
  ),
  deleteAction({
    noun: 'codes',
    nameOf: ({ id, name }) => `${name} #${id}`,
    remove: (api, ids) => forEachInParallel(ids, (id) => api.redemption.remove({ id })),
  }),
  rowAction('y', 'copy_key', (context, row) => context.copy(row.key, row.name)),
  rowAction('x', 'reveal', (context, row) => context.reveal(row.id, row.key)),
];

async function add(context: ActionContext): Promise<void> {
  const fields = [
    field(context, 'name'),
    field(context, 'quota', '1', hint(context, 'quota')),
    field(context, 'count', '1'),
    field(context, 'gift', 'no', hint(context, 'gift')),
    field(context, 'max_uses', '-1', hint(context, 'max_uses')),
    field(context, 'until', 'never', hint(context, 'expires')),
  ];
  let keys: readonly string[] = [];
  await context.form(context.t('tui.dialog.add_codes'), fields, async (values) => {
    const { values: read, viewer } = context;
    const gift = read.choice(context.t('tui.columns.gift'), values.gift ?? '', ['yes', 'no']);
    const until = read.expiry(context.t('tui.columns.until'), values.until ?? '');
    keys = await context.api.redemption.create({
      name: values.name ?? '',
      quota: read.dollars(context.t('tui.columns.quota'), values.quota ?? '', viewer.quotaPerUnit),
      count: read.wholeNumber(context.t('tui.columns.count'), values.count ?? ''),
      is_gift: gift === 'yes',
      max_uses: read.wholeNumber(context.t('tui.columns.max_uses'), values.max_uses ?? ''),
      valid_until: Math.max(0, until),
    });
  });
  if (keys.length === 0) return;
  context.refresh();
  await context.page(context.t('tui.dialog.codes_made', { count: keys.length }), keys.join('\n'));
  await writeKeys(context, keys);
}

async function writeKeys(context: ActionContext, keys: readonly string[]): Promise<void> {
  const title = context.t('tui.dialog.write_keys', { count: keys.length });
  const path = await context.ask({ title, label: context.t('tui.dialog.path') }, 'codes.txt');
  if (path === undefined || path.trim() === '') return;
  await context.writeFile(path, `${keys.join('\n')}\n`);
  context.showMessage(context.t('tui.messages.written', { count: keys.length, path }), 'good');
}

async function edit(context: ActionContext, row: Code): Promise<void> {
  const { quotaPerUnit } = context.viewer;
  const until = row.valid_until > 0 ? row.valid_until : 'never';
  const fields = [
    field(context, 'name', row.name),
    field(context, 'quota', row.quota / quotaPerUnit, hint(context, 'quota')),
    field(context, 'until', until, hint(context, 'expires')),
  ];
  const title = context.t('tui.dialog.edit', { name: row.name });
  await saveForm(context, title, fields, async ({ name, quota = '', until = '' }) => {
    const expiry = context.values.expiry(context.t('tui.columns.until'), until);
    await context.api.redemption.edit({
      id: row.id,
      name,
      quota: context.values.dollars(context.t('tui.columns.quota'), quota, quotaPerUnit),
      valid_until: Math.max(0, expiry),
    });
  });
}

async function setStatus(
  context: ActionContext,
  rows: readonly Code[],
  status: number,
): Promise<void> {
  const isMany = rows.length > 1 && status === REDEMPTION_STATUS.disabled;
  if (isMany && !(await isSureToDisable(context, rows))) return;
  await forEachInParallel(rows, ({ id }) =>
    context.api.redemption.edit({ id, status, status_only: true }),
  );
  showDone(context, status === REDEMPTION_STATUS.unused ? 'enabled' : 'disabled', rows.length);
}

function isSureToDisable(context: ActionContext, rows: readonly Code[]): Promise<boolean> {
  const noun = context.t('tui.nouns.codes', { count: rows.length });
  return context.confirm({
    title: context.t('tui.dialog.disable', { count: rows.length, noun }),
    body: [
      namesText(
        rows.map(({ name }) => name),
        context,
      ),
      context.t('tui.dialog.disable_codes'),
    ],
    verb: context.t('tui.dialog.disable_verb'),
  });
}
