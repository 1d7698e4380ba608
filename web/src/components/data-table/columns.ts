/** What a table is made of: `DataTable` shows it as a table, and as cards on a phone. */
import type { ReactNode } from 'react';
import type { ColumnChoice } from '../../lib/stored.ts';

export interface Column<T> {
  /** Also the name of the field to sort by. */
  readonly key: string;
  readonly title: string;
  readonly render: (row: T) => ReactNode;
  /** Pixels; without it 120 and a share of the room that is left. The content decides nothing. */
  readonly width?: number;
  /** Has a width and takes a share of the room that is left as well. */
  readonly isWide?: boolean;
  /**
   * Of the columns with a priority, the lowest leaves first where the table is too narrow for all;
   * a column without one stays. What readers chose themselves stays as well: the table scrolls.
   */
  readonly priority?: number;
  /** The whole text of a cell that the column may cut, where nothing in the cell has it. */
  readonly whole?: (row: T) => string | undefined;
  readonly align?: 'left' | 'right' | 'center';
  readonly isSortable?: boolean;
  /** Stays while the others are scrolled. */
  readonly pin?: 'left';
  /** Always there: not in the column settings. */
  readonly isFixed?: boolean;
  /** Not shown until the reader asks for it. */
  readonly startsHidden?: boolean;
  /** Where it stands on a phone's card; `value` without it, and only the first four of those. */
  readonly card?: 'title' | 'status' | 'value' | 'none';
}

export interface RowAction {
  readonly key: string;
  readonly label: string;
  readonly icon?: ReactNode;
  readonly onClick?: () => unknown;
  readonly isDanger?: boolean;
  /** Why it cannot be done now; the action is then grey and says so. */
  readonly refusal?: string | undefined;
  /** A menu of its own below this one's place in the row's menu; its `onClick` is then not used. */
  readonly items?: readonly RowAction[];
  /** Beside the menu, as an icon; at most three fit. */
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
  /** Names the table in storage: `token` keeps its columns under `token-columns`. */
  readonly id: string;
  /** The table's name for screen readers. */
  readonly label: string;
  /** undefined while the first answer is on its way. */
  readonly rows: readonly T[] | undefined;
  readonly rowId: (row: T) => string | number;
  readonly columns: readonly Column<T>[];
  readonly actions?: (row: T) => readonly RowAction[];
  /** Without it the rows are all there is. */
  readonly paging?: PageState;
  /** `created_at` or `-created_at`; '' is the server's own order. */
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  readonly isFetching?: boolean;
  readonly error?: unknown;
  readonly onRetry?: () => unknown;
  /** Chosen row ids; with `onSelect` the rows get boxes. */
  readonly selected?: ReadonlySet<string | number>;
  readonly onSelect?: (ids: ReadonlySet<string | number>) => void;
  /** Shown below a row that was opened. */
  readonly detail?: (row: T) => ReactNode;
  /** Told how many rows are open. */
  readonly onOpen?: (count: number) => void;
  /** A click on a row, or Enter; with `detail` only Enter, because a click opens it. */
  readonly onRow?: (row: T) => void;
  /** Shades rows that count for less: disabled, used up. */
  readonly isMuted?: (row: T) => boolean;
  /** `failed` has a red edge, `fresh` fades in. */
  readonly mark?: (row: T) => 'failed' | 'fresh' | undefined;
  /** Less room between columns, for tables of a dozen. */
  readonly isTight?: boolean;
  /** Stands in place of no rows. */
  readonly empty: ReactNode;
}

/** The columns as the reader ordered and hid them; new ones stand where they stand in code. */
export function chosenColumns<T>(
  columns: readonly Column<T>[],
  { order, hidden }: Pick<ColumnChoice, 'order' | 'hidden'>,
): Column<T>[] {
  const place = (column: Column<T>, index: number) => {
    const found = order.indexOf(column.key);
    return found < 0 ? index : found;
  };
  return columns
    .map((column, index) => ({ column, place: place(column, index), index }))
    .sort((a, b) => a.place - b.place || a.index - b.index)
    .map(({ column }) => column)
    .filter((column) => column.isFixed || !hidden.includes(column.key));
}

/** Pixels by column key, as the reader dragged them. */
export type ChosenWidths = Readonly<Record<string, number>>;

export const LEAST_PX = 40;
const UNTOLD_PX = 120;

function leastPx<T>({ key, width = UNTOLD_PX }: Column<T>, chosen: ChosenWidths): number {
  return Math.max(LEAST_PX, chosen[key] ?? width);
}

/** The keys of the columns for which there is no room. */
export function crowdedOut<T>(
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

/** How wide each column is, so that together they fill the room or exceed it. */
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

/** Those that share what is left; one always does, or the selection and actions would widen. */
function wideColumns<T>(columns: readonly Column<T>[], chosen: ChosenWidths): readonly Column<T>[] {
  const free = columns.filter(({ key }) => chosen[key] === undefined);
  const wide = free.filter(({ isWide, width }) => isWide || width === undefined);
  if (wide.length > 0) return wide;
  const loose = free.filter(({ pin }) => pin === undefined);
  return (loose.length > 0 ? loose : columns)
    .toSorted((one, other) => leastPx(other, chosen) - leastPx(one, chosen))
    .slice(0, 1);
}
