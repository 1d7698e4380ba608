/** A table in a given width: which columns stand, and how wide. */
import type { Tone } from './line.ts';

export interface Shown {
  readonly text: string;
  readonly tone?: Tone;
  /** What a screen reader is told instead of a mark or a picture; '' where there is nothing to tell. */
  readonly label?: string;
}

export interface Column<Row> {
  /** Stands under `tui.columns` in the locales, and is the field of a filter. */
  readonly key: string;
  readonly width: number;
  /** Takes a share of what is left over. */
  readonly grow?: number;
  readonly align?: 'right';
  /** Left out first where there is no room; the lowest number goes first. Absent: always shown. */
  readonly drop?: number;
  shown(row: Row): Shown;
  /** What the column sorts by; its text when absent. */
  order?(row: Row): number | string;
}

export const GAP = 1;

/** The columns that fit into `width` cells, each with the width it gets. */
export function fitColumns<Row>(
  columns: readonly Column<Row>[],
  hidden: ReadonlySet<string>,
  width: number,
): readonly { readonly column: Column<Row>; readonly width: number }[] {
  let kept = columns.filter(({ key }) => !hidden.has(key));
  const needed = () => kept.reduce((sum, column) => sum + column.width + GAP, -GAP);
  while (needed() > width) {
    const order = kept.map(({ drop }) => drop ?? Number.POSITIVE_INFINITY);
    const first = Math.min(...order);
    if (!Number.isFinite(first)) break;
    kept = kept.toSpliced(order.lastIndexOf(first), 1);
  }
  return shared(kept, Math.max(0, width - needed()));
}

function shared<Row>(columns: readonly Column<Row>[], spare: number) {
  const shares = columns.reduce((sum, { grow = 0 }) => sum + grow, 0);
  let left = spare;
  let open = shares;
  return columns.map((column) => {
    const { grow = 0, width } = column;
    if (grow === 0 || open === 0) return { column, width };
    const extra = Math.floor((left * grow) / open);
    left -= extra;
    open -= grow;
    return { column, width: width + extra };
  });
}
