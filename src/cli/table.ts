/** Rows as people read them: columns aligned by display width, cut to the width of the terminal. */
import stringWidth from 'string-width';

export interface Cell {
  readonly text: string;
  readonly right: boolean;
}

export interface TableOptions {
  /** Columns of the terminal; `Infinity` cuts nothing. */
  readonly width: number;
  /** How the header is painted. */
  readonly dim: (text: string) => string;
}

const GAP = '  ';
/** A column is never cut below this, so that its content can still be told apart. */
const NARROWEST = 8;

/** One line per row under a header; a column is right-aligned when all its filled cells are. */
export function tableText(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  { width, dim }: TableOptions,
): string {
  const columns = header.map((title, index) => ({
    title,
    cells: rows.map((row) => row[index] ?? { text: '', right: false }),
  }));
  const natural = columns.map(({ title, cells }) =>
    Math.max(...[title, ...cells.map((cell) => cell.text)].map((text) => stringWidth(text))),
  );
  const widths = fitted(natural, width);
  const isRight = columns.map(({ cells }) => {
    const filled = cells.filter((cell) => cell.text !== '');
    return filled.length > 0 && filled.every((cell) => cell.right);
  });
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => padded(text, widths[index] ?? 0, isRight[index] ?? false))
      .join(GAP)
      .trimEnd();
  const body = rows.map((row) => line(row.map((cell) => cell.text)));
  return [dim(line(header)), ...body].map((text) => `${text}\n`).join('');
}

/** Takes from the widest column, one by one, until the row fits or nothing more may be taken. */
function fitted(natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  const gaps = GAP.length * (widths.length - 1);
  for (let over = sum(widths) + gaps - width; over > 0; over--) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function padded(text: string, width: number, right: boolean): string {
  const cut = truncated(text, width);
  const blanks = ' '.repeat(Math.max(0, width - stringWidth(cut)));
  return right ? blanks + cut : cut + blanks;
}

/** At most `width` columns, never cutting inside what a person sees as one character. */
export function truncated(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
