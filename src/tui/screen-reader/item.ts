/** Screen-reader output: one line of text per item, without columns and drawing. */
import { oneLine } from '../../session/text.ts';
import type { Line } from '../model/line.ts';

export interface Field {
  readonly name: string;
  readonly value: string;
}

export interface Item {
  /** The same thing has the same key at the next telling. */
  readonly key: string;
  /** What stands before the fields. */
  readonly head: string;
  /** Tells which thing it is when only one of its fields changed. */
  readonly about: string;
  readonly fields: readonly Field[];
}

export function item(key: string, head: string, fields: readonly Field[] = []): Item {
  return { key, head, about: '', fields };
}

export function wholeText({ head, fields }: Item): string {
  return listed([head, ...fields.map(fieldText)]);
}

/** What of it is new since `before`; empty when nothing is. */
export function changeText(before: Item, now: Item): string {
  if (before.head !== now.head) return wholeText(now);
  const values = new Map(before.fields.map(({ name, value }) => [name, value]));
  const changed = now.fields.filter(({ name, value }) => values.get(name) !== value);
  return changed.length === 0 ? '' : listed([now.about, ...changed.map(fieldText)]);
}

function fieldText({ name, value }: Field): string {
  return `${name}: ${value}`;
}

/** Parts with a comma between them; empty ones are left out. */
export function listed(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}

/** A painted line as words: what only fills its place is gone, gaps between its parts are commas. */
export function labelText(line: Line): string {
  return asSentence(line.map(({ text, label }) => label ?? text).join(''));
}

export function asSentence(text: string): string {
  return oneLine(text)
    .trim()
    .replace(/([,:]?) {2,}/gu, (_gap, end: string) => `${end || ','} `);
}
