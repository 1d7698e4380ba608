/** Finds the usage in an answer or a chunk: there are three places where providers put it. */
import { type JsonObject, objectIn, objectsIn } from '../../json/read-json.ts';

/**
 * The raw usage object: at the top, in `x_groq` (Groq), or in a choice (Moonshot). Undefined when
 * there is none; what the numbers mean is read by `domain/pricing/usage.ts`.
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
