/** Every route of the management API, one row per method and path. */
import * as z from 'zod/mini';
import type { Call } from '../../../src/api/call.ts';
import type { Role } from '../../../src/domain/roles.ts';
import { type HandledCall, handledCalls } from '../../../src/handlers.ts';
import type { ApiRequest } from '../../support/api-client.ts';

export interface Way extends HandledCall {
  /** `noun.name` of the call. */
  readonly id: string;
  readonly title: string;
  readonly method: string;
  readonly path: string;
  /** Whether the route is declared as a write. */
  readonly changes: boolean;
}

export const ways: readonly Way[] = handledCalls().flatMap((handled) => {
  const { call, noun, name } = handled;
  return [call, ...(call.also ?? [])].map(({ method, path }) => ({
    ...handled,
    id: `${noun}.${name}`,
    title: `${method} ${path}`,
    method,
    path,
    changes: method !== 'GET' || call.changesData === true,
  }));
});

/** The lowest role with an account that may make the call. */
export function roleOf({ role }: Call): Exclude<Role, 0> {
  return role === 0 ? 1 : role;
}

type FieldSchema = NonNullable<z.core.JSONSchema.BaseSchema['properties']>[string];

/** All input fields of the call and their JSON schemas. */
export function fieldsOf({ input }: Call): Readonly<Record<string, FieldSchema>> {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  return schema.properties ?? {};
}

/** Whether the field may accept a text. One that does not refuses all of them alike. */
export function takesText(schema: FieldSchema): boolean {
  if (typeof schema === 'boolean') return schema;
  const { anyOf, type, enum: values, const: constant } = schema;
  if (anyOf !== undefined) return anyOf.some(takesText);
  if (values !== undefined || constant !== undefined) return false;
  return type === undefined || [type].flat().includes('string');
}

/** Builds a request with these fields, each where the call reads it. */
export function requestTo(
  { method, path }: Way,
  input: Readonly<Record<string, unknown>>,
): { readonly path: string; readonly options: ApiRequest } {
  const rest = { ...input };
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = rest[name] ?? '1';
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  const isQuery = method === 'GET' || method === 'DELETE';
  if (!isQuery) return { path: filled, options: { body: rest } };
  const query = Object.entries(rest).map(([name, value]) => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ]);
  return { path: filled, options: { query: Object.fromEntries(query) } };
}
