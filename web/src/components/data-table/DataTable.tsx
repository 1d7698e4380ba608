/** The console's table. Fetched with the first screen that has one. */
import { Card } from '@mantine/core';
import { useCallbackRef } from '@mantine/hooks';
import { lazy, memo, type RefObject, Suspense, useDeferredValue, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsPhone } from '../../lib/screen.ts';
import { Failed, Loading } from '../layout/list-states.tsx';
import { CardList } from './CardList.tsx';
import { useColumnChoice } from './ColumnSettings.tsx';
import {
  type Column,
  chosenColumns,
  type DataTableProps,
  type PageState,
  type TableViewProps,
} from './columns.ts';
import classes from './DataTable.module.css';
import { Pager } from './Pager.tsx';

// `lazy` cannot keep the type of the rows.
const TableView = memo(
  lazy(async () => ({ default: (await import('./TableView.tsx')).TableView })),
);

const SKELETON_ROWS = 8;

/** Rows of one answer as a table, or as cards on a phone; with its own states and pages. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { rows, error, onRetry, paging, isFetching = false } = props;
  const isPhone = useIsPhone();
  const grid = useRef<HTMLDivElement>(null);
  const viewport = useRef<HTMLDivElement>(null);
  const { choice } = useColumnChoice(props.id, props.columns);
  const columns = useMemo(() => chosenColumns(props.columns, choice), [props.columns, choice]);
  const table = useTable(props, columns, viewport);
  if (rows === undefined) {
    return (
      <Card padding="md">
        {error ? <Failed error={error} onRetry={onRetry ?? reload} /> : <Skeletons />}
      </Card>
    );
  }
  // No pages of nothing, unless one went beyond the last.
  const pages =
    paging && (paging.total > 0 || paging.page > 1)
      ? turning(paging, { grid, viewport })
      : undefined;
  const body = rows.length === 0 ? <div className={classes.empty}>{props.empty}</div> : null;
  return (
    <div
      ref={grid}
      className={classes.grid}
      data-fetching={isFetching || undefined}
      aria-busy={isFetching}
    >
      {error !== undefined && error !== null && (
        <Failed error={error} onRetry={onRetry ?? reload} />
      )}
      {isPhone ? (
        <>
          {body ? <Card>{body}</Card> : <CardList {...props} />}
          {pages && <Pager {...pages} />}
        </>
      ) : (
        <Card padding={0} className={classes.card}>
          {body ?? (
            <Suspense fallback={<Skeletons />}>
              <LateTable table={table as unknown as TableViewProps<unknown>} />
            </Suspense>
          )}
          {pages && <Pager {...pages} />}
        </Card>
      )}
    </div>
  );
}

interface Frames {
  readonly grid: RefObject<HTMLElement | null>;
  readonly viewport: RefObject<HTMLElement | null>;
}

/** The next page begins at its top, wherever in this one its pager was reached. */
function turning(paging: PageState, { grid, viewport }: Frames): PageState {
  const onPage = (page: number) => {
    paging.onPage(page);
    viewport.current?.scrollTo({ top: 0 });
    if ((grid.current?.getBoundingClientRect().top ?? 0) < 0) grid.current?.scrollIntoView();
  };
  return { ...paging, onPage };
}

/** The same for as long as nothing in it is another, so that pages drawn anew leave their table alone. */
function useTable<T>(
  props: DataTableProps<T>,
  columns: readonly Column<T>[],
  viewport: TableViewProps<T>['viewport'],
): TableViewProps<T> {
  const { label, rows, actions, sort, selected, detail, isMuted, mark, isTight, isLong } = props;
  const rowId = useCallbackRef(props.rowId);
  const onSort = useOptional(props.onSort);
  const onSelect = useOptional(props.onSelect);
  const onOpen = useOptional(props.onOpen);
  const onRow = useOptional(props.onRow);
  return useMemo(() => {
    const table = { label, rows, rowId, columns, actions, sort, onSort, selected, onSelect };
    return { ...table, viewport, detail, onOpen, onRow, isMuted, mark, isTight, isLong };
  }, [
    label,
    rows,
    rowId,
    columns,
    actions,
    sort,
    onSort,
    selected,
    onSelect,
    detail,
    onOpen,
    onRow,
    isMuted,
    mark,
    isTight,
    isLong,
    viewport,
  ]);
}

/** One handler that calls the newest; none where there is none. */
function useOptional<A extends unknown[]>(
  handler: ((...args: A) => void) | undefined,
): ((...args: A) => void) | undefined {
  const newest = useCallbackRef(handler);
  return handler && newest;
}

/**
 * A hundred rows take a while to draw. Until they are, the ones before stand there and the page
 * answers; only what is chosen of them shows at once, as boxes that are pressed do.
 */
function LateTable({ table }: { readonly table: TableViewProps<unknown> }) {
  const late = useDeferredValue(table);
  const isChoice = late.rows === table.rows && late.selected !== table.selected;
  return <TableView {...(isChoice ? table : late)} />;
}

function Skeletons() {
  const { t } = useTranslation();
  return (
    <div className={classes.skeletons}>
      <span className={classes.hidden}>{t('part.loading')}</span>
      <Loading lines={SKELETON_ROWS} height={20} />
    </div>
  );
}

function reload(): void {
  window.location.reload();
}
