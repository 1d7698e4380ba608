/** The redemption codes screen: create codes in batches, write them to a file, redeem them. */
import { REDEMPTION_STATES, type RedemptionState } from '../../domain/redemption-state.ts';
import { ROLES } from '../../domain/roles.ts';
import { oneLine } from '../../session/text.ts';
import type { Values } from '../../session/values.ts';
import { column, numberColumn, UNTITLED } from '../model/columns.ts';
import { endText, statusShown, timeText, untilText, usd } from './format.ts';
import type { Action, ActionContext, Code, ReplyRow, Screen, Viewer } from './screen.ts';
import { type Commands, formActions, setting } from './settings.ts';
import {
  action,
  change,
  deleteAction,
  eachAction,
  namesText,
  rowAction,
  runEach,
} from './shared-actions.ts';

export function codesScreen(viewer: Viewer): Screen<Code> {
  const { t, quotaPerUnit } = viewer;
  const yesOrNo = (is: boolean) => t(is ? 'tui.words.yes' : 'tui.words.no');
  return {
    name: 'codes',
    role: ROLES.admin,
    everyMs: 5000,
    path: '/admin/coupons',
    columns: [
      numberColumn('id', 5, ({ id }) => id, String, UNTITLED),
      column('name', 14, ({ name }) => name, { grow: 1, ...UNTITLED }),
      column('status', 10, ({ state }) => statusShown(state, viewer)),
      numberColumn('quota', 10, ({ quota }) => quota, usd(viewer)),
      column('gift', 0, ({ is_gift }) => yesOrNo(is_gift)),
      column('uses', 9, usesText, { align: 'right', order: ({ used_count }) => used_count }),
      column('from', 0, ({ valid_from }) => (valid_from > 0 ? timeText(valid_from) : '')),
      column('until', 9, ({ valid_until }) => untilText(valid_until, viewer), {
        full: ({ valid_until }) => endText(valid_until, viewer),
        order: ({ valid_until }) => valid_until || Number.MAX_VALUE,
      }),
      column('created', 19, ({ created_time }) => timeText(created_time), { drop: 1 }),
      column('redeemed', 0, ({ redeemed_time, used_user_id }) =>
        redeemed_time > 0 ? `${timeText(redeemed_time)}  #${used_user_id}` : '',
      ),
      column('key', 14, keyShown, { grow: 1, drop: 2 }),
    ],
    filters: {
      '*': (keyword) => ({ keyword }),
      status: (word) => {
        const state = REDEMPTION_STATES.find((each) => each === (STATE_WORDS[word] ?? word));
        return state === undefined ? undefined : { state };
      },
      gift: (word) => (['yes', 'no'].includes(word) ? { is_gift: word === 'yes' } : undefined),
    },
    id: ({ id }) => id,
    actions: actionsOf(quotaPerUnit),
    read: (api, page, query) => api.redemption.list({ ...page, ...query }),
    heading: ({ total, rows }) => {
      const count = (word: string) => rows.filter(({ state }) => state === word).length;
      const sums = { unused: count('unused'), used: count('used'), off: count('disabled') };
      return [
        { text: t('tui.heading.codes', { count: total }) },
        // Shown only when all codes are loaded: a partial count would be misleading.
        ...(rows.length < total ? [] : [{ text: `  ${t('tui.heading.code_states', sums)}` }]),
      ];
    },
    head: ({ id, name }) => [[{ text: `${oneLine(name)} (#${id})`, tone: 'strong' }]],
  };

  /** Enough to distinguish codes, but not to redeem one by looking over a shoulder. */
  function keyShown({ id, key }: Code) {
    const secret = viewer.revealed(id);
    if (secret !== undefined) return { text: secret, tone: 'warn' } as const;
    return { text: `${key.slice(0, 3)}***${key.slice(-3)}`, tone: 'dim' } as const;
  }
}

const STATE_WORDS: Readonly<Record<string, RedemptionState>> = { on: 'unused', off: 'disabled' };

function usesText({ is_gift, max_uses, used_count }: Code): string {
  if (!is_gift) return `${used_count}/1`;
  return max_uses > 0 ? `${used_count}/${max_uses}` : `${used_count}`;
}

const UNTIL = { fresh: 'never', hint: 'expires' };

function giftArgs(value: string, read: Values): readonly string[] {
  return read.choice('--gift', value, ['yes', 'no']) === 'yes' ? ['--gift'] : [];
}

function commandsFor(quotaPerUnit: number): Commands<Code> {
  return {
    command: 'redemption',
    nameOf: ({ name }) => name,
    get: (api, id) => api.redemption.get({ id }),
    settings: [
      setting('--name', 'name', ({ name }) => name, { fresh: '' }),
      setting('--usd', 'quota', ({ quota }) => quota / quotaPerUnit, { fresh: '1', hint: 'quota' }),
      setting('--count', 'count', undefined, { fresh: '1' }),
      setting('--gift', 'gift', undefined, { fresh: 'no', hint: 'gift', args: giftArgs }),
      setting('--max-uses', 'max_uses', undefined, { fresh: '', hint: 'max_uses' }),
      setting('--from', 'from', (row) => row.valid_from || 'now', { isInEditor: true }),
      setting('--until', 'until', (row) => row.valid_until || 'never', UNTIL),
    ],
  };
}

function actionsOf(quotaPerUnit: number): readonly Action<Code>[] {
  const commands = commandsFor(quotaPerUnit);
  return [
    ...formActions(commands, {
      title: 'tui.dialog.add_codes',
      name: 'add_batch',
      done: showKeys,
    }),
    action('w', 'write_keys', 'rows', (context, rows) => writeKeys(context, keysOf(rows))),
    eachAction('E', ['redemption', 'enable'], 'enabled'),
    change('D', 'disable', 'rows', disable),
    deleteAction({ ...commands, noun: 'codes', nameOf: ({ id, name }) => `${name} #${id}` }),
    rowAction('y', 'copy_key', (context, row) => context.copy(row.key, row.name)),
    rowAction('x', 'reveal', (context, row) => context.reveal(row.id, row.key)),
  ];
}

function keysOf(rows: readonly { readonly key?: unknown }[]): readonly string[] {
  return rows.map(({ key }) => String(key));
}

async function showKeys(context: ActionContext, made: readonly ReplyRow[]): Promise<void> {
  const keys = keysOf(made);
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

async function disable(context: ActionContext, rows: readonly Code[]): Promise<void> {
  const { t } = context;
  const count = rows.length;
  const names = rows.map(({ name }) => name);
  const dialog = {
    title: t('tui.dialog.disable', { count, noun: t('tui.nouns.codes', { count }) }),
    body: [namesText(names, context), t('tui.dialog.disable_codes')],
    verb: t('tui.dialog.disable_verb'),
  };
  if (count > 1 && !(await context.confirm(dialog))) return;
  await runEach(context, rows, ['redemption', 'disable'], 'disabled');
}
