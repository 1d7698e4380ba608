/**
 * Formulas of Markdown. Models write LaTeX as `\(x\)`, `\[x\]`, `$x$` and `$$x$$`, and Markdown
 * would drop the backslashes. Formulas become code, which Markdown leaves alone: one within a line
 * with a mark in front, others as a block of the language `math`.
 */

/** A character of the private use area, which no text contains. */
const MARK = '\u{E0F1}';

/** Code, which may contain anything, then the formulas. */
const PARTS = new RegExp(
  [
    '(?<code>^ {0,3}(?<fence>`{3,}|~{3,})[\\s\\S]*?(?:^ {0,3}\\k<fence>[`~]*\\s*$|$(?![\\s\\S]))|(?<ticks>`+)[^`][\\s\\S]*?(?<!`)\\k<ticks>(?!`))',
    '\\\\\\[(?<bracket>[\\s\\S]+?)\\\\\\]',
    '\\$\\$(?<dollars>[\\s\\S]+?)\\$\\$',
    '\\\\\\((?<paren>[^\\n]+?)\\\\\\)',
    // As in Pandoc, so that amounts of money stay text.
    '(?<![\\\\$\\w])\\$(?<dollar>[^\\s$](?:[^$\\n]*[^\\s$\\\\])?)\\$(?![\\d$])',
  ].join('|'),
  'gm',
);

export interface Formula {
  readonly tex: string;
  readonly isDisplay: boolean;
}

/** The text with each formula replaced by what `write` makes of it; the same text if it has none. */
export function replaceFormulas(text: string, write: (formula: Formula) => string): string {
  if (!/\$|\\[([]/.test(text)) return text;
  return text.replace(PARTS, (whole, ...args) => {
    const groups: Readonly<Record<string, string | undefined>> = args.at(-1); // named groups come last
    const display = groups.bracket ?? groups.dollars;
    if (display !== undefined) return write({ tex: display.trim(), isDisplay: true });
    const inline = groups.paren ?? groups.dollar;
    if (inline === undefined || inline.includes('`')) return whole;
    return write({ tex: inline.trim(), isDisplay: false });
  });
}

/** The text with its formulas as code. */
export function withMathMarks(text: string): string {
  return replaceFormulas(text, ({ tex, isDisplay }) =>
    isDisplay ? `\n\n\`\`\`math\n${tex}\n\`\`\`\n\n` : `\`${MARK}${tex}\``,
  );
}

/** The formula in a piece of code, as `withMathMarks` writes it. */
export function formulaIn(code: string, className = ''): Formula | undefined {
  if (code.startsWith(MARK)) return { tex: code.slice(MARK.length), isDisplay: false };
  if (className.split(' ').includes('language-math')) return { tex: code, isDisplay: true };
  return undefined;
}
