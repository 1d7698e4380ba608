/** Rerank answers in one format: Jina's, plus the fields that Cohere's clients read. */
import { type JsonObject, numberIn, objectIn, objectsIn, textIn } from '../../../json/read-json.ts';

export interface RerankQuery {
  readonly id: string;
  /** The client's model name. */
  readonly model: string;
  /** The client's original request. */
  readonly body: JsonObject;
}

/** Undefined if the answer has no results. Adds the documents if the client requested them. */
export function rerankAnswer(json: JsonObject, query: RerankQuery): JsonObject | undefined {
  const found = Array.isArray(json.results) ? 'results' : 'data';
  if (!Array.isArray(json[found])) return undefined;
  const results = objectsIn(json, found).map((result) => resultOf(result, query.body));
  const usage = json.usage ?? usageInMeta(json);
  return {
    id: textIn(json, 'id') ?? query.id,
    model: query.model,
    object: 'list',
    results,
    ...(usage === undefined ? {} : { usage }),
    ...(json.meta === undefined ? {} : { meta: json.meta }),
  };
}

/** SiliconFlow and vLLM report the tokens in Cohere's place. */
function usageInMeta(json: JsonObject): JsonObject | undefined {
  const meta = objectIn(json, 'meta');
  const tokens = [objectIn(meta, 'tokens'), objectIn(meta, 'billed_units')].flatMap(
    (counts) => numberIn(counts, 'input_tokens') ?? [],
  );
  return tokens[0] === undefined ? undefined : { total_tokens: tokens[0] };
}

function resultOf(result: JsonObject, { documents, return_documents }: JsonObject): JsonObject {
  const { document, ...rest } = result;
  if (return_documents === false) return rest;
  const sent = Array.isArray(documents) ? documents[Number(result.index)] : undefined;
  const shown = document ?? (return_documents === true ? sent : undefined);
  if (shown === undefined || shown === null) return rest;
  return { ...rest, document: typeof shown === 'string' ? { text: shown } : shown };
}

/** Cohere's billing unit: one query with up to 100 documents. */
export function searchUnits(json: JsonObject): number | undefined {
  const units = objectIn(objectIn(json, 'meta'), 'billed_units')?.search_units;
  return typeof units === 'number' && units > 0 ? units : undefined;
}
