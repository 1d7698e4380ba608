/**
 * Maximum nesting of external data. Far deeper than any format used here, yet far below the
 * engine's recursion limit, beyond which serialising a value fails.
 */
export const MAX_JSON_DEPTH = 100;

/** Whether arrays and objects are nested more than `MAX_JSON_DEPTH` levels deep. */
export function isTooDeep(value: unknown, left = MAX_JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((inner) => isTooDeep(inner, left - 1));
}
