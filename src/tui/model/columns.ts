/** Table columns: which ones fit into a width, and how wide they are. */
import type { Tone } from './line.ts';

export interface CellText {
  readonly text: string;
  readonly tone?: Tone;
  /** Screen-reader text for a mark or a chart; '' for a decoration. */
  readonly label?: string;
}

export interface Column<Row> {
  /** Locale key under `tui.columns`, and the field name in filters. */
  readonly key: string;
  readonly width: number;
  /** Share of the remaining width. */
  readonly grow?: number;
  readonly align?: 'right';
  /** Order in which columns are dropped for lack of space, lowest first. Absent: always shown. */
  readonly drop?: number;
  shown(row: Row): CellText;
  /** Sort value; default: the text. */
  order?(row: Row): number | string;
}

/** A right-aligned column, sorted by its value. */
export function numberColumn<Row>(
  key: string,
  width: number,
  value: (row: Row) => number,
  text: (value: number) => string,
  more: Partial<Column<Row>> = {},
): Column<Row> {
  const shown = (row: Row) => ({ text: text(value(row)) });
  return { key, width, align: 'right', shown, order: value, ...more };
}

export const GAP = 1;

export interface FittedColumn<Row> {
  readonly column: Column<Row>;
  readonly width: number;
}

/** The columns that fit into `width` cells, with integer widths: Yoga would assign fractions. */
export function fitColumns<Row>(
  columns: readonly Column<Row>[],
  hidden: ReadonlySet<string>,
  width: number,
): readonly FittedColumn<Row>[] {
  let kept = columns.filter(({ key }) => !hidden.has(key));
  const needed = () => kept.reduce((sum, column) => sum + column.width + GAP, -GAP);
  while (needed() > width) {
    const order = kept.map(({ drop }) => drop ?? Number.POSITIVE_INFINITY);
    const first = Math.min(...order);
    if (!Number.isFinite(first)) break;
    kept = kept.toSpliced(order.lastIndexOf(first), 1);
  }
  return clipped(widened(kept, Math.max(0, width - needed())), width);
}

function widened<Row>(columns: readonly Column<Row>[], spare: number) {
  let left = spare;
  let shares = columns.reduce((sum, { grow = 0 }) => sum + grow, 0);
  return columns.map((column): FittedColumn<Row> => {
    const { grow = 0, width } = column;
    const extra = grow === 0 ? 0 : Math.floor((left * grow) / shares);
    left -= extra;
    shares -= grow;
    return { column, width: width + extra };
  });
}

/** If even the mandatory columns do not fit, the last ones are truncated. */
function clipped<Row>(columns: readonly FittedColumn<Row>[], width: number) {
  let left = width;
  return columns.flatMap((each): FittedColumn<Row>[] => {
    const kept = Math.min(each.width, left);
    left -= kept + GAP;
    return kept > 0 ? [{ ...each, width: kept }] : [];
  });
}
