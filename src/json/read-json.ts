/** Reads untrusted JSON one field at a time, checking each field's type. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined for text that is not JSON. Surrounding whitespace is ignored. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Invalid JSON is an expected result; the caller handles it.
    return undefined;
  }
}

/** The object; undefined for any other value. */
export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** The object in `holder[name]`; undefined if it is not an object. */
export function objectIn(holder: unknown, name: string): JsonObject | undefined {
  return isObject(holder) ? asObject(holder[name]) : undefined;
}

const NO_OBJECTS: readonly JsonObject[] = [];

/** The objects of the array in `holder[name]`; empty if it is not an array. */
export function objectsIn(holder: unknown, name: string): readonly JsonObject[] {
  return isObject(holder) ? asObjects(holder[name]) : NO_OBJECTS;
}

/** The objects of an array; empty for any other value. */
export function asObjects(value: unknown): readonly JsonObject[] {
  if (!Array.isArray(value)) return NO_OBJECTS;
  // Usually all are objects; this runs several times for every stream event.
  return value.every(isObject) ? value : value.filter(isObject);
}

/** The non-empty text in `holder[name]`; a number is converted to text. */
export function textIn(holder: unknown, name: string): string | undefined {
  return isObject(holder) ? asText(holder[name]) : undefined;
}

/** Non-empty text; a number is converted to text. Undefined for any other value. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The finite number in `holder[name]`, including numbers given as text. */
export function numberIn(holder: unknown, name: string): number | undefined {
  const text = textIn(holder, name);
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Where a text stops to be JSON, in UTF-16 units; undefined if it is JSON. */
export function syntaxErrorAt(text: string): number | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    // Without a position the text ended too early. The rest of the message quotes the text.
    const found = error instanceof Error ? /position (\d+)/.exec(error.message) : null;
    return Number(found?.[1] ?? text.length);
  }
}

/** The number of names in the objects of a value; the parser keeps one of several equal names. */
export function namesIn(value: unknown): number {
  let names = 0;
  if (Array.isArray(value)) for (const entry of value) names += namesIn(entry);
  else if (isObject(value)) for (const name in value) names += 1 + namesIn(value[name]);
  return names;
}
