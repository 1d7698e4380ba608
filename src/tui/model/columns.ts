/** The fields of an object: columns of its list, lines of its details, and how columns fit. */
import { oneLine } from '../../session/text.ts';
import type { Tone } from './line.ts';

export interface CellText {
  readonly text: string;
  readonly tone?: Tone;
  /** Text for screen readers, where the text is a chart or changes without news. */
  readonly label?: string;
}

type Shown = string | CellText;

export interface Column<Row> {
  /** Locale key under `tui.columns`, and the field name in filters. */
  readonly key: string;
  /** 0: shown only in the details. */
  readonly width: number;
  /** Share of the remaining width. */
  readonly grow?: number;
  readonly align?: 'right';
  /** Order in which columns are dropped for lack of space, lowest first. Absent: always shown. */
  readonly drop?: number;
  shown(row: Row): CellText;
  /** What the details show instead; nothing if it is empty. */
  full?(row: Row): Shown;
  /** Sort value; default: the text. */
  order?(row: Row): number | string;
}

export function column<Row>(
  key: string,
  width: number,
  text: (row: Row) => Shown,
  more: Partial<Column<Row>> = {},
): Column<Row> {
  return { key, width, shown: (row) => shownCell(text(row)), ...more };
}

/** A right-aligned column, sorted by its value. */
export function numberColumn<Row>(
  key: string,
  width: number,
  value: (row: Row) => number,
  text: (value: number) => Shown,
  more: Partial<Column<Row>> = {},
): Column<Row> {
  return column(key, width, (row) => text(value(row)), { align: 'right', order: value, ...more });
}

/** For a field that the heading of the details shows. */
export const UNTITLED = { full: () => '' };

export function shownCell(shown: Shown): CellText {
  return typeof shown === 'string' ? { text: oneLine(shown) } : shown;
}

export const GAP = 1;

export interface FittedColumn<Row> {
  readonly column: Column<Row>;
  readonly width: number;
}

interface Measured<Row> extends FittedColumn<Row> {
  readonly needed: number;
}

/**
 * The columns that fit into `width` cells, with integer widths: Yoga would assign fractions. Texts
 * get the cells that they need first, then columns their usual width; the rest is shared.
 * @param longest the cells of a column's longest text, its title included
 */
export function fitColumns<Row>(
  columns: readonly Column<Row>[],
  hidden: ReadonlySet<string>,
  width: number,
  longest: (column: Column<Row>) => number,
): readonly FittedColumn<Row>[] {
  let kept = columns
    .filter((each) => each.width > 0 && !hidden.has(each.key))
    .map((column): Measured<Row> => {
      const needed = longest(column);
      return { column, needed, width: Math.min(needed, column.width) };
    });
  while (usedBy(kept) > width) {
    const order = kept.map(({ column: { drop } }) => drop ?? Number.POSITIVE_INFINITY);
    const first = Math.min(...order);
    if (!Number.isFinite(first)) break;
    kept = kept.toSpliced(order.lastIndexOf(first), 1);
  }
  const uncut = filled(kept, width, ({ needed }) => needed);
  const usual = filled(uncut, width, ({ column }) => column.width);
  return clipped(widened(usual, width), width);
}

/** Widens columns to their goals; those that lack the least come first. */
function filled<Row>(
  columns: readonly Measured<Row>[],
  width: number,
  goalOf: (column: Measured<Row>) => number,
): readonly Measured<Row>[] {
  const missingWidth = (each: Measured<Row>) => Math.max(0, goalOf(each) - each.width);
  let left = Math.max(0, width - usedBy(columns));
  const given = new Map<Measured<Row>, number>();
  for (const each of columns.toSorted((a, b) => missingWidth(a) - missingWidth(b))) {
    const cells = Math.min(left, missingWidth(each));
    left -= cells;
    given.set(each, each.width + cells);
  }
  return columns.map((each) => ({ ...each, width: given.get(each) ?? each.width }));
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
