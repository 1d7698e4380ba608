/** A pasted API token finds its row by key; a text search would not match. */
const KEY = /^(?:bearer\s+)?(sk-)?([0-9A-Za-z]{48})(?:-.*)?$/i;

/** The key without `sk-`, `Bearer ` and suffix; undefined for any other text. */
export function keyInSearch(text: string): string | undefined {
  return KEY.exec(text.trim())?.[2];
}

/** The part of a key that may be shown. */
export function keyHint(key: string): string {
  return `sk-${key.slice(0, 3)}…${key.slice(-3)}`;
}
