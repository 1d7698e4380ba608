/** A channel's `param_override`: the admin's last word on the body that goes upstream. */
import type { JsonObject } from '../../json/read-json.ts';

/** Names that would reach into the object instead of being one of its fields. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Shallow: each field replaces the body's. The inputs are not touched. */
export function withOverride(body: JsonObject, override: JsonObject): JsonObject {
  const fields = Object.entries(override).filter(
    ([name, value]) => !RESERVED.has(name) && body[name] !== value,
  );
  return fields.length === 0 ? body : { ...body, ...Object.fromEntries(fields) };
}
