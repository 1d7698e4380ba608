/** Rerank formats of providers that differ from Jina's, which is the common one. */
import { definedFields } from '../../domain/defined-fields.ts';
import { type JsonObject, numberIn, objectIn, objectsIn } from '../../json/read-json.ts';
import { type Conversion, documentTexts, pickFields } from './conversion.ts';

/** Cohere v2: documents are strings, results contain only the index; billed by search units. */
export const cohereRerank: Conversion = {
  writeBody: (body) => ({
    ...pickFields(body, 'model', 'query', 'top_n', 'max_tokens_per_doc'),
    documents: documentTexts(body.documents),
  }),
  readAnswer: (json) => json,
};

/** DashScope's native API. */
export const dashscopeRerank: Conversion = {
  writeBody: (body) => ({
    model: body.model,
    input: { query: body.query, documents: documentTexts(body.documents) },
    parameters: pickFields(body, 'top_n'),
  }),
  readAnswer: (json) =>
    definedFields({
      id: json.request_id,
      results: objectIn(json, 'output')?.results,
      usage: json.usage,
    }),
};

/** Workers AI: documents are `contexts`, results have an id and a score. */
export const cloudflareRerank: Conversion = {
  writeBody: (body) =>
    definedFields({
      query: body.query,
      contexts: documentTexts(body.documents).map((text) => ({ text })),
      top_k: body.top_n,
    }),
  readAnswer(json): JsonObject {
    const scored = objectsIn(objectIn(json, 'result'), 'response');
    return {
      results: scored.map(({ id, score }) => ({ index: id, relevance_score: score })),
    };
  },
};

/** docs.voyageai.com/reference/reranker-api: strings only; another name for `top_n`. */
export const voyageRerank: Conversion = {
  writeBody: (body) => ({
    ...pickFields(body, 'model', 'query', 'truncation'),
    documents: documentTexts(body.documents),
    ...(numberIn(body, 'top_n') === undefined ? {} : { top_k: body.top_n }),
  }),
  readAnswer: (json) => json,
};

/** Jina-compatible servers that accept only strings (Xinference). */
export const textRerank: Conversion = {
  writeBody: (body) => ({ ...body, documents: documentTexts(body.documents) }),
  readAnswer: (json) => json,
};
