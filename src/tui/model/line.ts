/**
 * What the dashboard shows is lines of coloured words, made by pure functions and painted at the
 * very end. All widths are cells of the terminal: a Chinese character takes two.
 */
import stringWidth from 'string-width';
import { truncated } from '../../cli/table.ts';

export type Tone = 'plain' | 'dim' | 'strong' | 'good' | 'warn' | 'bad' | 'info';

export interface Span {
  readonly text: string;
  readonly tone?: Tone;
  /** What a screen reader is told instead of a mark or a picture; '' where there is nothing to tell. */
  readonly label?: string;
  /** The row under the cursor, the tab that is open, the button that Enter presses. */
  readonly inverse?: boolean;
}

export type Line = readonly Span[];

export const BLANK: Line = [];

export function line(text: string, tone: Tone = 'plain'): Line {
  return [{ text, tone }];
}

export function widthOf(line: Line): number {
  return line.reduce((sum, { text }) => sum + stringWidth(text), 0);
}

/** `text` in exactly `width` cells, cut with an ellipsis or filled with blanks. */
export function cell(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  if (width <= 0) return '';
  const cut = truncated(text, width);
  const blanks = ' '.repeat(Math.max(0, width - stringWidth(cut)));
  return align === 'right' ? blanks + cut : cut + blanks;
}

/** At most `width` cells of the line. */
export function cut(line: Line, width: number): Line {
  const kept: Span[] = [];
  let left = width;
  for (const span of line) {
    if (left <= 0) break;
    const taken = stringWidth(span.text) <= left ? span.text : truncated(span.text, left);
    kept.push({ ...span, text: taken });
    left -= stringWidth(taken);
    if (taken !== span.text) break;
  }
  return kept;
}

/** Exactly `width` cells. */
export function filled(line: Line, width: number): Line {
  const kept = cut(line, width);
  const missing = width - widthOf(kept);
  return missing > 0 ? [...kept, { text: ' '.repeat(missing) }] : kept;
}

/** `left` and `right` at the two ends of `width` cells; the left one gives way. */
export function spread(left: Line, right: Line, width: number): Line {
  const room = width - widthOf(right);
  return room < 2 ? cut(left, width) : [...filled(left, room), ...right];
}

export function inverted(line: Line, width: number): Line {
  return filled(line, width).map((span) => ({ ...span, inverse: true }));
}

export function plainText(line: Line): string {
  return line.map(({ text }) => text).join('');
}

/** Long text in lines of at most `width` cells, broken anywhere: addresses and JSON have no blanks. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let current = '';
    let used = 0;
    for (const { segment } of new Intl.Segmenter().segment(paragraph)) {
      const size = stringWidth(segment);
      if (used + size > width) {
        lines.push(current);
        current = '';
        used = 0;
      }
      current += segment;
      used += size;
    }
    lines.push(current);
  }
  return lines;
}
