/** Finds the usage in an answer or a chunk; providers put it in one of three places. */
import { asObject, asObjects, isObject, type JsonObject } from '../../../json/read-json.ts';

/**
 * The raw usage object: at the top level, in `x_groq` (Groq) or in a choice (Moonshot). Undefined
 * if there is none; `domain/pricing/usage.ts` interprets the counts.
 */
export function findUsage(holder: JsonObject): JsonObject | undefined {
  return (
    asObject(holder.usage) ??
    asObject(asObject(holder.x_groq)?.usage) ??
    asObject(asObjects(holder.choices).find(({ usage }) => isObject(usage))?.usage)
  );
}
