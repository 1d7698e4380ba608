/** Table state for TanStack Table: columns, widths, order, selected and open rows. */
import { useCallbackRef } from '@mantine/hooks';
import {
  type Column as ColumnOf,
  columnPinningFeature,
  columnResizingFeature,
  columnSizingFeature,
  type ExpandedState,
  functionalUpdate,
  type Header as HeaderOf,
  type RowData,
  type RowSelectionState,
  rowExpandingFeature,
  rowSelectionFeature,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  type Updater,
  useTable,
} from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useColumnChoice } from './column-choice.ts';
import {
  type Column,
  chosenColumns,
  type DataTableProps,
  MIN_COLUMN_PX,
  type RowAction,
  widthsOf,
} from './columns.ts';

const features = tableFeatures({
  columnPinningFeature,
  columnResizingFeature,
  columnSizingFeature,
  rowExpandingFeature,
  rowSelectionFeature,
  rowSortingFeature,
  columnMeta: {} as { readonly align?: 'left' | 'right' | 'center' | undefined },
});
type Features = typeof features;

export type RowTable<T extends RowData> = ReturnType<typeof useRowTable<T>>['table'];
export type Header<T extends RowData> = HeaderOf<Features, T>;
export type TableColumn<T extends RowData> = ColumnOf<Features, T>;

/** The columns a table may have besides those of its page. */
export const SELECT_COLUMN = 'row-select';
export const OPEN_COLUMN = 'row-open';
const ACTIONS = 'row-actions';
export const SELECT_PX = 44;
export const OPEN_PX = 36;
const ACTION_PX = 32;

/** @param widthPx total width for all columns */
export function useRowTable<T extends RowData>(
  props: DataTableProps<T>,
  rows: readonly T[],
  widthPx: number,
) {
  const { id, rowId, actions, detail, onSelect, onSort } = props;
  const actionsPx = useMemo(() => actions && actionsWidth(rows, actions), [rows, actions]);
  const ownPx = (onSelect ? SELECT_PX : 0) + (detail ? OPEN_PX : 0) + (actionsPx ?? 0);
  const { choice, setWidths } = useColumnChoice(id, props.columns, widthPx - ownPx);
  const columns = useStableColumns(props.columns, chosenColumns(props.columns, choice));
  const widths = widthsOf(columns, widthPx - ownPx, choice.widths);
  const setWidth = (key: string, px: number | undefined) => {
    const { [key]: _, ...others } = choice.widths;
    setWidths(px === undefined ? others : { ...others, [key]: Math.max(MIN_COLUMN_PX, px) });
  };
  const [expanded, setExpanded] = useState<ExpandedState>({});
  const rowSelection: RowSelectionState = Object.fromEntries(
    [...(props.selected ?? [])].map((key) => [key, true]),
  );
  const sorting = readSorting(props.sort);
  const table = useTable({
    features,
    data: rows,
    columns: useColumnDefs(props, columns, actionsPx),
    getRowId: useCallbackRef((row: T) => String(rowId(row))),
    columnResizeMode: 'onChange',
    enableMultiSort: false,
    enableSortingRemoval: false,
    manualSorting: true,
    sortDescFirst: false,
    getRowCanExpand: () => detail !== undefined,
    state: {
      columnPinning: {
        start: [
          SELECT_COLUMN,
          OPEN_COLUMN,
          ...columns.filter(({ pin }) => pin).map(({ key }) => key),
        ],
        end: [ACTIONS],
      },
      columnSizing: widths,
      expanded,
      rowSelection,
      sorting,
    },
    onColumnSizingChange: (update) => {
      for (const [key, px] of Object.entries(functionalUpdate(update, widths)))
        if (px !== widths[key]) setWidth(key, px);
    },
    onExpandedChange: (update) => {
      const next = functionalUpdate(update, expanded);
      setExpanded(next);
      props.onOpen?.(Object.keys(next).length);
    },
    onRowSelectionChange: (update: Updater<RowSelectionState>) => {
      const next = functionalUpdate(update, rowSelection);
      onSelect?.(new Set(rows.map(rowId).filter((key) => next[key])));
    },
    onSortingChange: (update: Updater<SortingState>) => {
      const [first] = functionalUpdate(update, sorting);
      if (first) onSort?.(first.desc ? `-${first.id}` : first.id);
    },
  });
  return { table, columns, setWidth };
}

/** Returns the same list while the same columns are shown, so that rows do not re-render. */
function useStableColumns<T>(
  all: readonly Column<T>[],
  shown: readonly Column<T>[],
): readonly Column<T>[] {
  const keys = shown.map(({ key }) => key).join(' ');
  return useMemo(() => {
    const found = keys.split(' ').flatMap((key) => all.find((column) => column.key === key) ?? []);
    return [...found.filter(({ pin }) => pin), ...found.filter(({ pin }) => !pin)];
  }, [all, keys]);
}

function useColumnDefs<T>(
  { detail, onSelect, onSort }: DataTableProps<T>,
  columns: readonly Column<T>[],
  actionsPx: number | undefined,
) {
  const { t } = useTranslation();
  const hasBoxes = onSelect !== undefined;
  const canOpen = detail !== undefined;
  const canSort = onSort !== undefined;
  return useMemo(() => {
    const own = (id: string, size: number) => ({ id, size, enableResizing: false });
    return [
      ...(hasBoxes
        ? [{ ...own(SELECT_COLUMN, SELECT_PX), header: t('common.selectThisPage') }]
        : []),
      ...(canOpen ? [{ ...own(OPEN_COLUMN, OPEN_PX), header: t('part.table.detail') }] : []),
      ...columns.map(({ key, title, align, isSortable = false }) => ({
        id: key,
        header: title,
        minSize: MIN_COLUMN_PX,
        accessorFn: (row: T) => row,
        enableSorting: canSort && isSortable,
        meta: { align },
      })),
      ...(actionsPx === undefined
        ? []
        : [
            {
              ...own(ACTIONS, actionsPx),
              header: t('part.table.actions'),
              meta: { align: 'right' as const },
            },
          ]),
    ];
  }, [columns, hasBoxes, canOpen, canSort, actionsPx, t]);
}

/** Width for the icons of the row with the most of them, plus the menu. */
function actionsWidth<T>(rows: readonly T[], actions: (row: T) => readonly RowAction[]): number {
  const most = Math.max(
    0,
    ...rows.map((row) => actions(row).filter(({ isPrimary }) => isPrimary).length),
  );
  return Math.max(72, (most + 1) * ACTION_PX + 16);
}

function readSorting(sort = ''): SortingState {
  if (sort === '') return [];
  const desc = sort.startsWith('-');
  return [{ id: desc ? sort.slice(1) : sort, desc }];
}
