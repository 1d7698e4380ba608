/** The options screen: run-time settings. Changes are kept as drafts until saved. */

import { isOptionKey, type OptionKey, optionRowOf } from '../../domain/options/registry.ts';
import type { OptionRow } from '../../domain/options/row.ts';
import { optionSummary } from '../../domain/options/summary.ts';
import { ROLES } from '../../domain/roles.ts';
import { parseJson } from '../../json/read-json.ts';
import { listText } from '../../locales/text.ts';
import { oneLine } from '../../session/text.ts';
import { withoutLastLineBreak } from '../../session/values.ts';
import { type CellText, column, UNTITLED } from '../model/columns.ts';
import type { Line } from '../model/line.ts';
import type { Action, ActionContext, Screen, Viewer } from './screen.ts';
import { change, rowAction, rowChange } from './shared-actions.ts';

export interface OptionLine {
  readonly key: OptionKey;
  readonly value: string;
  readonly changed: boolean;
  readonly row: OptionRow;
}

export function optionsScreen(viewer: Viewer): Screen<OptionLine> {
  const { t, memory } = viewer;
  return {
    name: 'options',
    role: ROLES.admin,
    everyMs: 30_000,
    path: '/admin/settings',
    columns: [
      column('section', 14, ({ row }) => ({ text: t(`tui.sections.${row.group}`), tone: 'dim' }), {
        ...UNTITLED,
      }),
      column('option', 24, ({ key }) => key, { grow: 1, ...UNTITLED }),
      column('value', 20, (line) => valueShown(line, viewer), { grow: 2, ...UNTITLED }),
      column('kind', 0, ({ row }) => kindText(row, viewer)),
      column('default', 12, ({ row }) => ({ text: oneLine(row.fallback) || '-', tone: 'dim' }), {
        grow: 1,
        drop: 1,
        full: ({ row }) => row.fallback || '-',
      }),
      column('changed', 7, ({ changed }) => (changed ? '•' : ''), {
        drop: 2,
        full: ({ changed }) => t(changed ? 'tui.words.yes' : 'tui.words.no'),
        order: ({ changed }) => (changed ? 0 : 1),
      }),
      // Only for the filter: the details begin with it.
      column('summary', 0, ({ key }) => optionSummary(key, viewer.language), UNTITLED),
    ],
    filters: {
      changed: (word) => (word === 'yes' ? { changed: true } : undefined),
    },
    id: ({ key }) => key,
    actions: ACTIONS,
    async read(api, { p, page_size }, query) {
      const options = await api.option.list(query);
      const items = options.flatMap(({ key, value, changed }): OptionLine[] =>
        isOptionKey(key) ? [{ key, value, changed, row: optionRowOf(key) }] : [],
      );
      items.sort((a, b) => a.row.group.localeCompare(b.row.group));
      return { items: items.slice((p - 1) * page_size, p * page_size), total: items.length };
    },
    heading({ total }) {
      const { size: count } = memory.drafts;
      return [
        { text: t('tui.heading.options', { count: total }) },
        { text: count > 0 ? `  ${t('tui.heading.drafts', { count })}` : '', tone: 'warn' },
      ];
    },
    head: ({ key, row }) => [
      [
        { text: key, tone: 'strong' },
        { text: `   ${t(`tui.sections.${row.group}`)}`, tone: 'dim' },
      ],
      [{ text: optionSummary(key, viewer.language) }],
    ],
    tail({ key, value }) {
      const draft = memory.drafts.get(key);
      return [
        ...linesOf(t('tui.columns.value'), value),
        ...(draft === undefined ? [] : linesOf(t('tui.columns.draft'), draft)),
      ];
    },
  };
}

function valueShown({ key, value }: OptionLine, { memory }: Viewer): CellText {
  const draft = memory.drafts.get(key);
  const saved = oneLine(value) || '-';
  if (draft === undefined) return { text: saved };
  return { text: `${saved} → ${oneLine(draft) || '-'} *`, tone: 'warn' };
}

function kindText(row: OptionRow, { t }: Viewer): string {
  const bounds = row.type === 'int' || row.type === 'number' ? `${row.min}..${row.max ?? ''}` : '';
  const choices = row.type === 'choice' ? listText(row.choices, t) : '';
  return [row.type, bounds, choices].filter(Boolean).join(' ');
}

/** Indents JSON for display. */
function linesOf(title: string, value: string): readonly Line[] {
  return [
    [{ text: title, tone: 'dim' }],
    ...readable(value)
      .split('\n')
      .map((text) => [{ text }]),
  ];
}

function readable(value: string): string {
  const parsed = /^\s*[[{]/.test(value) ? parseJson(value) : undefined;
  return parsed === undefined ? value : JSON.stringify(parsed, null, 2);
}

const ACTIONS: readonly Action<OptionLine>[] = [
  rowChange('e', 'edit', edit),
  rowChange('v', 'editor', editInEditor),
  change('u', 'undo', 'rows', undo),
  change('w', 'save', 'none', save),
  rowAction('y', 'copy_value', (context, row) => context.copy(row.value, row.key)),
];

async function edit(context: ActionContext, line: OptionLine): Promise<void> {
  const { key, row } = line;
  const now = context.viewer.memory.drafts.get(key) ?? line.value;
  if (row.type === 'bool') return draft(context, line, now === 'true' ? 'false' : 'true');
  if (row.type === 'choice') {
    const next = row.choices[(row.choices.indexOf(now) + 1) % row.choices.length];
    return draft(context, line, next ?? now);
  }
  if (row.type === 'json' || now.includes('\n')) return editInEditor(context, line);
  const label = optionSummary(key, context.viewer.language);
  const text = await context.ask({ title: key, label }, now);
  if (text !== undefined) draft(context, line, text);
}

async function editInEditor(context: ActionContext, line: OptionLine): Promise<void> {
  const now = readable(context.viewer.memory.drafts.get(line.key) ?? line.value);
  const edited = withoutLastLineBreak(
    await context.edit(now, line.row.type === 'json' ? 'json' : 'txt'),
  );
  if (edited === now) return context.showMessage(context.t('tui.messages.unchanged'));
  draft(context, line, edited);
}

function draft({ viewer, redraw }: ActionContext, { key, value }: OptionLine, text: string): void {
  if (text === value) viewer.memory.drafts.delete(key);
  else viewer.memory.drafts.set(key, text);
  redraw();
}

function undo({ viewer, redraw }: ActionContext, lines: readonly OptionLine[]): void {
  for (const { key } of lines) viewer.memory.drafts.delete(key);
  redraw();
}

/** Saves all drafts or none, after showing the differences. */
async function save(context: ActionContext): Promise<void> {
  const { drafts } = context.viewer.memory;
  if (drafts.size === 0) return context.showMessage(context.t('tui.messages.unchanged'));
  const body: string[] = [];
  const options: { key: string; value: string; before?: string }[] = [];
  for (const [key, value] of drafts) {
    const { value: before, secret } = await context.api.option.get({ key });
    body.push(`${key}:`, `- ${oneLine(before)}`, `+ ${oneLine(value)}`);
    options.push({ key, value, ...(!secret && { before }) });
  }
  const title = context.t('tui.dialog.save_options', { count: drafts.size });
  if (!(await context.confirm({ title, body, verb: context.t('tui.dialog.save_verb') }))) return;
  await context.api.option.setMany({ options });
  context.showMessage(context.t('tui.messages.saved', { count: drafts.size }), 'good');
  drafts.clear();
  context.refresh();
}
