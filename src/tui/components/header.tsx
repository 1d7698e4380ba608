/** The header of every screen: the gateway, the age of the data, and the tabs. */
import { Box, Text } from 'ink';
import { roleWord } from '../../domain/roles.ts';
import { localTime } from '../../session/text.ts';
import type { Line } from '../model/line.ts';
import { durationText } from '../model/poll.ts';
import type { Runtime } from '../runtime.ts';
import { mayOpen } from '../screens/all.ts';
import { SCREEN_NAMES } from '../screens/screen.ts';
import { Fixed, Inverse, Spans, Toned } from './text.tsx';

interface Props {
  readonly runtime: Runtime;
}

export function Header({ runtime }: Props) {
  const { state, viewer } = runtime;
  const { site, readOnly } = state;
  const role = viewer.t(`tui.roles.${viewer.isOperator ? 'operator' : roleWord(site.role)}`);
  return (
    <Box height={1} overflow="hidden" paddingX={1} columnGap={2} justifyContent="space-between">
      <Box columnGap={2}>
        <Fixed tone="strong">gateway {site.profile}</Fixed>
        <Box minWidth={8}>
          <Toned wrap="truncate-start">{site.location}</Toned>
        </Box>
        <Fixed tone="dim">{`v${site.version}  ${`${site.username} ${role}`.trim()}`}</Fixed>
        {readOnly && <Fixed tone="warn">{viewer.t('tui.header.read_only')}</Fixed>}
      </Box>
      <Fixed>
        <Spans line={liveness(runtime)} />
        <Toned aria-hidden>{`  ${localTime(viewer.nowMs() / 1000).slice(11)}`}</Toned>
      </Fixed>
    </Box>
  );
}

/** Whether the data is up to date. */
function liveness({ state, viewer, poller }: Runtime): Line {
  const { t } = viewer;
  const { atMs, failures, failingSinceMs } = state.reads[state.screen];
  if (state.isPaused) return [{ text: t('tui.header.paused'), tone: 'warn' }];
  if (failures > 0) {
    const since = durationText((viewer.nowMs() - failingSinceMs) / 1000);
    return [{ text: t('tui.header.offline', { since }), tone: 'bad' }];
  }
  if (atMs === 0) return [];
  return [{ text: t('tui.header.live', { n: poller.everyMs() / 1000 }), tone: 'good' }];
}

export function Tabs({ runtime }: Props) {
  const { screens, viewer, state } = runtime;
  return (
    <Box height={1} justifyContent="space-between">
      <Box overflow="hidden">
        {SCREEN_NAMES.map((screen, index) => {
          if (!mayOpen(screens, screen, viewer.role)) return null;
          const name = ` ${index + 1} ${viewer.t(`tui.screens.${screen}`)} `;
          return (
            <Fixed key={screen}>
              <Text>{screen === state.screen ? <Inverse>{name}</Inverse> : name}</Text>
            </Fixed>
          );
        })}
      </Box>
      <Fixed tone="dim">{viewer.t('tui.header.help')}</Fixed>
    </Box>
  );
}

/** The list's total, filter, sort order and marks, and the age of its data. */
export function Heading({ runtime }: Props) {
  const { state, viewer } = runtime;
  const { atMs } = state.reads[state.screen];
  const seconds = Math.floor((viewer.nowMs() - atMs) / 1000);
  return (
    <Box height={1} paddingX={1} columnGap={1} justifyContent="space-between">
      <Spans line={headingOf(runtime)} />
      <Box flexShrink={0} aria-hidden>
        <Toned tone="dim">{atMs === 0 ? '' : viewer.t('tui.header.age', { n: seconds })}</Toned>
      </Box>
    </Box>
  );
}

/** The name of the list before its first rows, which arrive with their total. */
function headingOf(runtime: Runtime): Line {
  const open = runtime.opened();
  if (open === undefined) return [];
  const { viewer, state } = runtime;
  const { t } = viewer;
  const { screen, list } = open;
  const { filter, shown, sort, marks, rows, total } = list;
  if (state.reads[screen.name].atMs === 0 && rows.length === 0)
    return [{ text: t(`tui.screens.${screen.name}`) }];
  const head = screen.heading(list);
  const parts: Line = [
    { text: filter && `${t('tui.header.filter')} ${filter}`, tone: 'info' },
    { text: filter && t('tui.header.shown', { count: shown.length }), tone: 'dim' },
    {
      text: sort
        ? `${t('tui.header.sort')} ${t(`tui.columns.${sort.column}`)} ${sort.reverse ? '^' : 'v'}`
        : '',
      tone: 'info',
    },
    { text: marks.size > 0 ? t('tui.header.marked', { count: marks.size }) : '', tone: 'warn' },
    // Sorting and searching cover only the rows that are loaded.
    {
      text:
        rows.length < total && (sort !== undefined || shown.length < rows.length)
          ? t('tui.header.of_read', { count: rows.length })
          : '',
      tone: 'dim',
    },
  ];
  const more = parts.filter(({ text }) => text !== '');
  return [...head, ...more.map((part) => ({ ...part, text: `  ${part.text}` }))];
}
