/** Rerank: one format for clients with every provider; priced by tokens and by search unit. */
import { expect, test } from 'vitest';
import { rerankTokens } from '../../upstream/media/rerank-answer.ts';
import { rawSite } from '../raw-site.ts';
import { whole } from '../raw-upstream.ts';
import { addTenant, type Tenant } from '../tenant.ts';
import { callAsTenant, send } from './media-calls.ts';

const { site, raw } = await rawSite({ config: { clientGraceMs: 1 } });

const PARAMS = {
  query: 'fox',
  documents: ['a dog', 'a fox in the snow', { text: 'a cat' }],
  top_n: 2,
};
const PRICE = { ratio: '2', completion: '1' } as const;
const [BEST, NEXT] = [
  { index: 1, relevance_score: 1 },
  { index: 0, relevance_score: 0.5 },
];

async function answerTo(tenant: Tenant, path: string, params: object) {
  const answer = await send(tenant, path, params);
  expect(answer.status, answer.text).toBe(200);
  return { ...answer, json: JSON.parse(answer.text) };
}

test.each(['/v1/rerank', '/v2/rerank', '/rerank', '/hf/v1/rerank'])(
  '%s is answered in Jina’s format and charged by the reported tokens',
  async (path) => {
    const tenant = await addTenant(site, { price: PRICE });
    const { json, requestId } = await answerTo(tenant, path, PARAMS);
    expect(json).toMatchObject({ model: tenant.model, object: 'list', results: [BEST, NEXT] });
    const tokens = rerankTokens(PARAMS);
    expect(json.usage).toEqual({ total_tokens: tokens });
    await tenant.expectCharged(requestId, {
      units: tokens * 2,
      source: 'upstream',
      prompt: tokens,
      completion: 0,
    });
  },
);

test('without reported tokens the query is counted once per document', async () => {
  const tenant = await addTenant(site, { price: PRICE });
  tenant.script({ usage: 'none' });
  const { json, requestId } = await answerTo(tenant, '/v1/rerank', PARAMS);
  const row = await site.logOf(requestId);
  // o200k: "fox" 1 token three times; the documents have 2, 5 and 2.
  expect(row).toMatchObject({ usage_source: 'estimated', prompt_tokens: 12, quota: 24 });
  expect(json.usage).toEqual({ prompt_tokens: 12, total_tokens: 12 });
});

test.each([
  [3, 1],
  [100, 1],
  [101, 2],
  [250, 3],
])('Cohere’s price is per search unit: %i documents are %i', async (count, units) => {
  const channel = { type: 'cohere', base_url: `${site.upstream.url}/cohere` };
  const tenant = await callAsTenant(site, 0.002, { channel });
  const documents = Array.from({ length: count }, (_, at) => ({ text: `document ${at}` }));
  const params = { query: 'fox', documents, top_n: 1, return_documents: true };
  const { json, requestId } = await answerTo(tenant, '/v2/rerank', params);
  expect(await tenant.bill()).toEqual(tenant.charged(requestId, units * 1000));
  expect(json.meta.billed_units).toEqual({ search_units: units });
  // Cohere returns indexes only: the gateway restores the documents.
  expect(json.results[0].document).toEqual(documents[json.results[0].index]);
});

test.each([
  ['no units', {}, 250, 3],
  ['no units for one document', {}, 1, 1],
  ['units', { billed_units: { search_units: 2 } }, 250, 2],
])('Cohere’s price with %s in the answer', async (_case, meta, count, units) => {
  const channel = { type: 'cohere', base_url: raw.url };
  const tenant = await callAsTenant(site, 0.002, { channel });
  raw.answer = whole({ results: [BEST], meta });
  const documents = Array.from({ length: count }, (_, at) => `document ${at}`);
  const { requestId } = await answerTo(tenant, '/v2/rerank', { query: 'fox', documents });
  expect(await tenant.bill()).toEqual(tenant.charged(requestId, units * 1000));
});

test.each([
  [{ billed_units: { input_tokens: 400 }, tokens: { input_tokens: 420 } }, 420],
  [{ billed_units: { input_tokens: 400 } }, 400],
])('tokens in %j are counted with every provider', async (meta, tokens) => {
  const channel = { type: 'vllm', base_url: raw.url };
  const tenant = await addTenant(site, { price: PRICE, channel });
  raw.answer = whole({ results: [BEST], meta });
  const { json, requestId } = await answerTo(tenant, '/v1/rerank', PARAMS);
  expect(json).toMatchObject({ meta, usage: { total_tokens: tokens } });
  await tenant.expectCharged(requestId, {
    units: tokens * 2,
    source: 'upstream',
    prompt: tokens,
    completion: 0,
  });
});

test.each([
  ['siliconflow', '/siliconflow'],
  ['alibaba', ''],
  ['jina', ''],
  ['voyage', '/voyage'],
])('%s receives and returns rerank in its own format', async (type, root) => {
  const channel = { type, base_url: site.upstream.url + root };
  const tenant = await addTenant(site, { price: PRICE, channel });
  const { documents } = PARAMS;
  const { json, requestId } = await answerTo(tenant, '/v1/rerank', { ...PARAMS, documents });
  expect(json.results).toMatchObject([BEST, NEXT]);
  expect(await site.logOf(requestId)).toMatchObject({
    quota: rerankTokens(PARAMS) * 2,
    usage_source: 'upstream',
  });
});

test('Xinference receives texts, counted by the gateway, and its documents are converted', async () => {
  const channel = { type: 'xinference', base_url: `${site.upstream.url}/xinference` };
  const tenant = await addTenant(site, { price: PRICE, channel });
  const { json, requestId } = await answerTo(tenant, '/v1/rerank', {
    ...PARAMS,
    return_documents: true,
  });
  expect(json.results[0]).toEqual({ ...BEST, document: { text: 'a fox in the snow' } });
  expect(await site.logOf(requestId)).toMatchObject({ usage_source: 'estimated' });
});

test.each([
  [{ documents: ['a'] }, 'query'],
  [{ query: 'a' }, 'documents'],
  [{ query: 'a', documents: [] }, 'documents'],
  [{ query: 'a', documents: ['a'], top_n: 0 }, 'top_n'],
])('%j is refused for %s', async (params, param) => {
  const answer = await site.call({ path: '/v1/rerank', body: { model: 'a-reranker', ...params } });
  expect([answer.status, JSON.parse(answer.text).error.param]).toEqual([400, param]);
});
