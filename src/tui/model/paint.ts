/** The last step before the terminal: tones become colours, or words and symbols alone. */
import type { ChalkInstance } from 'chalk';
import type { Line, Span, Tone } from './line.ts';

export interface Palette {
  readonly paint: ChalkInstance;
  /** Blocks and boxes in ASCII, for terminals and fonts without them. */
  readonly ascii: boolean;
  /** Not one control sequence, for a frame that goes into a file. */
  readonly plain?: boolean;
}

const INVERSE = ['\u001B[7m', '\u001B[27m'] as const;

/** Colours of the terminal's own sixteen, so that a person's theme holds. */
function toned(paint: ChalkInstance, tone: Tone): (text: string) => string {
  switch (tone) {
    case 'plain':
      return (text) => text;
    case 'dim':
      return paint.dim;
    case 'strong':
      return paint.bold;
    case 'good':
      return paint.green;
    case 'warn':
      return paint.yellow;
    case 'bad':
      return paint.red;
    case 'info':
      return paint.cyan;
  }
}

/** Inverse is no colour: it is kept under NO_COLOR, as it may be all that shows the cursor. */
export function painted(line: Line, { paint, ascii, plain = false }: Palette): string {
  return line
    .map(({ text, tone = 'plain', inverse = false }: Span) => {
      const shown = ascii ? asAscii(text) : text;
      if (plain) return shown;
      if (inverse) return INVERSE[0] + shown + INVERSE[1];
      return toned(paint, tone)(shown);
    })
    .join('');
}

/** One cell for one cell, so that nothing moves. */
const ASCII: Readonly<Record<string, string>> = {
  '▁': '_',
  '▂': '.',
  '▃': '-',
  '▄': '=',
  '▅': '+',
  '▆': '*',
  '▇': '%',
  '█': '#',
  '─': '-',
  '│': '|',
  '┌': '+',
  '┐': '+',
  '└': '+',
  '┘': '+',
  '…': '~',
  '•': '*',
  '→': '>',
};

export function asAscii(text: string): string {
  return text.replace(/[▁▂▃▄▅▆▇█─│┌┐└┘…•→]/gu, (char) => ASCII[char] ?? char);
}
