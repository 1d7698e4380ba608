import { Table } from '@mantine/core';
import type { RowData } from '@tanstack/react-table';
import { type RefObject, useDeferredValue, useLayoutEffect, useState } from 'react';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import type { DataTableProps } from './columns.ts';
import classes from './DataTable.module.css';
import { TableBody } from './TableBody.tsx';
import { TableHead } from './TableHead.tsx';
import { useRowTable } from './useRowTable.ts';

const NO_ROWS: readonly never[] = [];

export interface TableViewProps<T> extends DataTableProps<T> {
  /** The scroll container of the rows. */
  readonly viewport: RefObject<HTMLDivElement | null>;
}

/** The table view; `DataTable` decides when to use it. */
export function TableView<T extends RowData>(props: TableViewProps<T>) {
  const widthPx = useWidthPx(props.viewport);
  useFittedHeight(props.viewport);
  return (
    <div
      ref={props.viewport}
      className={classes.viewport}
      onScroll={({ currentTarget: { dataset, scrollLeft, scrollWidth, clientWidth } }) => {
        dataset.start = String(scrollLeft <= 0);
        dataset.end = String(scrollLeft + clientWidth >= scrollWidth - 1);
      }}
    >
      {widthPx > 0 && <SizedTable {...props} widthPx={widthPx} />}
    </div>
  );
}

/** Measured before the first paint, so that no empty table is shown in between. */
function useWidthPx(viewport: RefObject<HTMLDivElement | null>): number {
  const [widthPx, setWidthPx] = useState(0);
  useLayoutEffect(() => {
    const box = viewport.current;
    if (box === null) return;
    const measure = () => setWidthPx(box.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, [viewport]);
  return widthPx;
}

/** A table this far down its page is not what the page is about: the page scrolls to it. */
const MOST_ABOVE_PX = 420;

/** Sets how far down the page the rows begin, so that they scroll and the page does not. */
function useFittedHeight(viewport: RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    const measure = () => {
      const box = viewport.current;
      if (box === null) return;
      const topPx = Math.round(box.getBoundingClientRect().top + window.scrollY);
      if (topPx > MOST_ABOVE_PX) box.style.removeProperty('--rows-top');
      else box.style.setProperty('--rows-top', `${topPx}px`);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [viewport]);
}

function SizedTable<T extends RowData>(props: TableViewProps<T> & { readonly widthPx: number }) {
  const { label, isTight, widthPx } = props;
  const [density] = useStored(STORED.tableDensity);
  // The previous rows stay until the new ones are rendered, which keeps the page responsive.
  const rows = useDeferredValue(props.rows) ?? NO_ROWS;
  const { table, columns, setWidth } = useRowTable(props, rows, widthPx);
  const totalPx = table.getTotalSize();
  return (
    <Table
      aria-label={label}
      aria-rowcount={rows.length + 1}
      className={classes.table}
      w={totalPx}
      stickyHeader
      withRowBorders={false}
      data-tight={isTight || undefined}
      data-density={density}
      data-overflowing={totalPx > widthPx || undefined}
    >
      <colgroup>
        {table.getFlatHeaders().map((header) => (
          <col key={header.id} style={{ width: header.getSize() }} />
        ))}
      </colgroup>
      <TableHead table={table} onWidth={setWidth} />
      <TableBody {...props} table={table} columns={columns} />
    </Table>
  );
}
