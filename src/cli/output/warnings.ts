/**
 * The warnings beside the result of a write (`Warnings` in src/api/fields.ts), or beside each of
 * several results.
 */
export function warningsIn(reply: unknown): readonly string[] {
  const { warnings, items } = Object(reply) as Warned; // any reply
  if (Array.isArray(items))
    return items.flatMap((item: unknown) =>
      warningsIn(item).map((message) => `${Object(item).name}: ${message}`),
    );
  return Array.isArray(warnings) ? warnings.map(({ message }) => String(message)) : [];
}

interface Warned {
  readonly warnings?: unknown;
  readonly items?: unknown;
}
