/** A part of a JSON text. */
export interface JsonPart {
  /** The part with the comma or bracket that ends it: all parts together are the text. */
  readonly text: string;
  /** The part alone: the same wherever it stands, so that requests can be compared. */
  readonly value: string;
}

/**
 * Splits the text of a JSON object at the commas between its members, and at those between the
 * elements of its lists (messages, tools). By characters, so that repeated names and spellings stay
 * as they were sent; one linear pass. Another text, or one of more than 2,000 parts, is one part.
 */
export function jsonParts(text: string): JsonPart[] {
  const parts: JsonPart[] = [];
  let start = 0;
  let depth = 0;
  let isInList = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (!SYNTAX.has(character)) continue;
    if (OPENS.has(character)) depth++;
    if (depth === 2 && OPENS.has(character)) isInList = character === '[';
    if (depth === 1 || (depth === 2 && isInList)) {
      if (parts.length === MOST_PARTS) return [wholePart(text)];
      parts.push({ text: text.slice(start, at + 1), value: text.slice(start, at).trim() });
      start = at + 1;
    }
    if (CLOSES.has(character)) depth--;
  }
  if (start < text.length) parts.push(wholePart(text.slice(start)));
  return parts;
}

/** Each part is compared by a digest. */
const MOST_PARTS = 2_000;

function wholePart(text: string): JsonPart {
  return { text, value: text.trim() };
}

const OPENS: ReadonlySet<string> = new Set('{[');
const CLOSES: ReadonlySet<string> = new Set('}]');
const SYNTAX: ReadonlySet<string> = new Set('{[,]}');

/** The index of the quotation mark that ends the string; of the last character if none does. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length - 1 : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes++;
  return slashes % 2 === 1;
}
