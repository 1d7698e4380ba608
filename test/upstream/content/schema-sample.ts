/** Creates a value that satisfies a JSON Schema as used for structured output and tools. */
import * as z from 'zod/mini';

const Bound = z.optional(z.number());
const Schema = z.looseObject({
  type: z.optional(z.union([z.string(), z.array(z.string())])),
  const: z.optional(z.unknown()),
  enum: z.optional(z.array(z.unknown())),
  default: z.optional(z.unknown()),
  anyOf: z.optional(z.array(z.unknown())),
  oneOf: z.optional(z.array(z.unknown())),
  allOf: z.optional(z.array(z.unknown())),
  $ref: z.optional(z.string()),
  properties: z.optional(z.record(z.string(), z.unknown())),
  required: z.optional(z.array(z.string())),
  items: z.optional(z.unknown()),
  minItems: Bound,
  minLength: Bound,
  maxLength: Bound,
  minimum: Bound,
  maximum: Bound,
  exclusiveMinimum: Bound,
  multipleOf: Bound,
  format: z.optional(z.string()),
});
type Schema = z.output<typeof Schema>;

interface Position {
  readonly root: unknown;
  readonly name: string;
  readonly depth: number;
}

/**
 * Below this depth optional properties and array items are omitted, because schemas may be
 * recursive.
 */
const DEPTH_LIMIT = 6;
/** A schema that requires itself has no finite value; the sample stops here. */
const DEPTH_END = 40;

const FORMATS: Readonly<Record<string, string>> = {
  date: '2025-01-02',
  time: '03:04:05Z',
  'date-time': '2025-01-02T03:04:05Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
};

/** `schema` is any JSON value; an unreadable one gives an empty object at the top, null below. */
export function sampleOf(schema: unknown): unknown {
  return sampleIn(schema, { root: schema, name: 'value', depth: 0 }) ?? {};
}

function sampleIn(source: unknown, position: Position): unknown {
  const parsed = Schema.safeParse(source);
  if (!parsed.success || position.depth > DEPTH_END) return null;
  const schema = parsed.data;
  const deeper = { ...position, depth: position.depth + 1 };
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.$ref !== undefined) return sampleIn(refer(position.root, schema.$ref), deeper);
  const union = schema.anyOf ?? schema.oneOf;
  if (union !== undefined) return sampleIn(branchOf(union, position), deeper);
  if (schema.allOf !== undefined) {
    return Object.assign({}, ...schema.allOf.map((part) => sampleIn(part, deeper)));
  }
  return typedValue(schema, deeper);
}

/** The first branch, or the null branch at depth, which ends recursive types. */
function branchOf(union: readonly unknown[], position: Position): unknown {
  const nothing = union.find((branch) => Schema.safeParse(branch).data?.type === 'null');
  return position.depth > DEPTH_LIMIT && nothing !== undefined ? nothing : union[0];
}

function typedValue(schema: Schema, position: Position): unknown {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object' || schema.properties !== undefined) return objectOf(schema, position);
  if (type === 'array' || schema.items !== undefined) return arrayOf(schema, position);
  if (type === 'string') return stringOf(schema, position);
  if (type === 'integer' || type === 'number') return numberOf(schema);
  if (type === 'boolean') return true;
  return null;
}

function objectOf(schema: Schema, position: Position): Record<string, unknown> {
  const required = new Set(schema.required);
  const wanted = Object.entries(schema.properties ?? {}).filter(
    ([name]) => required.has(name) || position.depth <= DEPTH_LIMIT,
  );
  return Object.fromEntries(
    wanted.map(([name, part]) => [name, sampleIn(part, { ...position, name })]),
  );
}

function arrayOf(schema: Schema, position: Position): unknown[] {
  const length = Math.max(schema.minItems ?? 0, position.depth <= DEPTH_LIMIT ? 1 : 0);
  return Array.from({ length }, () => sampleIn(schema.items, position));
}

function stringOf(schema: Schema, position: Position): string {
  const text = FORMATS[schema.format ?? ''] ?? position.name;
  return text.padEnd(schema.minLength ?? 0, 'x').slice(0, schema.maxLength ?? text.length + 1000);
}

function numberOf(schema: Schema): number {
  const step = schema.multipleOf ?? 1;
  const lowest = schema.minimum ?? (schema.exclusiveMinimum ?? 0) + 1;
  const value = Math.ceil(lowest / step) * step;
  return schema.maximum === undefined ? value : Math.min(value, schema.maximum);
}

/** Resolves `#/a/b` within the root schema; other references are not resolved. */
function refer(root: unknown, ref: string): unknown {
  const steps = ref.replace(/^#\/?/, '').split('/').filter(Boolean);
  return steps.reduce<unknown>((at, step) => {
    const part = z.record(z.string(), z.unknown()).safeParse(at);
    return part.success ? part.data[step.replace(/~1/g, '/').replace(/~0/g, '~')] : undefined;
  }, root);
}
