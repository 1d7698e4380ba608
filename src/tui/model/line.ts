/** Text with tones, as the screens give it and the components show it. */
import stringWidth from 'string-width';

export type Tone = 'plain' | 'dim' | 'strong' | 'good' | 'warn' | 'bad' | 'info';

export interface Span {
  readonly text: string;
  readonly tone?: Tone;
  /** Screen-reader text for a mark or a picture; '' for a decoration. */
  readonly label?: string;
}

export type Line = readonly Span[];

/** Lines of at most `width` cells, broken anywhere: addresses and JSON have no blanks. */
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
