/** Replaces the upstream's model name in Gemini answers with the client's. */
import type { JsonObject } from '../../json/read-json.ts';

const VERSION_FIELD = /"modelVersion"\s*:\s*"(?:[^"\\]|\\.)*"/g;

/**
 * Every Gemini frame contains the model name. It is replaced in the text to avoid parsing each
 * frame a second time. Undefined if the match may be something else, such as an argument of a tool
 * call.
 */
export function withVersionText(data: string, model: string): string | undefined {
  if (data.includes('"functionCall"') || data.match(VERSION_FIELD)?.length !== 1) return undefined;
  return data.replace(VERSION_FIELD, () => `"modelVersion":${JSON.stringify(model)}`);
}

export function withVersion(json: JsonObject, model: string): JsonObject {
  return json.modelVersion === undefined ? json : { ...json, modelVersion: model };
}
