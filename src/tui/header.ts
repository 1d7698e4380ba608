/** The header's content as data, for the screen and for the screen-reader output. */
import { roleWord } from '../domain/roles.ts';
import type { Line, Tone } from './model/line.ts';
import type { List } from './model/list.ts';
import { durationText } from './model/poll.ts';
import type { Runtime } from './runtime.ts';
import { mayOpen } from './screens/all.ts';
import { type AnyRow, SCREEN_NAMES, type ScreenName, type Viewer } from './screens/screen.ts';

/** The signed-in user, and a note in read-only mode. */
export function whoText({ state, viewer }: Runtime): readonly string[] {
  const { role: number, username } = state.site;
  const role = viewer.t(`tui.roles.${viewer.isOperator ? 'operator' : roleWord(number)}`);
  const who = username === '' ? role : `${username} ${role}`;
  return state.readOnly ? [who, viewer.t('tui.header.read_only')] : [who];
}

interface Liveness {
  readonly kind: 'loading' | 'live' | 'paused' | 'offline';
  readonly text: string;
  readonly tone: Tone;
}

/** Whether the data is up to date. */
export function liveness(runtime: Runtime): Liveness {
  const { state, viewer } = runtime;
  const { atMs, failures, failingSinceMs } = state.reads[state.screen];
  const { t } = viewer;
  if (state.isPaused) return { kind: 'paused', text: t('tui.header.paused'), tone: 'warn' };
  if (failures > 0) {
    const since = durationText((viewer.nowMs() - failingSinceMs) / 1000);
    return { kind: 'offline', text: t('tui.header.offline', { since }), tone: 'bad' };
  }
  if (atMs === 0) return { kind: 'loading', text: '', tone: 'dim' };
  const text = t('tui.header.live', { n: runtime.poller.everyMs() / 1000 });
  return { kind: 'live', text, tone: 'good' };
}

interface Tab {
  readonly screen: ScreenName;
  /** `2 Channels`: key and name. */
  readonly name: string;
}

/** The screens that the role may open. */
export function tabsOf({ viewer, screens }: Runtime): readonly Tab[] {
  return SCREEN_NAMES.flatMap((screen, index): Tab[] =>
    mayOpen(screens, screen, viewer.role)
      ? [{ screen, name: `${index + 1} ${viewer.t(`tui.screens.${screen}`)}` }]
      : [],
  );
}

/** Heading of the open list: total, filter, sort order and marks; its name before the first rows. */
export function headingOf(runtime: Runtime): Line {
  const open = runtime.opened();
  if (open === undefined) return [];
  const { viewer, state } = runtime;
  const { screen, list } = open;
  // Rows arrive with their total, before the extra data.
  if (state.reads[screen.name].atMs === 0 && list.rows.length === 0)
    return [{ text: viewer.t(`tui.screens.${screen.name}`) }];
  return [
    ...screen.heading(list),
    ...filterSpans(list, viewer),
    ...sortSpans(list, viewer),
    ...markSpans(list, viewer),
  ];
}

function filterSpans({ filter, shown }: List<AnyRow>, { t }: Viewer): Line {
  if (filter === '') return [];
  return [
    { text: `  ${t('tui.header.filter')} ${filter}`, tone: 'info' },
    { text: `  ${t('tui.header.shown', { count: shown.length })}`, tone: 'dim' },
  ];
}

function sortSpans({ sort }: List<AnyRow>, { t }: Viewer): Line {
  if (sort === undefined) return [];
  const { column, reverse } = sort;
  const label = t(reverse ? 'tui.speech.reversed' : 'tui.speech.in_order');
  return [
    { text: `  ${t('tui.header.sort')} ${t(`tui.columns.${column}`)} `, tone: 'info' },
    { text: reverse ? '^' : 'v', tone: 'info', label },
  ];
}

/** Marks, and the number of loaded rows when sorting and searching cover only those. */
function markSpans({ marks, rows, shown, total, sort }: List<AnyRow>, { t }: Viewer): Line {
  const isPartial = rows.length < total && (sort !== undefined || shown.length < rows.length);
  const marked = t('tui.header.marked', { count: marks.size });
  const read = t('tui.header.of_read', { count: rows.length });
  return [
    ...(marks.size === 0 ? [] : [{ text: `  ${marked}`, tone: 'warn' } as const]),
    ...(isPartial ? [{ text: `  ${read}`, tone: 'dim' } as const] : []),
  ];
}
