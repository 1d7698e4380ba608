import { useCallbackRef } from '@mantine/hooks';
import type { RowData } from '@tanstack/react-table';
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { Fragment, type RefObject, useMemo } from 'react';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import { useIsPrinted } from '../../lib/display/screen.ts';
import type { Column, DataTableProps } from './columns.ts';
import { type SharedRowProps, TableRow } from './TableRow.tsx';
import type { RowTable } from './useRowTable.ts';

/** Shorter lists, and lists being printed, are rendered without virtualization. */
const WHOLE_ROWS = 30;
/** Rows rendered beyond each end of the viewport. */
const OVERSCAN = 4;
const ROW_PX = { comfortable: 40, compact: 34 };

interface TableBodyProps<T extends RowData> extends DataTableProps<T> {
  readonly table: RowTable<T>;
  readonly columns: readonly Column<T>[];
  readonly viewport: RefObject<HTMLDivElement | null>;
}

/** The table body: for a long list, the rows in the viewport and the focused one. */
export function TableBody<T extends RowData>(props: TableBodyProps<T>) {
  const { table, viewport, isMuted, mark } = props;
  const { rows } = table.getRowModel();
  const look = useRowLook(props);
  const [density] = useStored(STORED.tableDensity);
  const isWhole = useIsPrinted() || rows.length <= WHOLE_ROWS;
  const virtualizer = useVirtualizer({
    count: rows.length,
    enabled: !isWhole,
    getScrollElement: () => viewport.current,
    estimateSize: () => ROW_PX[density],
    getItemKey: (index) => rows[index]?.id ?? index,
    initialRect: {
      width: 0,
      height: viewport.current?.clientHeight || WHOLE_ROWS * ROW_PX[density],
    },
    overscan: OVERSCAN,
    rangeExtractor: (range) => withFocused(range, viewport.current),
  });
  const items = isWhole
    ? rows.map((_, index) => ({ index, start: 0, end: 0 }))
    : virtualizer.getVirtualItems();
  let end = 0;
  const drawn = items.map((item) => {
    const row = rows[item.index];
    if (row === undefined) return null;
    const gapPx = item.start - end;
    end = item.end;
    return (
      <Fragment key={row.id}>
        <Gap px={gapPx} />
        <TableRow
          record={row.original}
          id={row.id}
          index={item.index}
          look={look}
          measure={isWhole ? undefined : virtualizer.measureElement}
          isChosen={row.getIsSelected()}
          isOpen={row.getIsExpanded()}
          isMuted={isMuted?.(row.original) ?? false}
          mark={mark?.(row.original)}
        />
      </Fragment>
    );
  });
  return (
    <>
      {drawn}
      <Gap px={isWhole ? 0 : virtualizer.getTotalSize() - end} />
    </>
  );
}

/** A spacer for rows that are not rendered. */
function Gap({ px }: { readonly px: number }) {
  if (px <= 0) return null;
  return (
    <tbody aria-hidden>
      <tr>
        <td style={{ height: px, padding: 0 }} />
      </tr>
    </tbody>
  );
}

/** Keeps the focused row mounted when it is scrolled away, so that its input and focus survive. */
function withFocused(range: Range, viewport: HTMLElement | null): number[] {
  const shown = defaultRangeExtractor(range);
  const focused = viewport?.querySelector<HTMLElement>('tbody[data-index]:focus-within');
  const index = Number(focused?.dataset.index ?? -1);
  if (index < 0 || index >= range.count || shown.includes(index)) return shown;
  return [...shown, index].sort((a, b) => a - b);
}

/** The props shared by all rows; memoized, so that rows do not re-render. */
function useRowLook<T extends RowData>(props: TableBodyProps<T>): SharedRowProps<T> {
  const { table, columns, actions, detail, onRow, onSelect } = props;
  const onChoose = useCallbackRef((id: string, event: unknown) =>
    table.getRow(id).getToggleSelectedHandler()(event),
  );
  const onToggle = useCallbackRef((id: string) => table.getRow(id).toggleExpanded());
  const onEnter = useCallbackRef(onRow);
  const hasBoxes = onSelect !== undefined;
  const isReached = onRow !== undefined;
  return useMemo(
    () => ({
      columns,
      actions,
      detail,
      hasBoxes,
      onChoose,
      onToggle,
      onEnter: isReached ? onEnter : undefined,
    }),
    [columns, actions, detail, hasBoxes, isReached, onChoose, onToggle, onEnter],
  );
}
