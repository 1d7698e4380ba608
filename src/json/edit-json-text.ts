/**
 * Serialises a changed JSON object by editing its original text. Unchanged parts keep their bytes:
 * numbers beyond 2^53, key order, escapes and unknown fields.
 */

import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from './json-signs.ts';
import type { JsonObject } from './read-json.ts';

export interface Member {
  readonly name: string;
  /** Nesting depth of objects and arrays: 0 for a plain value. */
  readonly depth: number;
  /** Estimated memory of the value: 4 per array or object, 1 per string and per end of an entry. */
  readonly units: number;
  /** Names in the objects of the value. */
  readonly names: number;
  /** From the opening quote of the name to the end of the value. */
  readonly text: string;
}

/**
 * `text` must be the JSON that `before` was parsed from. Members are compared by identity, so
 * `after` should share all unchanged values; a member that is undefined in `after` is removed.
 */
export function renderJson(text: string, before: JsonObject, after: JsonObject): string {
  if (after === before) return text;
  const changed = changedNames(before, after);
  if (changed.length === 0) return text;
  const parts: string[] = [];
  for (const member of topMembers(text)) {
    if (!changed.includes(member.name)) parts.push(member.text);
    else if (ownMember(after, member.name) !== undefined)
      parts.push(memberText(member.name, after));
  }
  for (const name of changed) {
    if (!Object.hasOwn(before, name)) parts.push(memberText(name, after));
  }
  return `{${parts.join(',')}}`;
}

/** Names whose values differ, new ones last. */
export function changedNames(before: JsonObject, after: JsonObject): string[] {
  const changed = Object.keys(before).filter((name) => before[name] !== ownMember(after, name));
  const added = Object.keys(after).filter(
    (name) => after[name] !== undefined && !Object.hasOwn(before, name),
  );
  return [...changed, ...added];
}

/** Reads own properties only, because every object inherits a `constructor`. */
function ownMember(holder: JsonObject, name: string): unknown {
  return Object.hasOwn(holder, name) ? holder[name] : undefined;
}

function memberText(name: string, holder: JsonObject): string {
  return `${JSON.stringify(name)}:${JSON.stringify(holder[name])}`;
}

/**
 * The members of the outermost object, including repeated ones. For text that is not JSON the
 * result means nothing.
 * @throws SyntaxError for a broken name.
 */
export function topMembers(text: string): Member[] {
  const members: Member[] = [];
  let depth = 0;
  let deepest = 1;
  let start = -1;
  let units = 0;
  let names = 0;
  let name = '';
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      units++;
      const end = endOfString(text, at);
      if (depth === 1 && start === -1) {
        start = at;
        name = readName(text.slice(at + 1, end - 1));
      }
      at = end - 1;
      continue;
    }
    const change = depthChange(code);
    depth += change;
    units += unitsOf(code);
    names += Number(code === COLON && depth > 1);
    deepest = Math.max(deepest, depth);
    if (start === -1 || depth > 1 || (depth === 1 && code !== COMMA)) continue;
    const member = text.slice(start, at).trimEnd();
    members.push({ name, depth: deepest - 1, units, names, text: member });
    start = -1;
    units = 0;
    names = 0;
    deepest = 1;
  }
  return members;
}

/** What a sign adds to the units of a value; a string adds one. */
function unitsOf(code: number): number {
  if (code === OPEN_OBJECT || code === OPEN_LIST) return 4;
  return code === COMMA ? 1 : 0;
}

/** `{` and `[` open a level, `}` and `]` close it. */
function depthChange(code: number): number {
  if (code === OPEN_OBJECT || code === OPEN_LIST) return 1;
  return code === CLOSE_OBJECT || code === CLOSE_LIST ? -1 : 0;
}

function readName(literal: string): string {
  if (!literal.includes('\\')) return literal;
  return JSON.parse(`"${literal}"`) as string; // a JSON string literal always parses to a string
}

/** The index after the closing quote of the string opened at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}
