/** How answers that go on as they came get the name of the model that their client knows. */
import type { DialectName } from '../../dialects/hub/dialect.ts';
import type { JsonObject } from '../../json/read-json.ts';
import { isObject } from '../../json/read-json.ts';
import type { DialectReading } from './dialect-reading.ts';

export interface Forwarding {
  /** From here on frames wait for the settlement. */
  readonly holdsWhen: 'isOver' | 'isComplete';
  rename(frame: JsonObject, model: string): JsonObject;
  /** The same on the text of a frame; undefined where it must be read for that. */
  renameText?(data: string, model: string): string | undefined;
}

export const FORWARDING: Readonly<Record<DialectName, Forwarding>> = {
  chat: { holdsWhen: 'isComplete', rename: withOwnModel },
  anthropic: {
    holdsWhen: 'isComplete',
    rename: (frame, model) => withInnerModel(frame, 'message', model),
  },
  gemini: { holdsWhen: 'isComplete', rename: withVersion, renameText: withVersionText },
  responses: {
    holdsWhen: 'isOver',
    rename: (frame, model) => withInnerModel(frame, 'response', model),
  },
};

function withInnerModel(frame: JsonObject, holder: string, model: string): JsonObject {
  const inner = frame[holder];
  return isObject(inner) ? { ...frame, [holder]: { ...inner, model } } : frame;
}

function withOwnModel(json: JsonObject, model: string): JsonObject {
  return typeof json.model === 'string' ? { ...json, model } : json;
}

const VERSION_FIELD = /"modelVersion"\s*:\s*"(?:[^"\\]|\\.)*"/g;

/**
 * Every frame of Gemini names the model: it is replaced in the text, which spares reading each a second
 * time. Undefined where the name may be something else's, an argument of a call for one.
 */
function withVersionText(data: string, model: string): string | undefined {
  if (data.includes('"functionCall"') || data.match(VERSION_FIELD)?.length !== 1) return undefined;
  return data.replace(VERSION_FIELD, () => `"modelVersion":${JSON.stringify(model)}`);
}

function withVersion(frame: JsonObject, model: string): JsonObject {
  return frame.modelVersion === undefined ? frame : { ...frame, modelVersion: model };
}

/** A whole answer of the same dialect, under the name the client knows. */
export function withClientName(
  json: JsonObject,
  { speech, clientModel }: Pick<DialectReading, 'speech' | 'clientModel'>,
): JsonObject {
  if (clientModel === undefined) return json;
  if (speech.client.name === 'gemini') return withVersion(json, clientModel);
  return withOwnModel(json, clientModel);
}
