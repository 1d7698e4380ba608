/** Screen-reader output: one line of text per item, without columns and graphics. */
import type { Translate } from '../../locales/text.ts';
import { oneLine } from '../../session/text.ts';
import type { Line } from '../model/line.ts';
import { named } from '../screens/format.ts';

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

export function wholeText({ head, fields }: Item, t: Translate): string {
  return listed([head, ...fields.map((field) => named(field, t))], t);
}

/** The changes since `before`; empty when there are none. */
export function itemChangeText(before: Item, now: Item, t: Translate): string {
  if (before.head !== now.head) return wholeText(now, t);
  const values = new Map(before.fields.map(({ name, value }) => [name, value]));
  const changed = now.fields.filter(({ name, value }) => values.get(name) !== value);
  if (changed.length === 0) return '';
  return listed([now.about, ...changed.map((field) => named(field, t))], t);
}

/** Joins the non-empty parts with commas. */
export function listed(parts: readonly string[], t: Translate): string {
  return parts.filter((part) => part !== '').join(t('tui.words.comma'));
}

/** Converts a drawn line to words: removes fillers, replaces gaps with commas. */
export function labelText(line: Line, t: Translate): string {
  return asSentence(line.map(({ text, label }) => label ?? text).join(''), t);
}

/** Replaces gaps with commas, except after a sign that already separates. */
export function asSentence(text: string, t: Translate): string {
  return oneLine(text)
    .trim()
    .replace(/([,:;.!?]|[，：；。！？])? {2,}/gu, (_gap, sign: string | undefined) => {
      if (sign === undefined) return t('tui.words.comma');
      return ',:;.!?'.includes(sign) ? `${sign} ` : sign;
    });
}
