import 'mantine-datatable/styles.layer.css';
import { useCallbackRef } from '@mantine/hooks';
import { DataTable, type DataTableProps } from 'mantine-datatable';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { STORED, useStored } from '../../lib/stored.ts';
import { placesOf, type RowAction, type TableViewProps } from './columns.ts';
import classes from './DataTable.module.css';
import { type ActionsOf, useHeads } from './TableHead.tsx';
import { AwaitedRow, cellColumn, type RowLook, TableRow } from './TableRow.tsx';
import { useStages } from './useStages.ts';

type RowId = string | number;

/** Rows are wrapped, because the table wants objects of one known kind with an id. */
interface Line<T> {
  /** What the table knows the row by: its own id, or its place among those that are written anew. */
  readonly id: RowId;
  readonly rowId: RowId;
  readonly row: T;
  /** What is drawn in its place: the row; one that is left until its turn comes; or nothing yet. */
  readonly shown: Shown<T> | undefined;
}

interface Shown<T> {
  readonly rowId: RowId;
  readonly row: T;
}

/** The table itself; `DataTable` decides when it is one. */
export function TableView<T>(props: TableViewProps<T>) {
  const { label, selected, onSelect } = props;
  const { t } = useTranslation();
  const [density] = useStored(STORED.tableDensity);
  const { lines, drawn, isPartial } = useLines(props);
  const actionsOf = useActions(props.actions);
  const drawRow = useRows(props, lines, { actionsOf, drawn });
  const { heads, look } = useHeads<T, Line<T>>(props, actionsOf);
  return (
    <DataTable<Line<T>>
      aria-label={label}
      {...look}
      data-density={density}
      data-drawn={isPartial ? drawn : undefined}
      scrollViewportRef={props.viewport}
      records={lines}
      idAccessor="id"
      // Its own words stand there unseen beside any rows, and screen readers say them.
      emptyState={<span />}
      columns={heads}
      verticalSpacing={0}
      horizontalSpacing={props.isTight ? 6 : 'sm'}
      highlightOnHover
      maxHeight="max(320px, calc(100dvh - 240px))"
      pinLastColumn={actionsOf !== undefined}
      rowFactory={drawRow}
      {...(onSelect && {
        selectedRecords: lines.filter((line) => selected?.has(line.rowId)),
        onSelectedRecordsChange: (chosen: Line<T>[]) =>
          onSelect(new Set(chosen.map((line) => line.rowId))),
        allRecordsSelectionCheckboxProps: { 'aria-label': t('part.grid.selectAll'), size: 'xs' },
      })}
      {...sorting(props)}
    />
  );
}

/** The rows with what is drawn of them by now. */
function useLines<T>(props: TableViewProps<T>) {
  const { rows = NO_ROWS, rowId } = props;
  const ids = rows.map(rowId);
  const placeOf = usePlaces(ids, props.isLong ?? false);
  const stages = useStages(rows, ids);
  const before = useRef<ReadonlyMap<RowId, Shown<T> | undefined>>(new Map());
  const lines = rows.map((row, index): Line<T> => {
    const own = ids[index] ?? index;
    const id = placeOf(own);
    const shown = index < stages.drawn ? { rowId: own, row } : before.current.get(id);
    return { id, rowId: own, row, shown };
  });
  useLayoutEffect(() => {
    before.current = new Map(lines.map(({ id, shown }) => [id, shown]));
  });
  return { lines, ...stages };
}

const NO_ROWS: readonly never[] = [];

/** Records that stay keep their place; new ones take the places of those that are gone. */
function usePlaces(ids: readonly RowId[], isLong: boolean): (id: RowId) => RowId {
  const before = useRef<ReadonlyMap<RowId, number>>(new Map());
  const places = placesOf(before.current, isLong ? ids : []);
  useLayoutEffect(() => {
    before.current = places;
  });
  return (id) => places.get(id) ?? id;
}

/** A row's actions, made once for as long as neither the row nor what can be done with it changes. */
function useActions<T>(actions: ActionsOf<T> | undefined): ActionsOf<T> | undefined {
  return useMemo(() => {
    if (actions === undefined) return undefined;
    const made = new WeakMap<object, readonly RowAction[]>();
    return (row) => {
      const key = row as object; // every list is one of records
      const own = made.get(key) ?? actions(row);
      made.set(key, own);
      return own;
    };
  }, [actions]);
}

