/** A channel's `param_override`, applied last to the body that is sent upstream. */
import type { JsonObject } from '../../json/read-json.ts';

/** Names that would change the object's prototype instead of one of its fields. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Shallow: each field replaces the body's. Does not modify its arguments. */
export function withParamOverride(body: JsonObject, override: JsonObject): JsonObject {
  const fields = Object.entries(override).filter(
    ([name, value]) => !RESERVED.has(name) && body[name] !== value,
  );
  return fields.length === 0 ? body : { ...body, ...Object.fromEntries(fields) };
}
