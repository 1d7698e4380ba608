/** The heads of a table, and in a long one how wide everything is. */
import { VisuallyHidden } from '@mantine/core';
import type { DataTableColumn } from 'mantine-datatable';
import type { CSSProperties } from 'react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Column, columnPx, type RowAction, type TableViewProps, wideKeys } from './columns.ts';
import classes from './DataTable.module.css';
import { SELECTION_PX } from './TableRow.tsx';

export type ActionsOf<T> = (row: T) => readonly RowAction[];

const ACTION_PX = 32;
const OPENER_PX = 36;

/**
 * The heads are the same until they look different: the table measures itself again for every new list
 * of them.
 */
export function useHeads<T, L>(props: TableViewProps<T>, actionsOf: ActionsOf<T> | undefined) {
  const { columns, detail, rows = [], onSelect, isLong = false } = props;
  const { t } = useTranslation();
  const actionsPx = useMemo(
    () => actionsOf && actionsWidth(Math.max(...rows.map((row) => primaries(actionsOf(row))), 0)),
    [rows, actionsOf],
  );
  const canOpen = detail !== undefined;
  const hasBoxes = onSelect !== undefined;
  const heads = useMemo(() => {
    const wide = isLong ? wideKeys(columns) : [];
    return [
      ...(canOpen ? [openHead<L>(t('part.grid.detail'))] : []),
      ...columns.map((column) => headOf<T, L>(column, wide.includes(column.key))),
      ...(actionsPx === undefined ? [] : [actionsHead<L>(t('part.grid.actions'), actionsPx)]),
    ];
  }, [columns, canOpen, actionsPx, isLong, t]);
  const look = useMemo(
    () => (isLong ? longLook({ columns, canOpen, hasBoxes, actionsPx }) : LOOK),
    [columns, canOpen, hasBoxes, actionsPx, isLong],
  );
  return { heads, look };
}

const LOOK = { className: classes.table ?? '' };

interface Widths<T> {
  readonly columns: readonly Column<T>[];
  readonly canOpen: boolean;
  readonly hasBoxes: boolean;
  readonly actionsPx: number | undefined;
}

/** Narrower than all its columns together it scrolls; the columns that stay then bear a shadow. */
function longLook<T>(widths: Widths<T>) {
  const { columns, canOpen, hasBoxes, actionsPx = 0 } = widths;
  const boxesPx = hasBoxes ? SELECTION_PX : 0;
  const openerPx = canOpen ? OPENER_PX : 0;
  const pinned = columns.filter(({ pin }) => pin !== undefined);
  return {
    className: `${classes.table} ${classes.long}`,
    style: {
      '--table-least': `${boxesPx + openerPx + sumPx(columns) + actionsPx}px`,
      '--tracks': tracksOf(widths),
      '--edge-left': `${boxesPx + sumPx(pinned)}px`,
      '--edge-right': `${actionsPx}px`,
    } as CSSProperties,
  };
}

/** For the grid that each row is: as wide as a column says; some share what the window leaves. */
function tracksOf<T>({ columns, canOpen, hasBoxes, actionsPx }: Widths<T>): string {
  const wide = wideKeys(columns);
  const tracks = columns.map((column) => {
    const px = `${columnPx(column)}px`;
    return wide.includes(column.key) ? `minmax(${px}, 1fr)` : px;
  });
  return [
    ...(hasBoxes ? [`${SELECTION_PX}px`] : []),
    ...(canOpen ? [`${OPENER_PX}px`] : []),
    ...tracks,
    ...(actionsPx === undefined ? [] : [`${actionsPx}px`]),
  ].join(' ');
}

function sumPx<T>(columns: readonly Column<T>[]): number {
  return columns.reduce((sum, column) => sum + columnPx(column), 0);
}

function primaries(actions: readonly RowAction[]): number {
  return actions.filter(({ isPrimary }) => isPrimary).length;
}

function actionsWidth(most: number): number {
  return Math.max(72, (most + 1) * ACTION_PX + 16);
}

function openHead<L>(label: string): DataTableColumn<L> {
  return {
    accessor: 'row.open',
    title: <VisuallyHidden>{label}</VisuallyHidden>,
    width: OPENER_PX,
  };
}

function actionsHead<L>(title: string, width: number): DataTableColumn<L> {
  return { accessor: 'row.actions', title, textAlign: 'right', width };
}

function headOf<T, L>(column: Column<T>, takesRest: boolean): DataTableColumn<L> {
  const { key, title, width, align = 'left', isSortable = false, pin } = column;
  return {
    accessor: `row.${key}`,
    title,
    textAlign: align,
    sortable: isSortable,
    ...(width !== undefined && !takesRest && { width }),
    ...(pin !== undefined && { pinned: pin }),
  };
}
