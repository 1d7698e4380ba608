/** State of a list of any length: loaded rows, visible rows, cursor and marks. */
import type { Column } from './columns.ts';
import { matches, parseFilter, type ServerFilters, splitFilter } from './filter.ts';

export type RowId = number | string;

export interface Sort {
  readonly column: string;
  readonly reverse: boolean;
}

/** How a list's rows are interpreted. */
export interface ListShape<Row> {
  readonly columns: readonly Column<Row>[];
  readonly filters: ServerFilters;
  id(row: Row): RowId;
}

export interface List<Row> {
  /** In the server's order. */
  readonly rows: readonly Row[];
  /** The server's count; more than `rows` until all are loaded. */
  readonly total: number;
  /** Minimum number of rows to load. */
  readonly wanted: number;
  /** Filtered and sorted; the cursor moves in these. */
  readonly shown: readonly Row[];
  readonly cursor: number;
  readonly marks: ReadonlySet<RowId>;
  /** Start of a range selection. */
  readonly anchor: RowId | undefined;
  readonly filter: string;
  readonly sort: Sort | undefined;
  readonly hidden: ReadonlySet<string>;
}

export const PAGE_ROWS = 100;
/** Maximum number of rows loaded for sorting and searching, which work on loaded rows. */
const SEARCHED_ROWS = 1000;
/** Maximum number of rows kept in memory. */
export const MAX_ROWS = 10_000;

export function emptyList<Row>(): List<Row> {
  return {
    rows: [],
    total: 0,
    wanted: PAGE_ROWS,
    shown: [],
    cursor: 0,
    marks: new Set(),
    anchor: undefined,
    filter: '',
    sort: undefined,
    hidden: new Set(),
  };
}

/** Updates the rows; the cursor stays on its row if that still exists. */
export function withRows<Row>(
  list: List<Row>,
  shape: ListShape<Row>,
  rows: readonly Row[],
  total: number,
): List<Row> {
  return reshown({ ...list, rows: rows.slice(0, MAX_ROWS), total }, shape);
}

export function withFilter<Row>(list: List<Row>, shape: ListShape<Row>, filter: string): List<Row> {
  const { rest } = splitFilter(parseFilter(filter), shape.filters);
  const wanted = rest.length > 0 ? SEARCHED_ROWS : list.wanted;
  return reshown({ ...list, filter, wanted }, shape);
}

/** Sorts by the next column, and after the last one by the server's order. */
export function sortedByNext<Row>(list: List<Row>, shape: ListShape<Row>): List<Row> {
  const shown = shape.columns.filter(({ key, width }) => width > 0 && !list.hidden.has(key));
  const keys = shown.map(({ key }) => key);
  const at = list.sort === undefined ? -1 : keys.indexOf(list.sort.column);
  return sortedBy(list, shape, keys[at + 1]);
}

/** Sorts by one column; undefined restores the server's order. */
export function sortedBy<Row>(
  list: List<Row>,
  shape: ListShape<Row>,
  column: string | undefined,
): List<Row> {
  const sort = column === undefined ? undefined : { column, reverse: false };
  const wanted = sort === undefined ? list.wanted : Math.max(list.wanted, SEARCHED_ROWS);
  return reshown({ ...list, sort, wanted }, shape);
}

export function reversed<Row>(list: List<Row>, shape: ListShape<Row>): List<Row> {
  const first = shape.columns[0]?.key ?? '';
  const sort = list.sort ?? { column: first, reverse: false };
  return reshown({ ...list, sort: { ...sort, reverse: !sort.reverse } }, shape);
}

export function currentRow<Row>(list: List<Row>): Row | undefined {
  return list.shown[list.cursor];
}

export function movedBy<Row>(list: List<Row>, by: number): List<Row> {
  const last = Math.max(0, list.shown.length - 1);
  const cursor = Math.min(last, Math.max(0, list.cursor + by));
  const isNearEnd = cursor > list.rows.length - PAGE_ROWS / 2 && list.rows.length < list.total;
  const wanted = isNearEnd ? Math.min(MAX_ROWS, list.rows.length + PAGE_ROWS) : list.wanted;
  return { ...list, cursor, wanted: Math.max(wanted, list.wanted) };
}

export function marked<Row>(list: List<Row>, shape: ListShape<Row>): List<Row> {
  const row = currentRow(list);
  if (row === undefined) return list;
  const marks = new Set(list.marks);
  const id = shape.id(row);
  if (!marks.delete(id)) marks.add(id);
  return movedBy({ ...list, marks, anchor: id }, 1);
}

/** Marks all rows from the last marked one to the cursor. */
export function markedTo<Row>(list: List<Row>, shape: ListShape<Row>): List<Row> {
  const start = list.shown.findIndex((row) => shape.id(row) === list.anchor);
  if (start < 0) return marked(list, shape);
  const [from, to] = start < list.cursor ? [start, list.cursor] : [list.cursor, start];
  const range = list.shown.slice(from, to + 1).map((row) => shape.id(row));
  return { ...list, marks: new Set([...list.marks, ...range]) };
}

export function unmarked<Row>(list: List<Row>): List<Row> {
  return { ...list, marks: new Set(), anchor: undefined };
}

/** The rows that an action applies to: the marked ones, else the one under the cursor. */
export function selectedRows<Row>(list: List<Row>, shape: ListShape<Row>): readonly Row[] {
  const marked = list.shown.filter((row) => list.marks.has(shape.id(row)));
  if (marked.length > 0) return marked;
  const row = currentRow(list);
  return row === undefined ? [] : [row];
}

/** The rows visible in `height` lines, centered on the cursor except at the ends. */
export function windowOf<Row>(
  { shown, cursor }: List<Row>,
  height: number,
): { readonly start: number; readonly rows: readonly Row[] } {
  const last = Math.max(0, shown.length - height);
  const start = Math.min(last, Math.max(0, cursor - Math.floor(height / 2)));
  return { start, rows: shown.slice(start, start + Math.max(0, height)) };
}

function reshown<Row>(list: List<Row>, shape: ListShape<Row>): List<Row> {
  const before = currentRow(list);
  const shown = sorted(filtered(list, shape), list.sort, shape);
  const same =
    before === undefined || list.cursor === 0
      ? -1
      : shown.findIndex((row) => shape.id(row) === shape.id(before));
  const cursor = same >= 0 ? same : Math.min(list.cursor, Math.max(0, shown.length - 1));
  return { ...list, shown, cursor };
}

function filtered<Row>({ rows, filter }: List<Row>, shape: ListShape<Row>): readonly Row[] {
  const { rest } = splitFilter(parseFilter(filter), shape.filters);
  if (rest.length === 0) return rows;
  const columns = new Map(shape.columns.map((column) => [column.key, column]));
  return rows.filter((row) =>
    matches(rest, (field) => {
      const column = field === undefined ? undefined : columns.get(field);
      if (column !== undefined) return column.shown(row).text;
      return shape.columns.map((each) => each.shown(row).text).join('\n');
    }),
  );
}

function sorted<Row>(
  rows: readonly Row[],
  sort: Sort | undefined,
  { columns }: ListShape<Row>,
): readonly Row[] {
  const column = columns.find(({ key }) => key === sort?.column);
  if (column === undefined || sort === undefined) return rows;
  const sign = sort.reverse ? -1 : 1;
  const keyed = rows.map((row) => ({ row, by: column.order?.(row) ?? column.shown(row).text }));
  return keyed.sort((a, b) => sign * compared(a.by, b.by)).map(({ row }) => row);
}

function compared(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b));
}
