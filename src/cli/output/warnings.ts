/** The warnings beside the result of a write (`Warnings` in src/api/fields.ts). */
export function warningsIn(reply: unknown): readonly string[] {
  const { warnings } = Object(reply) as { readonly warnings?: unknown }; // any reply
  if (!Array.isArray(warnings)) return [];
  return warnings.map(({ message }) => String(message));
}
