/** Parses and masks upstream keys as users enter and see them. */
import { isHeaderText } from '../text/header-text.ts';

/**
 * Splits a text into keys at commas and line breaks, but never inside a JSON object (a service
 * account is one key). A JSON array yields its members. Keys are trimmed; blanks and duplicates are
 * dropped.
 */
export function splitKeys(text: string): string[] {
  return [...new Set(splitKeyText(text))];
}

/** Same as `splitKeys`, but keeps duplicates: different keys may have the same mask. */
export function splitKeyText(text: string): string[] {
  const keys = membersOfList(text) ?? piecesOf(text);
  return keys.map((key) => key.trim()).filter((key) => key !== '');
}

function membersOfList(text: string): string[] | undefined {
  if (!text.trim().startsWith('[')) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list)) return undefined;
    return list.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
  } catch {
    // Not JSON: the key merely starts with a bracket.
    return undefined;
  }
}

function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let start = afterBlanks(text, 0);
  while (start < text.length) {
    const end = text[start] === '{' ? endOfJson(text, start) : endOfPlain(text, start);
    pieces.push(text.slice(start, end));
    // Skip blank pieces in one step, so that a megabyte of line breaks is not scanned line by line.
    start = afterBlanks(text, end + 1);
  }
  return pieces;
}

function afterBlanks(text: string, start: number): number {
  const blanks = /\s*/y;
  blanks.lastIndex = start;
  blanks.test(text);
  return Math.max(start, blanks.lastIndex);
}

/** Whether every key is valid in a header; JSON objects are exempt, as they are not sent in one. */
export function areValidKeys(text: string): boolean {
  return splitKeys(text).every((key) => key.startsWith('{') || isHeaderText(key));
}

function endOfPlain(text: string, start: number): number {
  const length = text.slice(start).search(/[,\r\n]/u);
  return length === -1 ? text.length : start + length;
}

/** A masked JSON object is not valid JSON: its braces and quotes are not balanced. */
function endOfJson(text: string, start: number): number {
  const mask = /\S{6}\*{3}\S{4}(?=[\s,]|$)/y;
  mask.lastIndex = start;
  return mask.test(text) ? mask.lastIndex : endOfObject(text, start);
}

/** The index after the closing brace; braces inside strings do not count. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

const SHORTEST_SHOWN = 12;
const HIDDEN = '***';

/** The masked form: enough to tell keys apart, too little to use one; at most 13 characters. */
export function keyHint(key: string): string {
  const oneLine = key.replaceAll(/\s+/gu, '');
  if (oneLine.length < SHORTEST_SHOWN) return HIDDEN;
  return `${oneLine.slice(0, 6)}${HIDDEN}${oneLine.slice(-4)}`;
}

/** Whether a text is the masked form of a key. */
export function isMaskedKey(key: string): boolean {
  return key.includes(HIDDEN);
}
