/** Answers under the name of the model that the client knows. */
import { isObject, type JsonObject } from '../../json/read-json.ts';

export function withModelName(json: JsonObject, model: string): JsonObject {
  return typeof json.model === 'string' ? { ...json, model } : json;
}

/** In the object `holder` of a frame. */
export function withInnerModelName(frame: JsonObject, holder: string, model: string): JsonObject {
  const inner = frame[holder];
  return isObject(inner) ? { ...frame, [holder]: { ...inner, model } } : frame;
}
