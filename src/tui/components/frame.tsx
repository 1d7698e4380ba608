/** A complete frame: header, tabs, the open screen, and the key hints. */
import { Box, useIsScreenReaderEnabled } from 'ink';
import { currentRow } from '../model/list.ts';
import { isTooSmall, listHeight, SMALLEST } from '../model/state.ts';
import type { Runtime } from '../runtime.ts';
import { BottomBar } from './bottom-bar.tsx';
import { Dashboard } from './dashboard.tsx';
import { Dialog } from './dialog.tsx';
import { Header, Heading, Tabs } from './header.tsx';
import { Detail, Table } from './table.tsx';
import { Toned } from './text.tsx';

/** Minimum width to show the detail beside a list. */
const WIDE = 100;
/** Minimum width for lists with long rows. */
const VERY_WIDE = 140;
const DETAIL_ROWS = 12;

interface Props {
  readonly runtime: Runtime;
}

/**
 * Uses one row less than the terminal, because a line break after the last row would scroll. A
 * dialog covers the lower part of the body, which is clipped only here: Ink applies only the
 * innermost clip.
 */
export function ScreenFrame({ runtime }: Props) {
  const { state, viewer } = runtime;
  const { columns, rows, overlay } = state;
  const height = listHeight(state) + 2;
  // A screen reader gets only what has the keyboard: the dialog, else the detail, else the list.
  const isCovered = useIsScreenReaderEnabled() && overlay !== undefined;
  if (isTooSmall(state)) return <TooSmall runtime={runtime} />;
  return (
    <Box flexDirection="column" width={columns} height={rows - 1} overflow="hidden">
      <Header runtime={runtime} />
      <Tabs runtime={runtime} />
      <Box flexDirection="column" height={height} overflow="hidden">
        <Box flexGrow={1} flexBasis={0} overflow="hidden" aria-hidden={isCovered}>
          <Box flexDirection="column" flexShrink={0} width={columns} height={height}>
            {state.screen === 'dashboard' ? (
              <Dashboard runtime={runtime} width={columns} height={height} />
            ) : (
              <List runtime={runtime} width={columns} height={height - 1} />
            )}
          </Box>
        </Box>
        {overlay && <Dialog overlay={overlay} width={columns} height={height} viewer={viewer} />}
      </Box>
      <BottomBar runtime={runtime} />
    </Box>
  );
}

function TooSmall({ runtime }: Props) {
  const { columns, rows } = runtime.state;
  const need = `${SMALLEST.columns}x${SMALLEST.rows}`;
  const size = `${columns}x${rows}`;
  return (
    <Box width={columns} height={Math.max(1, rows - 1)}>
      <Toned tone="warn">{runtime.viewer.t('tui.messages.too_small', { size, need })}</Toned>
    </Box>
  );
}

interface ListProps extends Props {
  readonly width: number;
  readonly height: number;
}

/** The heading, then table and detail, arranged by the available width. */
function List({ runtime, width, height }: ListProps) {
  const isRead = useIsScreenReaderEnabled();
  const open = runtime.opened();
  if (open === undefined) return null;
  const { state, viewer } = runtime;
  const { screen, list } = open;
  const isBeside = !isRead && width >= (screen.below ? VERY_WIDE : WIDE);
  const isBelow = !isRead && !isBeside && screen.below === true && width >= WIDE;
  const pane = Math.floor((width * state.paneShare) / 100) + 2;
  const detailRows = Math.min(Math.floor(height / 2), DETAIL_ROWS) + 1;
  const isDetailOpen = state.isDetailOpen && currentRow(list) !== undefined;
  const table = {
    ...{ screen, list, viewer, wasRead: state.reads[screen.name].atMs > 0 },
    width: isDetailOpen && isBeside ? width - pane : width,
    height: isDetailOpen && isBelow ? height - detailRows : height,
  };
  return (
    <>
      <Heading runtime={runtime} />
      <Box flexDirection={isBelow ? 'column' : 'row'} height={height}>
        {(!isDetailOpen || isBeside || isBelow) && <Table {...table} />}
        {isDetailOpen && (
          <Box
            // Ink keeps the width of a removed border, so each layout needs its own box.
            key={`${isBeside} ${isBelow}`}
            flexGrow={1}
            {...(isBeside || isBelow ? { borderStyle: 'single', borderDimColor: true } : {})}
            borderTop={isBelow}
            borderLeft={isBeside}
            borderRight={false}
            borderBottom={false}
            paddingLeft={isBeside ? 1 : 0}
          >
            <Detail screen={screen} list={list} viewer={viewer} />
          </Box>
        )}
      </Box>
    </>
  );
}
