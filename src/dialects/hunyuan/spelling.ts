/** Converts field names between `snake_case` and Tencent's `UpperCamelCase`, but no values. */
import { isObject, type JsonObject } from '../../json/read-json.ts';

/** Names with a fixed spelling. */
const SPECIAL: Readonly<Record<string, string>> = { image_url: 'ImageUrl', url: 'Url', id: 'Id' };

export function upperCamelCase(fields: JsonObject): JsonObject {
  return respelled(fields, (name) => SPECIAL[name] ?? camel(name));
}

export function snakeCase(fields: JsonObject): JsonObject {
  return respelled(fields, (name) =>
    name.replaceAll(/(?<!^)[A-Z](?=[a-z])/g, (letter) => `_${letter}`).toLowerCase(),
  );
}

function camel(name: string): string {
  return name.replaceAll(/(^|_)([a-z])/g, (_all, _start, letter: string) => letter.toUpperCase());
}

function respelled(fields: JsonObject, spell: (name: string) => string): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [spell(name), respelledValue(value, spell)]),
  );
}

function respelledValue(value: unknown, spell: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => respelledValue(item, spell));
  return isObject(value) ? respelled(value, spell) : value;
}
