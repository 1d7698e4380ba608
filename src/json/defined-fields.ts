import type { JsonObject } from './read-json.ts';

/** The fields that have a value; `undefined` would still be a key. */
export function definedFields(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
