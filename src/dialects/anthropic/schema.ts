/** Adapts JSON schemas to Anthropic's structured outputs. */
import { isObject, type JsonObject } from '../../json/read-json.ts';

/** Disallows additional properties on every object, as structured outputs require. */
export function strictSchema(schema: JsonObject): JsonObject {
  const closed = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, closedValue(value)]),
  );
  const isOpen = closed.type === 'object' || isObject(closed.properties);
  return isOpen ? { ...closed, additionalProperties: false } : closed;
}

function closedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedValue);
  return isObject(value) ? strictSchema(value) : value;
}
