/** Answers that go on as they came, under the name of the model that their client knows. */
import type { JsonObject } from '../../json/read-json.ts';
import type { DialectReading } from './dialect-reading.ts';

/** A whole answer of the same dialect, under the name the client knows. */
export function withClientName(
  json: JsonObject,
  { speech, clientModel }: Pick<DialectReading, 'speech' | 'clientModel'>,
): JsonObject {
  if (clientModel === undefined) return json;
  return speech.client.forwarding.renameAnswer(json, clientModel);
}
