/** What a table is made of; `DataTable` draws it as a table, and as cards on a phone. */
import type { ReactNode, RefObject } from 'react';

export interface Column<T> {
  /** Also the name of the field to sort by. */
  readonly key: string;
  readonly title: string;
  readonly render: (row: T) => ReactNode;
  /** Pixels. In long tables every column has one: what is in the cells decides nothing there. */
  readonly width?: number;
  /** In a long table: takes what the window leaves, several evenly, so that they are of one width. */
  readonly isWide?: boolean;
  /** All that a cell says, where a long table may cut it and nothing in it tells the whole. */
  readonly whole?: (row: T) => string | undefined;
  readonly align?: 'left' | 'right' | 'center';
  readonly isSortable?: boolean;
  /** Stays while the others are scrolled; at most one column. */
  readonly pin?: 'left';
  /** Always there: not in the column settings. */
  readonly isFixed?: boolean;
  /** Not shown until the reader asks for it. */
  readonly startsHidden?: boolean;
  /** Its cells keep something to themselves, which another record must not find there. */
  readonly hasState?: boolean;
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
  /**
   * Pages of a hundred are usual: the next page is written into the rows of the one that is left, and
   * columns are as wide as they say, or the browser would measure every cell for each new one.
   * Columns whose cells keep something say so by `hasState`.
   */
  readonly isLong?: boolean;
  /** Stands in place of no rows. */
  readonly empty: ReactNode;
}

/** What of it the table itself needs. */
export type TableViewProps<T> = Omit<
  DataTableProps<T>,
  'id' | 'paging' | 'isFetching' | 'error' | 'onRetry' | 'empty'
> & {
  /** The window on the rows that scrolls. */
  readonly viewport: RefObject<HTMLDivElement | null>;
};

/** The columns as the reader ordered and hid them; new ones stand where they stand in code. */
export function chosenColumns<T>(
  columns: readonly Column<T>[],
  { order, hidden }: { readonly order: readonly string[]; readonly hidden: readonly string[] },
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

const UNTOLD_PX = 120;

export function columnPx<T>({ width = UNTOLD_PX }: Column<T>): number {
  return width;
}

/** The columns of a long table that take what is left: some must, or all would, the boxes as well. */
export function wideKeys<T>(columns: readonly Column<T>[]): readonly string[] {
  const wide = columns.filter(({ isWide }) => isWide);
  if (wide.length > 0) return wide.map(({ key }) => key);
  const loose = columns.filter(({ pin }) => pin === undefined);
  return (loose.length > 0 ? loose : columns)
    .toSorted((one, other) => columnPx(other) - columnPx(one))
    .slice(0, 1)
    .map(({ key }) => key);
}

/** A place for each id: its own of before, else the first that nobody has any more, else a new one. */
export function placesOf<I>(before: ReadonlyMap<I, number>, ids: readonly I[]): Map<I, number> {
  const kept = new Set(ids.flatMap((id) => before.get(id) ?? []));
  const free = [...before.values()].filter((place) => !kept.has(place)).sort((a, b) => a - b);
  let next = Math.max(-1, ...before.values()) + 1;
  return new Map(ids.map((id) => [id, before.get(id) ?? free.shift() ?? next++]));
}
