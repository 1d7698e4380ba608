/**
 * Replaces half of a surrogate pair by U+FFFD. A program that cuts a text inside an emoji sends one,
 * and vendors refuse the whole body for it. In valid UTF-8 only an escape can make one, and the
 * escape of the replacement has the same length.
 */
import { BACKSLASH } from '../../json/json-signs.ts';

/** Bytes of an escape such as `\ud83d`. */
const ESCAPE_BYTES = 6;
const REPLACEMENT = Buffer.from('\\ufffd');

/** False if the JSON certainly contains no half pair. */
export function mayHaveHalfPair(text: string): boolean {
  return text.includes('\\u') && /\\u[dD]/.test(text);
}

/** Whether the valid escape `\uXXXX` at `at` is a half of a pair. */
export function isSurrogate(bytes: Buffer, at: number): boolean {
  return halfAt(bytes, at) !== undefined;
}

/**
 * Replaces the half pair at `at`, unless its other half follows. Returns the position after the
 * escape, or after both of a pair.
 */
export function mendSurrogate(bytes: Buffer, at: number): number {
  const next = at + ESCAPE_BYTES;
  if (halfAt(bytes, at) === 'high' && halfAt(bytes, next) === 'low') return next + ESCAPE_BYTES;
  REPLACEMENT.copy(bytes, at);
  return next;
}

function halfAt(bytes: Buffer, at: number): 'high' | 'low' | undefined {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== 0x75) return undefined;
  const code = Number(`0x${bytes.toString('latin1', at + 2, at + ESCAPE_BYTES)}`);
  if (code >= 0xd800 && code < 0xdc00) return 'high';
  return code >= 0xdc00 && code < 0xe000 ? 'low' : undefined;
}
