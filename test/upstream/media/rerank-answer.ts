/** Rerank in the formats of Jina, Cohere, SiliconFlow and other vendors. */
import * as z from 'zod/mini';
import { promptTokensOf } from '../content/text.ts';
import { jsonMedium, unnamed } from './medium.ts';

const Texts = z.array(z.string());
const Top = z.optional(z.int().check(z.gte(1)));
const Switch = z.optional(z.boolean());
const NAMED = { model: z.string(), query: z.string() };

interface RerankRequest {
  readonly query: string;
  readonly documents: readonly (string | { readonly text: string })[];
  readonly top_n?: number | undefined;
}

function texts({ documents }: RerankRequest): string[] {
  return documents.map((document) => (typeof document === 'string' ? document : document.text));
}

/** The longest document ranks first; scores decrease with the rank. */
function ranked(request: RerankRequest): { index: number; relevance_score: number }[] {
  const order = texts(request)
    .map((text, index) => ({ index, length: text.length }))
    .toSorted((a, b) => b.length - a.length || a.index - b.index)
    .slice(0, request.top_n);
  return order.map(({ index }, rank) => ({ index, relevance_score: 1 / (rank + 1) }));
}

export function rerankTokens(request: RerankRequest): number {
  const all = texts(request);
  return all.reduce(
    (sum, text) => sum + promptTokensOf(text),
    promptTokensOf(request.query) * all.length,
  );
}

const JinaBody = z.strictObject({
  ...NAMED,
  documents: z.array(z.union([z.string(), z.looseObject({ text: z.string() })])),
  top_n: Top,
  return_documents: Switch,
});

export const jina = jsonMedium(JinaBody, (body, plan) => {
  const usage = plan.usage === 'none' ? {} : { usage: { total_tokens: rerankTokens(body) } };
  const all = texts(body);
  const results = ranked(body).map((result) =>
    body.return_documents === true ? { ...result, document: { text: all[result.index] } } : result,
  );
  return { model: body.model, object: 'list', results, ...usage };
});

/** A query with up to a hundred documents is one search unit. */
export const cohere = jsonMedium(
  z.strictObject({
    ...NAMED,
    documents: Texts,
    top_n: Top,
    max_tokens_per_doc: z.optional(z.int()),
  }),
  (body) => {
    const units = Math.ceil(body.documents.length / 100);
    const meta = { api_version: { version: '2' }, billed_units: { search_units: units } };
    return { id: 'rerank-1', results: ranked(body), meta };
  },
);

export const siliconflow = jsonMedium(JinaBody, (body) => {
  const tokens = { input_tokens: rerankTokens(body), output_tokens: 0 };
  return { id: 'r-1', results: ranked(body), meta: { billed_units: tokens, tokens } };
});

export const dashscope = jsonMedium(
  z.strictObject({
    model: z.string(),
    input: z.strictObject({ query: z.string(), documents: Texts }),
    parameters: z.strictObject({ top_n: Top }),
  }),
  ({ input, parameters }) => {
    const request = { ...input, ...parameters };
    const usage = { total_tokens: rerankTokens(request) };
    return { output: { results: ranked(request) }, usage, request_id: 'r-1' };
  },
);

export const cloudflare = unnamed(
  jsonMedium(
    z.strictObject({
      query: z.string(),
      contexts: z.array(z.strictObject({ text: z.string() })),
      top_k: Top,
    }),
    ({ query, contexts, top_k }) => {
      const scored = ranked({ query, documents: contexts, top_n: top_k });
      const response = scored.map(({ index, relevance_score: score }) => ({ id: index, score }));
      return { success: true, result: { response }, errors: [] };
    },
  ),
);

export const voyage = jsonMedium(
  z.strictObject({ ...NAMED, documents: Texts, top_k: Top, truncation: Switch }),
  ({ model, query, documents, top_k }) => {
    const request = { query, documents, top_n: top_k };
    const usage = { total_tokens: rerankTokens(request) };
    return { object: 'list', data: ranked(request), model, usage };
  },
);

/** Reports no tokens and returns documents unchanged. */
export const xinference = jsonMedium(
  z.strictObject({ ...NAMED, documents: Texts, top_n: Top, return_documents: Switch }),
  (request) => {
    const results = ranked(request).map((result) => ({
      ...result,
      document: request.return_documents ? request.documents[result.index] : null,
    }));
    return { id: 'r-1', results, meta: {} };
  },
);
