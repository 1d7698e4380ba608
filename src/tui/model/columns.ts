/** Table columns: which ones fit into a width, and how wide they are. */
import type { Tone } from './line.ts';

export interface CellText {
  readonly text: string;
  readonly tone?: Tone;
  /** Text for screen readers, where the text is a chart or changes without news. */
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

/**
 * The columns that fit into `width` cells, with integer widths: Yoga would assign fractions. Where
 * texts would be cut, columns that are wider than their own texts give up cells.
 * @param longest the cells of a column's longest text, its title included
 */
export function fitColumns<Row>(
  columns: readonly Column<Row>[],
  hidden: ReadonlySet<string>,
  width: number,
  longest: (column: Column<Row>) => number,
): readonly FittedColumn<Row>[] {
  let kept = columns
    .filter(({ key }) => !hidden.has(key))
    .map((column): Measured<Row> => ({ column, needed: longest(column), width: column.width }));
  const least = () => usedBy(kept.map((each) => ({ width: Math.min(each.needed, each.width) })));
  while (least() > width) {
    const order = kept.map(({ column: { drop } }) => drop ?? Number.POSITIVE_INFINITY);
    const first = Math.min(...order);
    if (!Number.isFinite(first)) break;
    kept = kept.toSpliced(order.lastIndexOf(first), 1);
  }
  const shrunk = shrunkFor(kept, width);
  const whole = uncut(shrunk, Math.max(0, width - usedBy(shrunk)));
  return clipped(widened(whole, width), width);
}

interface Measured<Row> extends FittedColumn<Row> {
  readonly needed: number;
}

/** Takes cells from columns wider than their texts, the widest margin first, as far as needed. */
function shrunkFor<Row>(
  columns: readonly Measured<Row>[],
  width: number,
): readonly Measured<Row>[] {
  const whole = columns.map((each) => ({ width: Math.max(each.needed, each.width) }));
  let lack = Math.max(0, usedBy(whole) - width);
  const taken = new Map<Measured<Row>, number>();
  for (const column of columns.toSorted((a, b) => b.width - b.needed - (a.width - a.needed))) {
    const cells = Math.min(lack, Math.max(0, column.width - column.needed));
    lack -= cells;
    taken.set(column, cells);
  }
  return columns.map((each) => ({ ...each, width: each.width - (taken.get(each) ?? 0) }));
}

/** Gives the spare cells to cut columns; those that need the least come first. */
function uncut<Row>(columns: readonly Measured<Row>[], spare: number): readonly Measured<Row>[] {
  let left = spare;
  const extra = new Map<Measured<Row>, number>();
  for (const column of columns.toSorted((a, b) => a.needed - a.width - (b.needed - b.width))) {
    const given = Math.min(left, Math.max(0, column.needed - column.width));
    left -= given;
    extra.set(column, given);
  }
  return columns.map((each) => ({ ...each, width: each.width + (extra.get(each) ?? 0) }));
}

/** Gives the cells that are left to the columns that grow. */
function widened<Row>(columns: readonly Measured<Row>[], width: number) {
  let left = Math.max(0, width - usedBy(columns));
  let shares = columns.reduce((sum, { column: { grow = 0 } }) => sum + grow, 0);
  return columns.map(({ column, width }): FittedColumn<Row> => {
    const { grow = 0 } = column;
    const extra = grow === 0 ? 0 : Math.floor((left * grow) / shares);
    left -= extra;
    shares -= grow;
    return { column, width: width + extra };
  });
}

function usedBy(columns: readonly { readonly width: number }[]): number {
  return columns.reduce((sum, { width }) => sum + width + GAP, -GAP);
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
