/** Keys with the same meaning on every screen. */

import type { DashboardControl } from './dashboard-control.ts';
import { marked, markedTo, reversed, sortedByNext, unmarked, withFilter } from './model/list.ts';
import { confirmation } from './model/overlay.ts';
import { listHeight } from './model/state.ts';
import { textInput } from './model/text-input.ts';
import { helpText, messagesText } from './pages.ts';
import { DASHBOARD_PATH, mayOpen } from './screens/all.ts';
import { SCREEN_NAMES } from './screens/screen.ts';

const NARROWEST_PANE = 25;
const WIDEST_PANE = 70;
const PANE_STEP = 5;

type Key = (runtime: DashboardControl) => void;

const move =
  (by: (height: number) => number): Key =>
  (runtime) =>
    runtime.move(by(listHeight(runtime.state)));

const GLOBAL_KEYS: Readonly<Record<string, Key>> = {
  up: move(() => -1),
  k: move(() => -1),
  down: move(() => 1),
  j: move(() => 1),
  pageup: move((height) => -height),
  pagedown: move((height) => height),
  home: move(() => -Number.MAX_SAFE_INTEGER),
  end: move(() => Number.MAX_SAFE_INTEGER),
  tab: (runtime) => goBy(runtime, 1),
  'shift+tab': (runtime) => goBy(runtime, -1),
  enter: (runtime) => runtime.toggleDetail(),
  escape: back,
  backspace: back,
  '/': (runtime) => {
    const list = runtime.opened()?.list;
    if (list === undefined) return;
    const { filter } = list;
    runtime.set({
      prompt: { kind: 'filter', input: textInput(filter), before: filter, recalled: 0 },
    });
  },
  ':': (runtime) =>
    runtime.set({ prompt: { kind: 'command', input: textInput(), before: '', recalled: 0 } }),
  s: (runtime) => runtime.change(sortedByNext),
  S: (runtime) => runtime.change(reversed),
  space: (runtime) => runtime.change(marked),
  V: (runtime) => runtime.change(markedTo),
  c: (runtime) => void chooseColumns(runtime),
  p: (runtime) => {
    runtime.set({ isPaused: !runtime.state.isPaused });
    if (!runtime.state.isPaused) runtime.poller.readNow();
  },
  r: refresh,
  'ctrl+r': refresh,
  m: (runtime) => showPage(runtime, 'tui.titles.messages', messagesText(runtime)),
  '?': (runtime) => showPage(runtime, 'tui.titles.keys', helpText(runtime)),
  '[': (runtime) => resizePane(runtime, -PANE_STEP),
  ']': (runtime) => resizePane(runtime, PANE_STEP),
  o: (runtime) => void runtime.attempt(() => openInBrowser(runtime)),
  q: (runtime) => void quit(runtime),
};

export function globalKey(runtime: DashboardControl, key: string): void {
  const name = /^[1-7]$/.test(key) ? SCREEN_NAMES[Number(key) - 1] : undefined;
  if (name === undefined) GLOBAL_KEYS[key]?.(runtime);
  else runtime.go(name);
}

/** Switches to the next or previous screen that the role may open. */
function goBy(runtime: DashboardControl, by: 1 | -1): void {
  const { screens, viewer, state } = runtime;
  const open = SCREEN_NAMES.filter((name) => mayOpen(screens, name, viewer.role));
  const at = open.indexOf(state.screen);
  const next = open[(at + by + open.length) % open.length];
  if (next !== undefined) runtime.go(next);
}

/** Closes the detail, else clears marks and filter, else returns to the previous screen. */
function back(runtime: DashboardControl): void {
  const { state } = runtime;
  const open = runtime.opened();
  const before = state.trail.at(-1);
  if (open !== undefined && state.isDetailOpen) runtime.set({ isDetailOpen: false });
  else if (open !== undefined && open.list.marks.size > 0) runtime.change(unmarked);
  else if (open !== undefined && open.list.filter !== '') {
    runtime.change((list, screen) => withFilter(list, screen, ''));
    runtime.poller.readNow();
  } else if (before !== undefined) {
    runtime.go(before);
    runtime.set({ trail: state.trail.slice(0, -1) });
  }
}

function refresh(runtime: DashboardControl): void {
  if (runtime.state.isPaused) runtime.set({ isPaused: false });
  void runtime.attempt(() => runtime.poller.readOnce());
}

function showPage(runtime: DashboardControl, title: string, lines: readonly string[]): void {
  const isLog = title === 'tui.titles.messages';
  const top = isLog ? Math.max(0, lines.length - listHeight(runtime.state)) : 0;
  void runtime.open({ kind: 'text', title: runtime.viewer.t(title), lines, top });
}

function resizePane(runtime: DashboardControl, by: number): void {
  const share = runtime.state.paneShare + by;
  runtime.set({ paneShare: Math.min(WIDEST_PANE, Math.max(NARROWEST_PANE, share)) });
}

async function chooseColumns(runtime: DashboardControl): Promise<void> {
  const open = runtime.opened();
  if (open === undefined) return;
  const { t } = runtime.viewer;
  const keys = open.screen.columns.filter(({ width }) => width > 0).map(({ key }) => key);
  const on = new Set(keys.filter((key) => !open.list.hidden.has(key)));
  const options = keys.map((key) => ({ key, label: t(`tui.columns.${key}`) }));
  const title = t('tui.titles.columns');
  const answer = await runtime.open({ kind: 'choice', title, options, on, at: 0 });
  if (typeof answer !== 'string') return;
  const kept = answer.split(',');
  // At least one column stays visible, so that the user can still see what to restore.
  if (kept[0] === '') return;
  const hidden = new Set(keys.filter((key) => !kept.includes(key)));
  runtime.change((list) => ({ ...list, hidden }));
}

async function openInBrowser(runtime: DashboardControl): Promise<void> {
  const { ports, viewer } = runtime;
  const path = runtime.opened()?.screen.path ?? DASHBOARD_PATH;
  const url = `${await ports.address()}${path}`;
  if (await ports.openUrl(url))
    return runtime.showMessage(viewer.t('tui.messages.opened', { url }), 'good');
  runtime.showMessage(viewer.t('tui.messages.no_browser', { url }), 'warn');
}

async function quit(runtime: DashboardControl): Promise<void> {
  const { running } = runtime.state;
  const drafts = runtime.memory.drafts.size;
  const { t } = runtime.viewer;
  if (running + drafts === 0) return runtime.ports.quit('quit');
  const dialog = confirmation({
    title: t('tui.dialog.quit'),
    body: [
      ...(running > 0 ? [t('tui.dialog.quit_works', { count: running })] : []),
      ...(drafts > 0 ? [t('tui.dialog.quit_drafts', { count: drafts })] : []),
    ],
    verb: t('tui.dialog.quit_verb'),
  });
  if ((await runtime.open(dialog)) === true) runtime.ports.quit('quit');
}
