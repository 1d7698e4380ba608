/** Reads fields of Google's JSON, which accepts both `inlineData` and `inline_data`. */
import { wrongField } from '../../domain/errors/field-errors.ts';
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../json/read-json.ts';

/** Cached, because every frame of a stream looks up the same few names. */
const spellings = new Map<string, string>();

function snake(name: string): string {
  const known = spellings.get(name);
  if (known !== undefined) return known;
  const made = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  spellings.set(name, made);
  return made;
}

/** The spelling used in `holder`. */
function spelled(holder: JsonObject | undefined, name: string): string {
  if (holder === undefined || Object.hasOwn(holder, name)) return name;
  const other = snake(name);
  return Object.hasOwn(holder, other) ? other : name;
}

export function fieldOf(holder: JsonObject | undefined, name: string): unknown {
  return holder?.[spelled(holder, name)];
}

export function objectOf(holder: JsonObject | undefined, name: string): JsonObject | undefined {
  return objectIn(holder, spelled(holder, name));
}

export function objectsOf(holder: JsonObject | undefined, name: string): readonly JsonObject[] {
  return objectsIn(holder, spelled(holder, name));
}

export function textField(holder: JsonObject | undefined, name: string): string | undefined {
  return textIn(holder, spelled(holder, name));
}

export function numberField(holder: JsonObject | undefined, name: string): number | undefined {
  return numberIn(holder, spelled(holder, name));
}

/** A set of field names in both spellings. */
export function fieldNameSet(...names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => [name, snake(name)]));
}

/** Their contents have names that the client chooses. */
const OPAQUE = fieldNameSet(
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'labels',
);

/**
 * Google reads one of two spellings, and the gateway may read the other.
 * @throws AppError field_wrong for a field in both spellings, in this value or inside it
 */
export function refuseBothSpellings(value: unknown, path = ''): void {
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries())
      if (typeof entry === 'object') refuseBothSpellings(entry, `${path}${index}.`);
    return;
  }
  if (!isObject(value)) return;
  for (const name in value) {
    if (name.includes('_') && Object.hasOwn(value, camel(name)))
      throw wrongField(path + name, 'spelled_twice');
    const inner = value[name];
    if (typeof inner === 'object' && !OPAQUE.has(name))
      refuseBothSpellings(inner, `${path}${name}.`);
  }
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
