/**
 * How deep data from outside may nest. Far beyond any form of ours, far below what the engine's own
 * recursion bears: writing a value out again that goes deeper ends in an error.
 */
export const MAX_JSON_DEPTH = 100;

/** Whether lists and objects stand inside each other more than `MAX_JSON_DEPTH` times. */
export function isTooDeep(value: unknown, left = MAX_JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((inner) => isTooDeep(inner, left - 1));
}
