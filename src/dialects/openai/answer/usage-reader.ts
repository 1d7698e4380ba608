/** Finds the usage in an answer or a chunk; providers put it in one of three places. */
import { type JsonObject, objectIn, objectsIn } from '../../../json/read-json.ts';

/**
 * The raw usage object: at the top level, in `x_groq` (Groq) or in a choice (Moonshot). Undefined
 * if there is none; `domain/pricing/usage.ts` interprets the counts.
 */
export function findUsage(holder: JsonObject): JsonObject | undefined {
  return (
    objectIn(holder, 'usage') ??
    objectIn(objectIn(holder, 'x_groq'), 'usage') ??
    objectsIn(holder, 'choices')
      .map((choice) => objectIn(choice, 'usage'))
      .find((usage) => usage !== undefined)
  );
}
