/** Replaces the model name in forwarded answers by the name that the client knows. */
import type { JsonObject } from '../../json/read-json.ts';
import type { DialectReading } from './dialect-reading.ts';

/** A whole answer of the same dialect, with the client's model name. */
export function withClientName(
  json: JsonObject,
  { pair, clientModel }: Pick<DialectReading, 'pair' | 'clientModel'>,
): JsonObject {
  if (clientModel === undefined) return json;
  return pair.client.forwarding.renameAnswer(json, clientModel);
}
