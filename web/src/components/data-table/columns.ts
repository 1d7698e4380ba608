/** The props and columns of `DataTable`, which renders a table, or cards on a phone. */
import type { ReactNode } from 'react';
import type { ColumnChoice } from '../../lib/browser/stored.ts';

export interface Column<T> {
  /** Also the field name to sort by. */
  readonly key: string;
  readonly title: string;
  readonly render: (row: T) => ReactNode;
  /** Pixels; without it 120 plus a share of the free space. The content does not affect it. */
  readonly width?: number;
  /** Has a width and also takes a share of the free space. */
  readonly isWide?: boolean;
  /**
   * Columns with a priority are hidden, lowest first, if the table is too narrow; a column without
   * one stays. Columns the user chose stay too, and the table scrolls.
   */
  readonly priority?: number;
  /** The full text of a cell that may be truncated, if the cell itself does not hold it. */
  readonly whole?: (row: T) => string | undefined;
  readonly align?: 'left' | 'right' | 'center';
  readonly isSortable?: boolean;
  /** Stays in place while the others scroll. */
  readonly pin?: 'left';
  /** Always visible: not in the column settings. */
  readonly isFixed?: boolean;
  /** Hidden by default. */
  readonly startsHidden?: boolean;
  /** Position on a phone's card; `value` by default, of which only the first four are shown. */
  readonly card?: 'title' | 'status' | 'value' | 'none';
}

export interface RowAction {
  readonly key: string;
  readonly label: string;
  readonly icon?: ReactNode;
  readonly onClick?: () => unknown;
  readonly isDanger?: boolean;
  /** Why the action is unavailable; it is then disabled and shows this reason. */
  readonly refusal?: string | undefined;
  /** Items of a submenu at this entry of the row's menu; `onClick` is then not used. */
  readonly items?: readonly RowAction[];
  /** Shown as an icon beside the menu; at most three fit. */
  readonly isPrimary?: boolean;
}

export interface PageState {
  readonly page: number;
  readonly pageSize: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
  readonly onPageSize: (pageSize: number) => void;
}

export interface DataTableProps<T> {
  /** Names the table in storage: `token` stores its columns under `token-columns`. */
  readonly id: string;
  /** The table's name for screen readers. */
  readonly label: string;
  /** undefined during the first load. */
  readonly rows: readonly T[] | undefined;
  readonly rowId: (row: T) => string | number;
  readonly columns: readonly Column<T>[];
  readonly actions?: (row: T) => readonly RowAction[];
  /** Without it, the rows are the whole list. */
  readonly paging?: PageState;
  /** `created_at` or `-created_at`; '' is the server's order. */
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  readonly isFetching?: boolean;
  readonly error?: unknown;
  readonly onRetry?: () => unknown;
  /** Selected row ids; with `onSelect` the rows have checkboxes. */
  readonly selected?: ReadonlySet<string | number>;
  readonly onSelect?: (ids: ReadonlySet<string | number>) => void;
  /** Rendered below an open row. */
  readonly detail?: (row: T) => ReactNode;
  /** Called with the number of open rows. */
  readonly onOpen?: (count: number) => void;
  /** Called on a click or Enter; with `detail` only on Enter, because a click opens the row. */
  readonly onRow?: (row: T) => void;
  /** Dims inactive rows: disabled, used up. */
  readonly isMuted?: (row: T) => boolean;
  /** `failed` has a red edge, `fresh` fades in. */
  readonly mark?: (row: T) => 'failed' | 'fresh' | undefined;
  /** Less space between columns, for tables of a dozen. */
  readonly isTight?: boolean;
  /** Shown when there are no rows. */
  readonly empty: ReactNode;
}

/** The columns in the user's order, without hidden ones; new ones keep their place in code. */
export function chosenColumns<T>(
  columns: readonly Column<T>[],
  { order, hidden }: Pick<ColumnChoice, 'order' | 'hidden'>,
): Column<T>[] {
  const rank = (column: Column<T>, index: number) => {
    const found = order.indexOf(column.key);
    return found < 0 ? index : found;
  };
  return columns
    .map((column, index) => ({ column, rank: rank(column, index), index }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ column }) => column)
    .filter((column) => column.isFixed || !hidden.includes(column.key));
}

/** Pixels by column key, as set by dragging. */
export type ChosenWidths = Readonly<Record<string, number>>;

export const MIN_COLUMN_PX = 40;
const DEFAULT_COLUMN_PX = 120;

function leastPx<T>({ key, width = DEFAULT_COLUMN_PX }: Column<T>, chosen: ChosenWidths): number {
  return Math.max(MIN_COLUMN_PX, chosen[key] ?? width);
}

/** The keys of the columns that do not fit. */
export function columnsThatDoNotFit<T>(
  columns: readonly Column<T>[],
  roomPx: number,
  chosen: ChosenWidths,
): string[] {
  let excess = columns.reduce((sum, column) => sum + leastPx(column, chosen), -roomPx);
  return columns
    .filter(({ priority }) => priority !== undefined)
    .toReversed()
    .toSorted((one, other) => (one.priority ?? 0) - (other.priority ?? 0))
    .filter((column) => {
      const leaves = excess > 0;
      if (leaves) excess -= leastPx(column, chosen);
      return leaves;
    })
    .map(({ key }) => key);
}

/** Column widths that together fill the available width or exceed it. */
export function widthsOf<T>(
  columns: readonly Column<T>[],
  roomPx: number,
  chosen: ChosenWidths,
): Record<string, number> {
  const rest = columns.reduce((left, column) => left - leastPx(column, chosen), roomPx);
  const wide = wideColumns(columns, chosen);
  const share = Math.max(0, Math.floor(rest / wide.length));
  const remainder = Math.max(0, rest) % wide.length;
  const extra = (column: Column<T>) =>
    wide.includes(column) ? share + (column === wide[0] ? remainder : 0) : 0;
  return Object.fromEntries(
    columns.map((column) => [column.key, leastPx(column, chosen) + extra(column)]),
  );
}

/** The columns that share the free space; at least one, or selection and actions would widen. */
function wideColumns<T>(columns: readonly Column<T>[], chosen: ChosenWidths): readonly Column<T>[] {
  const free = columns.filter(({ key }) => chosen[key] === undefined);
  const wide = free.filter(({ isWide, width }) => isWide || width === undefined);
  if (wide.length > 0) return wide;
  const loose = free.filter(({ pin }) => pin === undefined);
  return (loose.length > 0 ? loose : columns)
    .toSorted((one, other) => leastPx(other, chosen) - leastPx(one, chosen))
    .slice(0, 1);
}
