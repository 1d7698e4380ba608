/** The first lines of every screen: where this is, how fresh it is, which screens there are. */

import { roleWord } from '../../domain/roles.ts';
import { localTime } from '../../session/text.ts';
import { BLANK, cut, type Line, type Span, spread, type Tone, widthOf } from '../model/line.ts';
import { clockText } from '../model/poll.ts';
import type { Runtime } from '../runtime.ts';
import { mayOpen } from '../screens/all.ts';
import { SCREEN_NAMES, type ScreenName } from '../screens/screen.ts';

export function headerLine(runtime: Runtime): Line {
  const { state, viewer } = runtime;
  const { site, columns } = state;
  const [who = '', readOnly] = whoText(runtime);
  const name: Line = [{ text: ` gateway ${site.profile}  `, tone: 'strong' }];
  const fieldLines: Line = [
    { text: `  v${site.version}`, tone: 'dim' },
    { text: `  ${who}`, tone: 'dim' },
    ...(readOnly === undefined ? [] : [{ text: `  ${readOnly}`, tone: 'warn' } as const]),
  ];
  const clock = localTime(viewer.nowMs() / 1000).slice(11);
  const { text, tone } = liveness(runtime);
  const right: Line = [{ text: '  ' }, { text, tone }, { text: `  ${clock} ` }];
  // A path or an address says most at its end, and gives way before all else.
  const room = columns - widthOf(name) - widthOf(fieldLines) - widthOf(right);
  return spread(
    [...name, { text: endOf(site.location, Math.max(8, room)) }, ...fieldLines],
    right,
    columns,
  );
}

/** Who is signed in, and whether the keys that change anything are gone. */
export function whoText({ state, viewer }: Runtime): readonly string[] {
  const { role: number, username } = state.site;
  const role = viewer.t(`tui.roles.${viewer.isOperator ? 'operator' : roleWord(number)}`);
  const who = username === '' ? role : `${username} ${role}`;
  return state.readOnly ? [who, viewer.t('tui.header.read_only')] : [who];
}

function endOf(text: string, width: number): string {
  return text.length <= width ? text : `…${text.slice(1 - width)}`;
}

interface Liveness {
  readonly kind: 'live' | 'paused' | 'offline';
  readonly text: string;
  readonly tone: Tone;
}

/** Whether what is shown is of now. */
export function liveness(runtime: Runtime): Liveness {
  const { state, viewer } = runtime;
  const { failures, failingSinceMs } = state.reads[state.screen];
  const { t } = viewer;
  if (state.isPaused) return { kind: 'paused', text: t('tui.header.paused'), tone: 'warn' };
  if (failures > 0) {
    const since = clockText((viewer.nowMs() - failingSinceMs) / 1000);
    return { kind: 'offline', text: t('tui.header.offline', { since }), tone: 'bad' };
  }
  const text = t('tui.header.live', { n: runtime.poller.everyMs() / 1000 });
  return { kind: 'live', text, tone: 'good' };
}

interface Tab {
  readonly screen: ScreenName;
  /** `2 Channels`: its key and its name. */
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

export function tabsLine(runtime: Runtime): Line {
  const { state, viewer } = runtime;
  const tabs = tabsOf(runtime).map(({ screen, name }): Span => {
    const isOpen = screen === state.screen;
    return { text: ` ${name} `, inverse: isOpen, ...(!isOpen && { tone: 'plain' }) };
  });
  return spread(tabs, [{ text: viewer.t('tui.header.help'), tone: 'dim' }], state.columns);
}

/** What the list holds, what it is narrowed to, how old it is. */
export function headingLine(runtime: Runtime): Line {
  const open = runtime.opened();
  if (open === undefined) return BLANK;
  const { t, nowMs } = runtime.viewer;
  const { atMs } = runtime.state.reads[open.screen.name];
  const age = atMs === 0 ? '' : t('tui.header.age', { n: Math.floor((nowMs() - atMs) / 1000) });
  const left: Line = [{ text: ' ' }, ...headingSpans(runtime)];
  const right: Line = [{ text: `${age} `, tone: 'dim' }];
  return cut(spread(left, right, runtime.state.columns), runtime.state.columns);
}

/** The heading but for its age. */
export function headingSpans(runtime: Runtime): Line {
  const open = runtime.opened();
  if (open === undefined) return BLANK;
  const { t } = runtime.viewer;
  const { screen, list } = open;
  return [
    ...screen.heading(list),
    ...(list.filter === ''
      ? []
      : [
          { text: `  ${t('tui.header.filter')} ${list.filter}`, tone: 'info' } as const,
          {
            text: `  ${t('tui.header.shown', { count: list.shown.length })}`,
            tone: 'dim',
          } as const,
        ]),
    ...(list.sort === undefined
      ? []
      : [
          {
            text: `  ${t('tui.header.sort')} ${t(`tui.columns.${list.sort.column}`)} `,
            tone: 'info',
          } as const,
          {
            text: list.sort.reverse ? '^' : 'v',
            tone: 'info',
            label: t(list.sort.reverse ? 'tui.speech.reversed' : 'tui.speech.in_order'),
          } as const,
        ]),
    ...(list.marks.size === 0
      ? []
      : [
          {
            text: `  ${t('tui.header.marked', { count: list.marks.size })}`,
            tone: 'warn',
          } as const,
        ]),
    ...(list.rows.length < list.total && isSearched(list)
      ? [
          {
            text: `  ${t('tui.header.of_read', { count: list.rows.length })}`,
            tone: 'dim',
          } as const,
        ]
      : []),
  ];
}

/** Sorting and looking for words see only what was read. */
function isSearched({
  sort,
  shown,
  rows,
}: {
  sort: unknown;
  shown: readonly object[];
  rows: readonly object[];
}) {
  return sort !== undefined || shown.length < rows.length;
}
