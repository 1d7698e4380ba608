/** Styled text, as produced by the screens and rendered by the components. */
import stringWidth from 'string-width';

export type Tone = 'plain' | 'dim' | 'strong' | 'good' | 'warn' | 'bad' | 'info';

export interface Span {
  readonly text: string;
  readonly tone?: Tone;
}

export type Line = readonly Span[];

/** Splits into lines of at most `width` cells, at any character: URLs and JSON have no spaces. */
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
