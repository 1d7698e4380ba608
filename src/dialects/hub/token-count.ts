/** Token counts as vendors report them. */
import { type JsonObject, numberIn } from '../../json/read-json.ts';

/** No context is near this: a count above it is a broken upstream, not a bill. */
const MAX_TOKENS = 1_000_000_000;

/** The count in a field: whole, not negative; undefined when it is not there. */
export function countIn(holder: JsonObject | undefined, name: string): number | undefined {
  const value = numberIn(holder, name);
  return value === undefined ? undefined : Math.min(MAX_TOKENS, Math.max(0, Math.round(value)));
}
