/** Converts the two options of groups to rows of one table, and back. */

import { isObject, parseJson } from '../../../../../src/json/read-json.ts';
export interface GroupRow {
  readonly name: string;
  readonly ratio: number | string;
  readonly isSelectable: boolean;
  readonly label: string;
}

export interface GroupTexts {
  readonly GroupRatio: string;
  readonly UserUsableGroups: string;
}

/** undefined if one of the texts is not a JSON map. */
export function groupRows(texts: GroupTexts): GroupRow[] | undefined {
  const ratios = mapOf(texts.GroupRatio);
  const labels = mapOf(texts.UserUsableGroups);
  if (ratios === undefined || labels === undefined) return undefined;
  return [...new Set([...Object.keys(ratios), ...Object.keys(labels)])].map((name) => ({
    name,
    ratio: Object.hasOwn(ratios, name) ? (ratios[name] as number | string) : '',
    isSelectable: Object.hasOwn(labels, name),
    label: Object.hasOwn(labels, name) ? String(labels[name]) : '',
  }));
}

export function groupTexts(rows: readonly GroupRow[]): GroupTexts {
  const rated = rows.filter(({ ratio }) => ratio !== '');
  const offered = rows.filter(({ isSelectable }) => isSelectable);
  return {
    GroupRatio: print(rated.map(({ name, ratio }) => [name, ratio])),
    UserUsableGroups: print(offered.map(({ name, label }) => [name, label])),
  };
}

function print(entries: readonly (readonly [string, unknown])[]): string {
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

function mapOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}
