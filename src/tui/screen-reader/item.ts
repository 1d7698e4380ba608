/** Screen-reader output: one line of text per item, without columns and graphics. */
import { oneLine } from '../../session/text.ts';
import type { Line } from '../model/line.ts';

export interface Field {
  readonly name: string;
  readonly value: string;
}

export interface Item {
  /** Stable across announcements. */
  readonly key: string;
  /** Text before the fields. */
  readonly head: string;
  /** Identifies the item when only one of its fields changed. */
  readonly about: string;
  readonly fields: readonly Field[];
}

export function item(key: string, head: string, fields: readonly Field[] = []): Item {
  return { key, head, about: '', fields };
}

export function wholeText({ head, fields }: Item): string {
  return listed([head, ...fields.map(fieldText)]);
}

/** The changes since `before`; empty when there are none. */
export function changeText(before: Item, now: Item): string {
  if (before.head !== now.head) return wholeText(now);
  const values = new Map(before.fields.map(({ name, value }) => [name, value]));
  const changed = now.fields.filter(({ name, value }) => values.get(name) !== value);
  return changed.length === 0 ? '' : listed([now.about, ...changed.map(fieldText)]);
}

function fieldText({ name, value }: Field): string {
  return `${name}: ${value}`;
}

/** Joins the non-empty parts with commas. */
export function listed(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}

/** Converts a drawn line to words: removes fillers, replaces gaps with commas. */
export function labelText(line: Line): string {
  return asSentence(line.map(({ text, label }) => label ?? text).join(''));
}

export function asSentence(text: string): string {
  return oneLine(text)
    .trim()
    .replace(/([,:]?) {2,}/gu, (_gap, end: string) => `${end || ','} `);
}
