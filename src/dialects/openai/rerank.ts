/** Answers of rerank calls in one form: Jina's, with what Cohere's clients read beside it. */
import { type JsonObject, objectIn, objectsIn, textIn } from '../../json/read-json.ts';

export interface RerankAsked {
  readonly id: string;
  /** As the client knows it. */
  readonly model: string;
  /** The client's own request. */
  readonly body: JsonObject;
}

/** Undefined when the answer has no results. Documents are put back where the client wants them. */
export function rerankAnswer(json: JsonObject, asked: RerankAsked): JsonObject | undefined {
  const found = Array.isArray(json.results) ? 'results' : 'data';
  if (!Array.isArray(json[found])) return undefined;
  const results = objectsIn(json, found).map((result) => resultOf(result, asked.body));
  return {
    id: textIn(json, 'id') ?? asked.id,
    model: asked.model,
    object: 'list',
    results,
    ...(json.usage === undefined ? {} : { usage: json.usage }),
    ...(json.meta === undefined ? {} : { meta: json.meta }),
  };
}

function resultOf(result: JsonObject, { documents, return_documents }: JsonObject): JsonObject {
  const { document, ...rest } = result;
  if (return_documents === false) return rest;
  const sent = Array.isArray(documents) ? documents[Number(result.index)] : undefined;
  const shown = document ?? (return_documents === true ? sent : undefined);
  if (shown === undefined || shown === null) return rest;
  return { ...rest, document: typeof shown === 'string' ? { text: shown } : shown };
}

/** Cohere's unit of a bill: a query with up to a hundred documents. */
export function searchUnits(json: JsonObject): number | undefined {
  const units = objectIn(objectIn(json, 'meta'), 'billed_units')?.search_units;
  return typeof units === 'number' && units > 0 ? units : undefined;
}
