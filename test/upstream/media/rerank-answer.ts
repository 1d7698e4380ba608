/** Rerank in the formats of Jina, Cohere, SiliconFlow and DashScope. */
import * as z from 'zod/mini';
import { type Answer, jsonAnswer } from '../answers/answer.ts';
import { promptTokensOf } from '../content/text.ts';
import type { Plan } from '../plans/plan.ts';

const Documents = z.array(z.union([z.string(), z.looseObject({ text: z.string() })]));
const Top = z.optional(z.int().check(z.gte(1)));
const Switch = z.optional(z.boolean());

export const JinaBody = z.strictObject({
  model: z.string(),
  query: z.string(),
  documents: Documents,
  top_n: Top,
  return_documents: Switch,
});
export const CohereBody = z.strictObject({
  model: z.string(),
  query: z.string(),
  documents: z.array(z.string()),
  top_n: Top,
  max_tokens_per_doc: z.optional(z.int()),
});
export const XinferenceRerankBody = z.strictObject({
  model: z.string(),
  query: z.string(),
  documents: z.array(z.string()),
  top_n: Top,
  return_documents: Switch,
});
export const VoyageRerankBody = z.strictObject({
  model: z.string(),
  query: z.string(),
  documents: z.array(z.string()),
  top_k: Top,
  truncation: Switch,
});
export const DashscopeRerankBody = z.strictObject({
  model: z.string(),
  input: z.strictObject({ query: z.string(), documents: z.array(z.string()) }),
  parameters: z.strictObject({ top_n: Top }),
});
export const CloudflareRerankBody = z.strictObject({
  query: z.string(),
  contexts: z.array(z.strictObject({ text: z.string() })),
  top_k: Top,
});

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

export function jinaAnswer(body: z.output<typeof JinaBody>, plan: Plan): Answer {
  const usage = plan.usage === 'none' ? {} : { usage: { total_tokens: rerankTokens(body) } };
  const all = texts(body);
  const results = ranked(body).map((result) =>
    body.return_documents === true ? { ...result, document: { text: all[result.index] } } : result,
  );
  return jsonAnswer({ model: body.model, object: 'list', results, ...usage }, plan);
}

/** A query with up to a hundred documents is one search unit. */
export function cohereAnswer(body: z.output<typeof CohereBody>, plan: Plan): Answer {
  const units = Math.ceil(body.documents.length / 100);
  const meta = { api_version: { version: '2' }, billed_units: { search_units: units } };
  return jsonAnswer({ id: 'rerank-1', results: ranked(body), meta }, plan);
}

export function siliconflowAnswer(body: z.output<typeof JinaBody>, plan: Plan): Answer {
  const tokens = { input_tokens: rerankTokens(body), output_tokens: 0 };
  return jsonAnswer(
    { id: 'r-1', results: ranked(body), meta: { billed_units: tokens, tokens } },
    plan,
  );
}

export function dashscopeRerankAnswer(
  { input, parameters }: z.output<typeof DashscopeRerankBody>,
  plan: Plan,
): Answer {
  const request = { ...input, ...parameters };
  const usage = { total_tokens: rerankTokens(request) };
  return jsonAnswer({ output: { results: ranked(request) }, usage, request_id: 'r-1' }, plan);
}

export function cloudflareRerankAnswer(
  { query, contexts, top_k }: z.output<typeof CloudflareRerankBody>,
  plan: Plan,
): Answer {
  const scored = ranked({ query, documents: contexts, top_n: top_k });
  const response = scored.map(({ index, relevance_score }) => ({
    id: index,
    score: relevance_score,
  }));
  return jsonAnswer({ success: true, result: { response }, errors: [] }, plan);
}

export function voyageAnswer(
  { top_k, ...request }: z.output<typeof VoyageRerankBody>,
  plan: Plan,
): Answer {
  const renamed = { ...request, top_n: top_k };
  const usage = { total_tokens: rerankTokens(renamed) };
  return jsonAnswer({ object: 'list', data: ranked(renamed), model: request.model, usage }, plan);
}

/** Reports no tokens and returns documents unchanged. */
export function xinferenceAnswer(
  request: z.output<typeof XinferenceRerankBody>,
  plan: Plan,
): Answer {
  const results = ranked(request).map((result) => ({
    ...result,
    document: request.return_documents ? request.documents[result.index] : null,
  }));
  return jsonAnswer({ id: 'r-1', results, meta: {} }, plan);
}
