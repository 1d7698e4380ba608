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
    .map(({ key, name }) => [key === 'delete' ? 'Del, Ctrl+D' : key, name] as const);
  const section = (title: string, rows: readonly (readonly [string, string])[]) => {
    const width = Math.max(0, ...rows.map(([keys]) => stringWidth(keys)));
    const lines = rows.map(([keys, name]) => {
      const blanks = ' '.repeat(width - stringWidth(keys));
      return `  ${keys}${blanks}  ${t(`tui.keys.${name}`)}`;
    });
    return lines.length === 0 ? [] : [t(title), ...lines, ''];
  };
  const filters = Object.keys(runtime.opened()?.screen.filters ?? {}).filter((key) => key !== '*');
  const fields = `  ${filters.map((field) => `${field}:`).join('  ')}`;
  return [
    ...section(`tui.screens.${runtime.state.screen}`, own),
    ...(filters.length === 0
      ? []
      : [t('tui.titles.filter'), `  ${t('tui.help.filter')}`, fields, '']),
    ...section('tui.titles.everywhere', GENERAL).slice(0, -1),
  ];
}

export function messagesText({ state, viewer }: DashboardControl): readonly string[] {
  if (state.messages.length === 0) return [viewer.t('tui.messages.no_messages')];
  return state.messages.map(({ atMs, text }) => `${localTime(atMs / 1000).slice(11)}  ${text}`);
}
