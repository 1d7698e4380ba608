/** Reads token counts reported by vendors. */
import { type JsonObject, numberIn } from '../../../json/read-json.ts';

/** Larger than any context window: a higher count is an upstream error and must not be charged. */
const MAX_TOKENS = 1_000_000_000;

/** The count in a field, rounded and not negative; undefined if the field is missing. */
export function tokenCountIn(holder: JsonObject | undefined, name: string): number | undefined {
  const value = numberIn(holder, name);
  return value === undefined ? undefined : Math.min(MAX_TOKENS, Math.max(0, Math.round(value)));
}
