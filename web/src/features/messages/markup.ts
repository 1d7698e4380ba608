/** The editor's formatting buttons, as pure functions on a text and its selection. */
import type { Format } from './calls.ts';

export const MARKUPS = ['bold', 'italic', 'heading', 'list', 'link', 'code'] as const;
export type Markup = (typeof MARKUPS)[number];

export interface TextSelection {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Inserted around the selection; `each` goes before every line of it. */
type Wrap =
  | { readonly before: string; readonly after: string }
  | {
      readonly before: string;
      readonly each: string;
      readonly eachAfter: string;
      readonly after: string;
    };

const WRAPS: Record<Format, Record<Markup, Wrap>> = {
  markdown: {
    bold: { before: '**', after: '**' },
    italic: { before: '_', after: '_' },
    heading: { before: '', each: '## ', eachAfter: '', after: '' },
    list: { before: '', each: '- ', eachAfter: '', after: '' },
    link: { before: '[', after: '](https://)' },
    code: { before: '`', after: '`' },
  },
  html: {
    bold: { before: '<strong>', after: '</strong>' },
    italic: { before: '<em>', after: '</em>' },
    heading: { before: '<h2>', after: '</h2>' },
    list: { before: '<ul>\n', each: '  <li>', eachAfter: '</li>', after: '\n</ul>' },
    link: { before: '<a href="https://">', after: '</a>' },
    code: { before: '<code>', after: '</code>' },
  },
};

/** The text with the markup around its selection; the selection itself stays the same. */
export function marked(
  { text, start, end }: TextSelection,
  format: Format,
  mark: Markup,
): TextSelection {
  const wrap = WRAPS[format][mark];
  const from = 'each' in wrap ? text.lastIndexOf('\n', start - 1) + 1 : start;
  const inner = innerText(text.slice(from, end), wrap);
  const next = `${text.slice(0, from)}${wrap.before}${inner}${wrap.after}${text.slice(end)}`;
  const innerStart = from + wrap.before.length;
  return { text: next, start: innerStart, end: innerStart + inner.length };
}

function innerText(text: string, wrap: Wrap): string {
  if (!('each' in wrap)) return text;
  const lines = text.split('\n').map((line) => `${wrap.each}${line}${wrap.eachAfter}`);
  return lines.join('\n');
}
