/**
 * Query strings hold text only. Where a call's schema asks for a number, a switch, a list or an
 * object, the text is read as such, so that a call takes the same input from a URL as from a body.
 */
import * as z from 'zod/mini';
import type { Call } from '../../api/call.ts';
import { oncePer } from './once-per.ts';

export type Query = Readonly<Record<string, unknown>>;

type Read = (text: string) => unknown;

/** What cannot be read stays text, for the schema to refuse by its name. */
export function readQuery(call: Call, query: Query): Record<string, unknown> {
  const reads = readsOf(call);
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const read = reads.get(name);
      return [name, read !== undefined && typeof value === 'string' ? read(value) : value];
    }),
  );
}

/** By field; a field that takes text as it is has none. */
const readsOf = oncePer((call: Call): ReadonlyMap<string, Read> => {
  const schema = z.toJSONSchema(call.input, { io: 'input', unrepresentable: 'any' });
  const reads = new Map<string, Read>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const read = readOf(typesOf(property));
    if (read !== undefined) reads.set(name, read);
  }
  return reads;
});

function readOf(types: ReadonlySet<string>): Read | undefined {
  // Where text will do, text it is.
  if (types.size === 0 || types.has('string')) return undefined;
  if (types.has('integer') || types.has('number')) return readNumber;
  if (types.has('boolean')) return readSwitch;
  return readJson;
}

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly unknown[];
}

/** The JSON types a schema allows; none when it allows any. */
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

function readSwitch(text: string): unknown {
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
