/** The preview text of a message in a list, without markup. */
import { replaceFormulas } from '../../components/content/math-marks.ts';
import type { OwnMessage } from './calls.ts';

const LONGEST = 100;
const ELLIPSIS = '...';

/** At most 100 characters, including three dots for a longer text. */
export function messagePreview(text: string): string {
  const characters = [...text];
  if (characters.length <= LONGEST) return text;
  return `${characters.slice(0, LONGEST - ELLIPSIS.length).join('')}${ELLIPSIS}`;
}

/** Shown as text only, so leftover markup is untidy but not dangerous. */
export function plainText({ content, format }: Pick<OwnMessage, 'content' | 'format'>): string {
  const bare = format === 'html' ? withoutTags(content) : withoutMarks(content);
  return bare.replaceAll(/\s+/gu, ' ').trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  '#39': "'",
};

/** Inline markup: its content stays in place. */
const INLINE = /<\/?(a|abbr|b|code|em|font|i|mark|s|small|span|strong|sub|sup|u)\b[^>]*>/gi;

function withoutTags(html: string): string {
  return html
    .replaceAll(/<(style|script)\b[^>]*>[\s\S]*?<\/\1>/gi, ' ')
    .replaceAll(INLINE, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(amp|lt|gt|quot|nbsp|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

/** A formula in the middle of a line of text cannot be read. */
const FORMULA = ' … ';

function withoutMarks(markdown: string): string {
  return replaceFormulas(markdown, () => FORMULA)
    .replaceAll(/^\s*```.*$/gm, ' ')
    .replaceAll(/^[\s|:-]*-[\s|:-]*$/gm, ' ')
    .replaceAll('|', ' ')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^\s{0,3}(#{1,6}|>|[-*+]|\d+\.)\s+/gm, '')
    .replaceAll(
      // Code keeps its characters, and underscores within a word are no marks.
      /(`+)(?<code>[^`]+)\1|\*\*|~~|(?<!\w)__(?=\S)|(?<=\S)__(?!\w)|(?<![\w*])[*_](?<em>[^\s*_`](?:[^*_`]*[^\s*_`])?)[*_](?![\w*])/g,
      '$<code>$<em>',
    );
}
