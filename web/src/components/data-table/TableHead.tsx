import { Checkbox, Table, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowsVertical, IconArrowUp } from '@tabler/icons-react';
import type { RowData } from '@tanstack/react-table';
import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './DataTable.module.css';
import {
  type Header,
  OPEN_COLUMN,
  type RowTable,
  SELECT_COLUMN,
  type TableColumn,
} from './useRowTable.ts';

type OnWidth = (key: string, px: number | undefined) => void;

interface TableHeadProps<T extends RowData> {
  readonly table: RowTable<T>;
  /** undefined resets to the automatic width. */
  readonly onWidth: OnWidth;
}

export function TableHead<T extends RowData>({ table, onWidth }: TableHeadProps<T>) {
  return (
    <Table.Thead>
      {table.getHeaderGroups().map((group) => (
        <Table.Tr key={group.id}>
          {group.headers.map((header) => (
            <HeadCell key={header.id} table={table} header={header} onWidth={onWidth} />
          ))}
        </Table.Tr>
      ))}
    </Table.Thead>
  );
}

interface HeadCellProps<T extends RowData> extends TableHeadProps<T> {
  readonly header: Header<T>;
}

function HeadCell<T extends RowData>({ table, header, onWidth }: HeadCellProps<T>) {
  const { column } = header;
  const title = String(column.columnDef.header);
  const sorted = column.getIsSorted();
  return (
    <Table.Th
      {...pinOf(column)}
      className={classes.head}
      ta={column.columnDef.meta?.align}
      aria-sort={sorted === false ? undefined : sorted === 'asc' ? 'ascending' : 'descending'}
      data-hint={title}
    >
      {column.id === SELECT_COLUMN ? (
        <Checkbox
          size="xs"
          aria-label={title}
          checked={table.getIsAllRowsSelected()}
          indeterminate={table.getIsSomeRowsSelected() && !table.getIsAllRowsSelected()}
          onChange={table.getToggleAllRowsSelectedHandler()}
        />
      ) : column.id === OPEN_COLUMN ? (
        <VisuallyHidden>{title}</VisuallyHidden>
      ) : column.getCanSort() ? (
        <SortButton header={header} title={title} />
      ) : (
        title
      )}
      {column.getCanResize() && <Resizer header={header} title={title} onWidth={onWidth} />}
    </Table.Th>
  );
}

/** Styles that keep a pinned column in place while the others scroll. */
function pinOf<T extends RowData>(column: TableColumn<T>) {
  const pinned = column.getIsPinned();
  if (pinned === false) return {};
  return {
    style: pinned === 'start' ? { left: column.getStart('start') } : { right: 0 },
    'data-pinned': pinned,
    'data-edge': pinned === 'end' || column.getAfter('start') === 0 ? pinned : undefined,
  };
}

interface TitledProps<T extends RowData> {
  readonly header: Header<T>;
  readonly title: string;
}

function SortButton<T extends RowData>({ header: { column }, title }: TitledProps<T>) {
  const sorted = column.getIsSorted();
  const Icon = { asc: IconArrowUp, desc: IconArrowDown, none: IconArrowsVertical }[
    sorted || 'none'
  ];
  return (
    <UnstyledButton
      className={classes.sort}
      data-sorted={sorted || undefined}
      onClick={column.getToggleSortingHandler()}
    >
      {title} <Icon size={12} aria-hidden />
    </UnstyledButton>
  );
}

const KEY_STEP_PX = 16;

/**
 * The resize handle of a column: drag it, use the arrow keys, or double-click to reset its width.
 * Tab reaches only the first one and up and down move between them, because a dozen tab stops
 * before the rows would be too many.
 */
function Resizer<T extends RowData>({
  header,
  title,
  onWidth,
}: TitledProps<T> & { readonly onWidth: OnWidth }) {
  const { t } = useTranslation();
  const { column } = header;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const all = [
      ...(event.currentTarget.closest('tr')?.querySelectorAll('[role=separator]') ?? []),
    ];
    const index = all.indexOf(event.currentTarget);
    const act = {
      ArrowLeft: () => onWidth(column.id, header.getSize() - KEY_STEP_PX),
      ArrowRight: () => onWidth(column.id, header.getSize() + KEY_STEP_PX),
      ArrowUp: () => focus(all[index - 1]),
      ArrowDown: () => focus(all[index + 1]),
    }[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr cannot be dragged
    <span
      role="separator"
      aria-orientation="vertical"
      aria-valuetext={t('part.table.width', { column: title })}
      aria-valuenow={header.getSize()}
      tabIndex={header.index === header.headerGroup?.headers.findIndex(canResize) ? 0 : -1}
      className={classes.resizer}
      data-dragged={column.getIsResizing() || undefined}
      onMouseDown={header.getResizeHandler()}
      onTouchStart={header.getResizeHandler()}
      onDoubleClick={() => onWidth(column.id, undefined)}
      onKeyDown={onKeyDown}
    />
  );
}

function canResize<T extends RowData>({ column }: Header<T>): boolean {
  return column.getCanResize();
}

function focus(element: Element | undefined): void {
  if (element instanceof HTMLElement) element.focus();
}
