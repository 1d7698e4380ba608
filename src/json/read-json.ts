/** JSON as it comes from outside: unknown until asked, one field at a time. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined for text that is not JSON. Blank lines around it do not matter. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON is an answer here: the caller decides what it means.
    return undefined;
  }
}

/** The object in `holder[name]`, if there is one. */
export function objectIn(holder: unknown, name: string): JsonObject | undefined {
  const value = isObject(holder) ? holder[name] : undefined;
  return isObject(value) ? value : undefined;
}

/** The objects of the list in `holder[name]`; empty when there is none. */
export function objectsIn(holder: unknown, name: string): readonly JsonObject[] {
  const value = isObject(holder) ? holder[name] : undefined;
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The non-empty text in `holder[name]`; a number is given as its text. */
export function textIn(holder: unknown, name: string): string | undefined {
  const value = isObject(holder) ? holder[name] : undefined;
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The finite number in `holder[name]`; numbers written as text count. */
export function numberIn(holder: unknown, name: string): number | undefined {
  const text = textIn(holder, name);
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}
