/** A pasted API token finds its row; as text it would find nothing. */
const KEY = /^(?:bearer\s+)?(sk-)?([0-9A-Za-z]{48})(?:-.*)?$/i;

/** The key without `sk-`, `Bearer ` and what may follow it; undefined for a text that is none. */
export function pastedKey(text: string): string | undefined {
  return KEY.exec(text.trim())?.[2];
}

/** What of a key may stand on the screen. */
export function keyHint(key: string): string {
  return `sk-${key.slice(0, 3)}…${key.slice(-3)}`;
}
