/** Replaces the upstream's model name in answers with the client's. */
import { isObject, type JsonObject } from '../../../json/read-json.ts';

export function withModelName(json: JsonObject, model: string): JsonObject {
  return typeof json.model === 'string' ? { ...json, model } : json;
}

/** Replaces the name in the frame's object `holder`. */
export function withInnerModelName(frame: JsonObject, holder: string, model: string): JsonObject {
  const inner = frame[holder];
  return isObject(inner) ? { ...frame, [holder]: { ...inner, model } } : frame;
}
