/** JSON texts of forms. An empty text counts as an empty object. */

import { isObject, parseJson } from '../../../../src/json/read-json.ts';
export type FlatMap = Readonly<Record<string, string | number>>;

/** Parses a flat object of strings and numbers; undefined for anything else. */
export function readFlatMap(text: string): FlatMap | undefined {
  if (text.trim() === '') return {};
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const isFlat = Object.values(value).every((one) => ['string', 'number'].includes(typeof one));
  return isFlat ? (value as FlatMap) : undefined; // checked above
}

/** True for an empty text and for a JSON object. */
export function isJsonObject(text: string): boolean {
  if (text.trim() === '') return true;
  return isObject(parseJson(text));
}

/** The map with one entry renamed or changed, in the same order. */
export function withEntry(
  map: FlatMap,
  index: number,
  [key, value]: [string, string | number],
): FlatMap {
  return Object.fromEntries(
    Object.entries(map).map((entry, at) => (at === index ? [key, value] : entry)),
  );
}

/** A number if the text is one and the other values are numbers too, else the text. */
export function typedValue(text: string, isNumeric: boolean): string | number {
  const number = Number(text);
  return isNumeric && text.trim() !== '' && Number.isFinite(number) ? number : text;
}
