/** The rows of a list that there is room for, and no others. */
import { fitColumns, GAP } from '../model/columns.ts';
import {
  BLANK,
  cell,
  cut,
  inverted,
  type Line,
  line,
  plainText,
  widthOf,
  wrapped,
} from '../model/line.ts';
import { current, type List, windowOf } from '../model/list.ts';
import type { AnyRow, AnyScreen, Viewer } from '../screens/screen.ts';

/** Cursor and mark. */
const MARGIN = 3;

/** Titles and rows in exactly `height` lines of at most `width` cells. */
export function tableLines(
  screen: AnyScreen,
  list: List<AnyRow>,
  { width, height }: { readonly width: number; readonly height: number },
  viewer: Viewer,
  wasRead: boolean,
): readonly Line[] {
  const columns = fitColumns(screen.columns, list.hidden, width - MARGIN);
  const titles = columns.map(({ column, width: room }) => {
    const title = viewer.t(`tui.columns.${column.key}`).toUpperCase();
    const isSorted = list.sort?.column === column.key;
    return cell(isSorted ? `${title}${list.sort?.reverse ? '^' : 'v'}` : title, room, column.align);
  });
  const head: Line = [{ text: ' '.repeat(MARGIN) + titles.join(' '.repeat(GAP)), tone: 'dim' }];
  const { start, rows } = windowOf(list, height - 1);
  const body = rows.map((row, index): Line => {
    const isCursor = start + index === list.cursor;
    const isMarked = list.marks.has(screen.id(row));
    const cells = columns.flatMap(({ column, width: room }, at) => {
      const { text, tone } = column.shown(row);
      const gap = at === 0 ? [] : [{ text: ' '.repeat(GAP) }];
      return [
        ...gap,
        { text: cell(text, room, column.align), ...(tone !== undefined && { tone }) },
      ];
    });
    const margin = `${isCursor ? '>' : ' '}${isMarked ? '*' : ' '} `;
    const whole: Line = [{ text: margin, ...(isMarked && { tone: 'warn' }) }, ...cells];
    return isCursor ? inverted(whole, width) : cut(whole, width);
  });
  const empty = viewer.t(wasRead ? 'tui.say.nothing' : 'tui.say.loading');
  const shown = body.length > 0 ? body : [line(`   ${empty}`, 'dim')];
  return padded([head, ...shown], height);
}

/** The row under the cursor in full, in exactly `height` lines. */
export function detailLines(
  screen: AnyScreen,
  list: List<AnyRow>,
  { width, height }: { readonly width: number; readonly height: number },
): readonly Line[] {
  const row = current(list);
  if (row === undefined) return padded([], height);
  return padded(
    screen.detail(row).flatMap((each) => folded(each, width)),
    height,
  );
}

/** A line that is too long goes on below, in the tone of its end. */
function folded(each: Line, width: number): readonly Line[] {
  if (widthOf(each) <= width) return [each];
  const tone = each.at(-1)?.tone ?? 'plain';
  const [first = '', ...rest] = wrapped(plainText(each), width);
  return [beginning(each, first), ...rest.map((text) => line(text, tone))];
}

/** The spans of the beginning that stands on the first line. */
function beginning(each: Line, first: string): Line {
  let left = first.length;
  return each.flatMap((span) => {
    const text = span.text.slice(0, left);
    left -= text.length;
    return text === '' ? [] : [{ ...span, text }];
  });
}

export function padded(lines: readonly Line[], height: number): readonly Line[] {
  const kept = lines.slice(0, Math.max(0, height));
  return [...kept, ...Array.from({ length: height - kept.length }, () => BLANK)];
}