type DrawRow<T> = NonNullable<DataTableProps<Line<T>>['rowFactory']>;

/** How a row is drawn; what the table itself would draw is too dear for a hundred of them. */
function useRows<T>(
  props: TableViewProps<T>,
  lines: readonly Line<T>[],
  { actionsOf, drawn }: { readonly actionsOf: ActionsOf<T> | undefined; readonly drawn: number },
): DrawRow<T> {
  const { columns, detail, onRow, selected, onSelect } = props;
  const { t } = useTranslation();
  const open = useOpenRows(props);
  const onChoose = useCallbackRef(useChoosing(props, lines));
  // A row that is left may still stand there, unseen, where a press lands.
  const onToggle = useCallbackRef((id: RowId) => {
    if (lines.some(({ rowId }) => rowId === id)) open.toggle(id);
  });
  const onEnter = useCallbackRef((row: T) => {
    if (lines.some((line) => line.row === row)) onRow?.(row);
  });
  const hasBoxes = onSelect !== undefined;
  const isReached = onRow !== undefined;
  const look = useMemo((): RowLook<T> => {
    const cells = columns.map((column) => cellColumn(column, hasBoxes));
    return {
      cells,
      detail,
      span: cells.length + Number(hasBoxes) + Number(detail !== undefined) + 1,
      hasBoxes,
      isEdge: !cells.some(({ pin }) => pin !== undefined),
      selectLabel: t('part.grid.select'),
      openLabel: t('part.grid.detail'),
      onChoose,
      onToggle,
      onEnter: isReached ? onEnter : undefined,
    };
  }, [columns, detail, hasBoxes, isReached, t, onChoose, onToggle, onEnter]);
  return ({ record: { shown }, index }) => {
    const waiting = index >= drawn ? classes.waiting : undefined;
    if (shown === undefined) return <AwaitedRow span={look.span} className={waiting} />;
    const { rowId: id, row } = shown;
    return (
      <TableRow<T>
        row={row}
        id={id}
        look={look}
        className={rowClasses(props, row, waiting)}
        actions={actionsOf?.(row)}
        isChosen={selected?.has(id) ?? false}
        isOpen={open.ids.includes(id)}
      />
    );
  };
}

/** Chooses a row or gives it up; with Shift, all rows since the last one. */
function useChoosing<T>({ selected, onSelect }: TableViewProps<T>, lines: readonly Line<T>[]) {
  const last = useRef<RowId>(undefined);
  return (id: RowId, withShift: boolean) => {
    const ids = lines.map((line) => line.rowId);
    const from = withShift && last.current !== undefined ? ids.indexOf(last.current) : -1;
    const to = ids.indexOf(id);
    const meant = from < 0 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1);
    const next = new Set(ids.filter((one) => selected?.has(one)));
    const isChosen = next.has(id);
    for (const one of meant) {
      if (isChosen) next.delete(one);
      else next.add(one);
    }
    last.current = id;
    onSelect?.(next);
  };
}

function useOpenRows<T>({ onOpen }: TableViewProps<T>) {
  const [ids, setIds] = useState<readonly RowId[]>([]);
  const toggle = (id: RowId) => {
    const next = ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id];
    setIds(next);
    onOpen?.(next.length);
  };
  return { ids, toggle };
}

function rowClasses<T>(
  { isMuted, mark, onRow, detail }: TableViewProps<T>,
  row: T,
  waiting: string | undefined,
): string {
  const marked = mark?.(row);
  return [
    'mantine-datatable-row',
    isMuted?.(row) && classes.muted,
    marked !== undefined && classes[marked],
    (onRow || detail) && classes.clickable,
    waiting,
  ]
    .filter(Boolean)
    .join(' ');
}

/** The table sorts nothing itself: the order is the server's. */
function sorting<T>({ sort = '', onSort }: TableViewProps<T>) {
  if (onSort === undefined) return {};
  const isDescending = sort.startsWith('-');
  return {
    sortStatus: {
      columnAccessor: `row.${isDescending ? sort.slice(1) : sort}`,
      direction: isDescending ? ('desc' as const) : ('asc' as const),
    },
    onSortStatusChange: (next: { columnAccessor: unknown; direction: 'asc' | 'desc' }) => {
      const key = String(next.columnAccessor).replace(/^row\./, '');
      onSort(next.direction === 'desc' ? `-${key}` : key);
    },
  };
}
