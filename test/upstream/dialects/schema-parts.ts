/** Parts of the schemas of bodies. */
import * as z from 'zod/mini';

/** Several fields of one type. */
export function each<Schema extends z.ZodMiniType, const Name extends string>(
  schema: Schema,
  ...names: readonly Name[]
): Record<Name, Schema> {
  const fields = names.map((name) => [name, schema]);
  return Object.fromEntries(fields) as Record<Name, Schema>; // one for each name
}

/** A rule of a body beyond its field types, the message of a violation, and the field that it names. */
export function rule<Body>(isKept: (body: Body) => boolean, error: string, ...path: string[]) {
  return z.refine<Body>(isKept, { error, path });
}
