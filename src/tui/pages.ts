/** Text pages: the keys of a screen, and the message history. */
import stringWidth from 'string-width';
import { localTime } from '../session/text.ts';
import type { DashboardControl } from './dashboard-control.ts';

/** Texts are in the locales under `tui.keys`. */
const GENERAL: readonly (readonly [keys: string, name: string])[] = [
  ['1-7, Tab', 'screens'],
  ['j k, ↑ ↓', 'move'],
  ['PgUp PgDn Home End', 'page'],
  ['Enter', 'detail'],
  ['Esc, Backspace', 'back'],
  ['/', 'filter'],
  [':', 'command'],
  ['s S', 'sort'],
  ['Space V', 'mark'],
  ['c', 'columns'],
  ['p', 'pause'],
  ['r, Ctrl+R', 'refresh'],
  ['[ ]', 'pane'],
  ['m', 'messages'],
  ['o', 'browser'],
  ['?', 'help'],
  ['q, Ctrl+C', 'quit'],
];

/** Display name of a key. */
export function keyLabel(key: string): string {
  return key === 'delete' ? 'Del' : key;
}

export function helpText(runtime: DashboardControl): readonly string[] {
  const { t } = runtime.viewer;
  const own = runtime
    .actions()
    .map(({ key, name }): [string, string] => [key === 'delete' ? 'Del, Ctrl+D' : key, name]);
  const section = (rows: readonly (readonly [string, string])[]) => {
    const width = Math.max(0, ...rows.map(([keys]) => stringWidth(keys)));
    return rows.map(([keys, name]) => {
      const blanks = ' '.repeat(width - stringWidth(keys));
      return `  ${keys}${blanks}  ${t(`tui.keys.${name}`)}`;
    });
  };
  const open = runtime.opened();
  const fields = open === undefined ? [] : Object.keys(open.screen.filters);
  return [
    ...(own.length === 0 ? [] : [t(`tui.screens.${runtime.state.screen}`), ...section(own), '']),
    ...(fields.length === 0
      ? []
      : [
          t('tui.titles.filter'),
          `  ${t('tui.help.filter')}`,
          `  ${fields
            .filter((field) => field !== '*')
            .map((field) => `${field}:`)
            .join('  ')}`,
          '',
        ]),
    t('tui.titles.everywhere'),
    ...section(GENERAL),
  ];
}

export function messagesText({ state, viewer }: DashboardControl): readonly string[] {
  if (state.messages.length === 0) return [viewer.t('tui.messages.no_messages')];
  return state.messages.map(({ atMs, text }) => `${localTime(atMs / 1000).slice(11)}  ${text}`);
}
