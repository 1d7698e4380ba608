/**
 * Parses query strings. Where a call's schema expects a number, a boolean, a list or an object, the
 * text is converted, so that a call accepts the same input from a URL as from a body.
 */
import * as z from 'zod/mini';
import { memoizePerObject } from '../domain/memoize-per-object.ts';
import type { Call } from './call.ts';

export type QueryParameters = Readonly<Record<string, unknown>>;

type Converter = (text: string) => unknown;

/** Values that cannot be converted stay text, for the schema to reject by field name. */
export function readQuery(call: Call, query: QueryParameters): Record<string, unknown> {
  const reads = convertersOf(call);
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const read = reads.get(name);
      return [name, read !== undefined && typeof value === 'string' ? read(value) : value];
    }),
  );
}

/** Converters by field; fields that accept plain text have none. */
const convertersOf = memoizePerObject((call: Call): ReadonlyMap<string, Converter> => {
  const schema = z.toJSONSchema(call.input, { io: 'input', unrepresentable: 'any' });
  const reads = new Map<string, Converter>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const read = converterOf(typesOf(property));
    if (read !== undefined) reads.set(name, read);
  }
  return reads;
});

function converterOf(types: ReadonlySet<string>): Converter | undefined {
  // Fields that accept text need no conversion.
  if (types.size === 0 || types.has('string')) return undefined;
  if (types.has('integer') || types.has('number')) return readNumber;
  if (types.has('boolean')) return readBoolean;
  return readJson;
}

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly unknown[];
}

/** The JSON types that a schema allows; empty when it allows any. */
function typesOf(schema: unknown): Set<string> {
  const { type, enum: values, const: value, anyOf } = schema as Schema; // JSON Schema, 2020-12
  if (anyOf !== undefined) return new Set(anyOf.flatMap((one) => [...typesOf(one)]));
  if (typeof type === 'string') return new Set([type]);
  const known = values ?? (value === undefined ? [] : [value]);
  return new Set(known.map((one) => typeof one));
}

function readNumber(text: string): unknown {
  const number = Number(text);
  return text.trim() === '' || Number.isNaN(number) ? text : number;
}

function readBoolean(text: string): unknown {
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : text;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
