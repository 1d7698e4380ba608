/** Answers of Gemini under the name of the model that the client knows. */
import type { JsonObject } from '../../json/read-json.ts';

const VERSION_FIELD = /"modelVersion"\s*:\s*"(?:[^"\\]|\\.)*"/g;

/**
 * Every frame of Gemini names the model: it is replaced in the text, which spares parsing each a second
 * time. Undefined where the name may be something else's, an argument of a call for one.
 */
export function withVersionText(data: string, model: string): string | undefined {
  if (data.includes('"functionCall"') || data.match(VERSION_FIELD)?.length !== 1) return undefined;
  return data.replace(VERSION_FIELD, () => `"modelVersion":${JSON.stringify(model)}`);
}

export function withVersion(json: JsonObject, model: string): JsonObject {
  return json.modelVersion === undefined ? json : { ...json, modelVersion: model };
}
