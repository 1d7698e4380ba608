/** The visible rows of a list, and the full text of the row under the cursor. */
import { Box, Text, useIsScreenReaderEnabled } from 'ink';
import stringWidth from 'string-width';
import { truncated } from '../../session/text.ts';
import {
  type CellText,
  type Column,
  type FittedColumn,
  fitColumns,
  GAP,
} from '../model/columns.ts';
import type { Tone } from '../model/line.ts';
import { currentRow, type List, windowOf } from '../model/list.ts';
import { columnName, fieldLines, named } from '../screens/format.ts';
import type { AnyRow, AnyScreen, Viewer } from '../screens/screen.ts';
import { Inverse, Spans, Toned } from './text.tsx';

/** Cells for the cursor and the mark. */
const MARGIN = 2;

interface Props {
  readonly screen: AnyScreen;
  readonly list: List<AnyRow>;
  readonly viewer: Viewer;
  readonly width: number;
  readonly height: number;
  readonly wasRead: boolean;
}

export function Table(props: Props) {
  const { screen, list, viewer, width, height, wasRead } = props;
  const { t } = viewer;
  const isRead = useIsScreenReaderEnabled();
  const { start, rows } = windowOf(list, height - 1);
  const title = ({ key }: Column<AnyRow>) => {
    const isSorted = list.sort?.column === key;
    const arrow = isSorted ? (list.sort?.reverse ? '^' : 'v') : '';
    return { text: t(`tui.columns.${key}`).toUpperCase() + arrow, tone: 'dim' as const };
  };
  const longest = (column: Column<AnyRow>) => {
    // Before the first rows there is nothing to measure.
    if (rows.length === 0) return column.width;
    const texts = [title(column), ...rows.map((row) => column.shown(row))];
    return Math.max(...texts.map(({ text }) => stringWidth(text)));
  };
  const columns = fitColumns(screen.columns, list.hidden, width - MARGIN - GAP, longest);
  return (
    <Box flexDirection="column" flexShrink={0} width={width} height={height}>
      {!isRead && <Row columns={columns} width={width} cell={title} />}
      {rows.map((row, index) =>
        isRead ? (
          <Text key={screen.id(row)}>{rowText(props, row, start + index)}</Text>
        ) : (
          <Row
            key={screen.id(row)}
            columns={columns}
            width={width}
            cell={(column) => column.shown(row)}
            isCursor={start + index === list.cursor}
            isMarked={list.marks.has(screen.id(row))}
          />
        ),
      )}
      {rows.length === 0 && (
        <Box paddingLeft={MARGIN + GAP}>
          <Toned tone="dim">{t(wasRead ? 'tui.messages.nothing' : 'tui.messages.loading')}</Toned>
        </Box>
      )}
    </Box>
  );
}

/** `> 3/42, name: azure-eu, state: off`: a row for a screen reader, with all columns that it fills. */
function rowText({ screen, list, viewer }: Props, row: AnyRow, index: number): string {
  const { t } = viewer;
  const total = list.shown.length < list.rows.length ? list.shown.length : list.total;
  const cells = screen.columns
    .filter(({ key, width }) => width > 0 && !list.hidden.has(key))
    .map((column) => {
      const { text, label = text }: CellText = column.shown(row);
      return { name: columnName(column.key, viewer), value: label.trim() };
    })
    .filter(({ value }) => value !== '' && value !== '-');
  return [
    ...(index === list.cursor ? [`> ${index + 1}/${total}`] : []),
    ...(list.marks.has(screen.id(row)) ? [t('tui.speech.marked')] : []),
    ...cells.map((cell) => named(cell, t)),
  ].join(t('tui.words.comma'));
}

interface RowProps {
  readonly columns: readonly FittedColumn<AnyRow>[];
  readonly width: number;
  readonly cell: (column: Column<AnyRow>) => { readonly text: string; readonly tone?: Tone };
  readonly isCursor?: boolean;
  readonly isMarked?: boolean;
}

function Row({ columns, width, cell, isCursor = false, isMarked = false }: RowProps) {
  const shown = (text: string, tone?: Tone) =>
    isCursor ? (
      <Text wrap="truncate">
        <Inverse>{text}</Inverse>
      </Text>
    ) : (
      <Toned tone={tone}>{text}</Toned>
    );
  return (
    <Box height={1} flexShrink={0} columnGap={GAP}>
      {isCursor && <Box position="absolute">{shown(' '.repeat(width))}</Box>}
      <Box width={MARGIN} flexShrink={0}>
        {shown(`${isCursor ? '>' : ' '}${isMarked ? '*' : ' '}`, isMarked ? 'warn' : 'plain')}
      </Box>
      {columns.map(({ column, width }) => {
        const { text, tone } = cell(column);
        return (
          <Box
            key={column.key}
            width={width}
            flexShrink={0}
            justifyContent={column.align === 'right' ? 'flex-end' : 'flex-start'}
          >
            {/* Ink truncates wide characters one cell too late. */}
            {shown(truncated(text, width), tone)}
          </Box>
        );
      })}
    </Box>
  );
}

export function Detail({ screen, list, viewer }: Pick<Props, 'screen' | 'list' | 'viewer'>) {
  const row = currentRow(list);
  if (row === undefined) return null;
  const fields = fieldLines(screen.columns, row, viewer);
  const lines = [...screen.head(row), ...fields, ...(screen.tail?.(row) ?? [])];
  return (
    <Box flexDirection="column" flexGrow={1}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are identified by position.
        <Box key={index} flexShrink={0}>
          <Spans line={line} wrap="wrap" />
        </Box>
      ))}
    </Box>
  );
}
