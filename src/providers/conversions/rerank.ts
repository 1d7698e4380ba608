/** Rerank requests and answers of providers that differ from Jina's, which is the common form. */
import { type JsonObject, numberIn, objectIn, objectsIn } from '../../json/read-json.ts';
import { type Conversion, documentTexts, only, said } from './conversion.ts';

/** Cohere v2: documents are texts, and come back by their number alone; billed by the search unit. */
export const cohereRerank: Conversion = {
  writeBody: (body) => ({
    ...only(body, 'model', 'query', 'top_n', 'max_tokens_per_doc'),
    documents: documentTexts(body.documents),
  }),
  readAnswer: (json) => json,
};

/** DashScope's native call. */
export const dashscopeRerank: Conversion = {
  writeBody: (body) => ({
    model: body.model,
    input: { query: body.query, documents: documentTexts(body.documents) },
    parameters: only(body, 'top_n'),
  }),
  readAnswer: (json) =>
    said({
      id: json.request_id,
      results: objectIn(json, 'output')?.results,
      usage: json.usage,
    }),
};

/** SiliconFlow tells the tokens inside of `meta`. */
export const siliconflowRerank: Conversion = {
  writeBody: (body) => body,
  readAnswer(json) {
    const tokens = objectIn(objectIn(json, 'meta'), 'tokens');
    const billed = objectIn(objectIn(json, 'meta'), 'billed_units');
    const total = numberIn(tokens, 'input_tokens') ?? numberIn(billed, 'input_tokens');
    return said({ ...json, usage: json.usage ?? (total && { total_tokens: total }) });
  },
};

/** Workers AI: passages are `contexts`, results have an id and a score. */
export const cloudflareRerank: Conversion = {
  writeBody: (body) =>
    said({
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

/** docs.voyageai.com/reference/reranker-api: texts only; how many are wanted has another name. */
export const voyageRerank: Conversion = {
  writeBody: (body) => ({
    ...only(body, 'model', 'query', 'truncation'),
    documents: documentTexts(body.documents),
    ...(numberIn(body, 'top_n') === undefined ? {} : { top_k: body.top_n }),
  }),
  readAnswer: (json) => json,
};

/** Servers like Jina's that take texts only (Xinference). */
export const textRerank: Conversion = {
  writeBody: (body) => ({ ...body, documents: documentTexts(body.documents) }),
  readAnswer: (json) => json,
};
