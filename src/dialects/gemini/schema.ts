/**
 * Converts JSON schemas for models that support only a subset of OpenAPI's, and Google's schemas to
 * JSON schema. Source: ai.google.dev/api/caching#Schema.
 */
import { isObject, type JsonObject } from '../../json/read-json.ts';

const KEPT = new Set([
  'title',
  'description',
  'nullable',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
  'pattern',
  'propertyOrdering',
  'example',
  'default',
]);

const FORMATS: Readonly<Record<string, ReadonlySet<unknown>>> = {
  string: new Set(['enum', 'date-time']),
  number: new Set(['float', 'double']),
  integer: new Set(['int32', 'int64']),
};

/** Limits the depth of schemas that refer to themselves. */
const MAX_DEPTH = 32;

/** Removes keywords that these models reject, and resolves references. */
export function cleanSchema(schema: JsonObject): JsonObject {
  return clean(schema, schema, 0);
}

function clean(given: JsonObject, root: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) return { type: 'object' };
  const schema = merged(resolved(given, root, 0), root);
  const turn = (value: unknown) => (isObject(value) ? clean(value, root, depth + 1) : {});
  const kept = Object.entries(schema).filter(([name]) => KEPT.has(name));
  const result = {
    ...Object.fromEntries(kept),
    ...cleanType(schema, turn),
    ...cleanEnum(schema),
    ...cleanProperties(schema, turn),
  };
  const type = 'type' in result ? result.type : undefined;
  const format = FORMATS[String(type)]?.has(schema.format) ? { format: schema.format } : {};
  const items = type === 'array' ? { items: cleanItems(schema.items, turn) } : {};
  return { ...result, ...format, ...items };
}

/** References such as `#/$defs/Name`; one that cannot be resolved is dropped. */
function resolved(schema: JsonObject, root: JsonObject, hops: number): JsonObject {
  const { $ref: reference, ...rest } = schema;
  if (typeof reference !== 'string' || hops > MAX_DEPTH) return rest;
  const path = reference.startsWith('#/') ? reference.slice(2).split('/') : [];
  const found = path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), root);
  const target = isObject(found) && path.length > 0 ? resolved(found, root, hops + 1) : {};
  return { ...target, ...rest };
}

/** Merges the schemas of `allOf` into one. */
function merged(schema: JsonObject, root: JsonObject): JsonObject {
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf)) return schema;
  const parts = allOf.filter(isObject).map((part) => merged(resolved(part, root, 0), root));
  const all = [...parts, rest];
  const properties = Object.assign({}, ...all.map((part) => part.properties ?? {}));
  const required = all.flatMap((part) => (Array.isArray(part.required) ? part.required : []));
  return Object.assign(
    {},
    ...all,
    Object.keys(properties).length > 0 ? { properties } : {},
    required.length > 0 ? { required: [...new Set(required)] } : {},
  );
}

type Turn = (value: unknown) => JsonObject;

/** Several types become `anyOf`; `null` becomes `nullable`. */
function cleanType(schema: JsonObject, turn: Turn): JsonObject {
  const { type, anyOf, oneOf } = schema;
  const options = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (options !== undefined) {
    const real = options.filter((option) => !(isObject(option) && option.type === 'null'));
    const nullable = real.length < options.length ? { nullable: true } : {};
    const [only] = real;
    if (real.length === 1) return { ...turn(only), ...nullable };
    return { anyOf: real.map(turn), ...nullable };
  }
  if (typeof type === 'string') return { type: type.toLowerCase() };
  if (!Array.isArray(type)) return isObject(schema.properties) ? { type: 'object' } : {};
  const real = type.filter((name) => name !== 'null');
  const nullable = real.length < type.length ? { nullable: true } : {};
  if (real.length === 1) return { type: real[0], ...nullable };
  return { anyOf: real.map((name) => turn({ ...schema, type: name })), ...nullable };
}

/** Only enums of strings are allowed. */
function cleanEnum({ enum: values, const: only, type }: JsonObject): JsonObject {
  const listed = only === undefined ? values : [only];
  if (!Array.isArray(listed)) return {};
  const texts = listed.filter((value) => value !== null).map(String);
  const isText = type === undefined || type === 'string' || Array.isArray(type);
  return isText && texts.length > 0 ? { type: 'string', enum: texts } : {};
}

function cleanProperties({ properties, required }: JsonObject, turn: Turn): JsonObject {
  if (!isObject(properties)) return {};
  const cleaned = Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, turn(value)]),
  );
  const needed = Array.isArray(required)
    ? required.filter((name) => Object.hasOwn(properties, String(name)))
    : [];
  return { properties: cleaned, ...(needed.length > 0 ? { required: needed } : {}) };
}

function cleanItems(items: unknown, turn: Turn): JsonObject {
  const given = Array.isArray(items) ? items[0] : items;
  const cleaned = isObject(given) ? turn(given) : {};
  return Object.keys(cleaned).length > 0 ? cleaned : { type: 'string' };
}

/** Converts Google's schema to JSON schema: lower-case types, `nullable` as a type. */
export function jsonSchemaOf(schema: JsonObject): JsonObject {
  const { nullable, propertyOrdering: _, property_ordering: _snake, ...rest } = schema;
  const entries = Object.entries(rest).map(([name, value]) => [name, jsonValueOf(name, value)]);
  const turned: JsonObject = Object.fromEntries(entries);
  if (nullable !== true || typeof turned.type !== 'string') return turned;
  return { ...turned, type: [turned.type, 'null'] };
}

/** 64-bit integers, which Google writes as strings. */
const BOUNDS = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
]);

function jsonValueOf(name: string, value: unknown): unknown {
  if (name === 'type' && typeof value === 'string') return value.toLowerCase();
  if (BOUNDS.has(name) && typeof value === 'string') return Number(value);
  if (name === 'properties' && isObject(value)) {
    const turned = Object.entries(value).map(([property, schema]) => [
      property,
      isObject(schema) ? jsonSchemaOf(schema) : schema,
    ]);
    return Object.fromEntries(turned);
  }
  if (name === 'items' && isObject(value)) return jsonSchemaOf(value);
  if (name === 'anyOf' && Array.isArray(value))
    return value.map((option) => (isObject(option) ? jsonSchemaOf(option) : option));
  return value;
}
