/** Formats rows as a table: columns aligned by display width and truncated to the terminal. */
import stringWidth from 'string-width';
import { truncated } from '../../session/text.ts';

export interface Cell {
  readonly text: string;
  readonly right: boolean;
}

export interface TableOptions {
  /** Columns of the terminal; `Infinity` disables truncation. */
  readonly width: number;
  /** Style of the header. */
  readonly dim: (text: string) => string;
}

const GAP = '  ';
/** Minimum width of a truncated column, so that values remain distinguishable. */
const NARROWEST = 6;
/** Columns with names that users type; kept whole up to this width. */
const NAMES = new Set(['id', 'name', 'username', 'model', 'title', 'task_id', 'mj_id']);
const NARROWEST_NAME = 24;
/** Number of columns that are always shown, truncated if necessary. */
const FEWEST = 3;

interface Column {
  readonly title: string;
  readonly cells: readonly Cell[];
  /** All non-empty cells are right-aligned. */
  readonly isRight: boolean;
  readonly natural: number;
  /** Minimum useful width. */
  readonly least: number;
}

/**
 * One line per row under a header. In a narrow terminal columns are truncated; the last ones are
 * dropped before names, numbers or times would be truncated. `wide` shows all.
 */
export function tableText(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  { width, dim }: TableOptions,
): string {
  const cellsAt = (index: number) => rows.map((row) => row[index] ?? { text: '', right: false });
  const all = header.map((title, index) => columnOf(title, cellsAt(index)));
  const columns = fitting(all, width);
  const widths = fitted(columns, width);
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => padded(text, widths[index] ?? 0, columns[index]?.isRight ?? false))
      .join(GAP)
      .trimEnd();
  const body = rows.map((row) => line(row.slice(0, columns.length).map(({ text }) => text)));
  return [dim(line(columns.map(({ title }) => title))), ...body]
    .map((text) => `${text}\n`)
    .join('');
}

function columnOf(title: string, cells: readonly Cell[]): Column {
  const filled = cells.filter((cell) => cell.text !== '');
  const isRight = filled.length > 0 && filled.every((cell) => cell.right);
  const content = Math.max(0, ...cells.map(({ text }) => stringWidth(text)));
  const natural = Math.max(stringWidth(title), content);
  return {
    title,
    cells,
    isRight,
    natural,
    least: Math.min(natural, leastWidth(title, isRight, content)),
  };
}

/** Truncated numbers would be wrong, and truncated times useless. */
function leastWidth(title: string, isRight: boolean, content: number): number {
  if (NAMES.has(title)) return NARROWEST_NAME;
  const isWhole = isRight || /(_at|_time)$/.test(title);
  return isWhole ? Math.max(NARROWEST, content) : NARROWEST;
}

function fitting(columns: readonly Column[], width: number): readonly Column[] {
  const needed = sum(columns.map(({ least }) => least + GAP.length)) - GAP.length;
  if (needed <= width || columns.length <= FEWEST) return columns;
  return fitting(columns.slice(0, -1), width);
}

/** Shrinks the widest column repeatedly until the row fits or all columns are at their minimum. */
function fitted(columns: readonly Column[], width: number): number[] {
  const widths = columns.map(({ natural }) => natural);
  const gaps = GAP.length * (widths.length - 1);
  for (let over = sum(widths) + gaps - width; over > 0; over--) {
    const open = widths.map((one, index) => (one > (columns[index]?.least ?? 0) ? one : 0));
    const widest = Math.max(...open);
    if (widest === 0) break;
    widths[open.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

export function padded(text: string, width: number, right: boolean): string {
  const cut = truncated(text, width);
  const blanks = ' '.repeat(Math.max(0, width - stringWidth(cut)));
  return right ? blanks + cut : cut + blanks;
}
