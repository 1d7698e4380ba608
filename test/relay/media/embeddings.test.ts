/** Embeddings translated between the OpenAI and Google formats, in both directions. */
import { describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { promptTokensOf } from '../../upstream/content/text.ts';
import { vectorOf } from '../../upstream/media/vendor-media.ts';
import { addTenant, type Tenant } from '../tenant.ts';
import { send } from './media-calls.ts';

const site = await sharedSite({ config: { clientGraceMs: 1 } });

const PRICE = { ratio: '3', completion: '1' } as const;
const GEMINI = { type: 'gemini' } as const;
const TEXTS = ['a fox', '世界'];
const TOKENS = TEXTS.reduce((sum, text) => sum + promptTokensOf(text), 0);

function upstreamRequest() {
  return JSON.parse(site.upstream.requests.at(-1)?.body ?? '{}');
}

describe('an OpenAI client over Google', () => {
  test("gets a vector for every text, and is charged Google's count", async () => {
    const tenant = await addTenant(site, { price: PRICE, channel: GEMINI });
    const answer = await send(tenant, '/v1/embeddings', { input: TEXTS, dimensions: 4 });
    const { data, usage, model } = JSON.parse(answer.text);
    expect(data).toEqual(
      TEXTS.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text, 4) })),
    );
    expect([model, usage.prompt_tokens]).toEqual([tenant.model, TOKENS]);
    expect(site.upstream.requests.at(-1)?.path).toBe(
      `/v1beta/models/${tenant.model}:batchEmbedContents`,
    );
    await tenant.expectCharged(answer.requestId, {
      units: TOKENS * 3,
      source: 'upstream',
      prompt: TOKENS,
      completion: 0,
    });
  });

  test('gets base64 on request', async () => {
    const tenant = await addTenant(site, { price: PRICE, channel: GEMINI });
    const params = { input: 'a fox', encoding_format: 'base64' };
    const answer = await send(tenant, '/v1/embeddings', params);
    const bytes = Buffer.from(JSON.parse(answer.text).data[0].embedding, 'base64');
    expect(bytes.readFloatLE(0)).toBeCloseTo(vectorOf('a fox')[0] ?? 0, 5);
  });

  test('is charged the gateway’s own count if Google reports none', async () => {
    const tenant = await addTenant(site, { price: PRICE, channel: GEMINI });
    tenant.script({ usage: 'none' });
    const answer = await send(tenant, '/v1/embeddings', { input: 'a fox' });
    expect(JSON.parse(answer.text).usage).toEqual({ prompt_tokens: 2, total_tokens: 2 });
    expect(await site.logOf(answer.requestId)).toMatchObject({
      usage_source: 'estimated',
      quota: 6,
    });
  });

  test('is refused lists of token ids', async () => {
    const tenant = await addTenant(site, { price: PRICE, channel: GEMINI });
    const answer = await send(tenant, '/v1/embeddings', { input: [1, 2, 3] });
    expect(JSON.parse(answer.text).error).toMatchObject({
      param: 'input',
      code: 'unsupported_parameter',
    });
  });
});

function google(tenant: Tenant, action: string, body: object) {
  const path = `/v1beta/models/${tenant.model}:${action}`;
  return site.call({ path, headers: { 'x-goog-api-key': tenant.token.key }, key: '', body });
}

const content = (text: string) => ({ content: { parts: [{ text }] } });

describe('a Google client', () => {
  test('over OpenAI gets the embedding of one text', async () => {
    const tenant = await addTenant(site, { price: PRICE });
    const answer = await google(tenant, 'embedContent', {
      ...content('a fox'),
      outputDimensionality: 4,
    });
    const json = JSON.parse(answer.text);
    expect(json.embedding.values).toHaveLength(4);
    expect(json.usageMetadata).toEqual({ promptTokenCount: promptTokensOf('a fox') });
    expect(upstreamRequest()).toEqual({
      model: tenant.model,
      input: ['a fox'],
      dimensions: 4,
      encoding_format: 'float',
    });
    expect((await tenant.bill()).spent.user).toBe(promptTokensOf('a fox') * 3);
  });

  test('over OpenAI gets the embeddings of several texts', async () => {
    const tenant = await addTenant(site, { price: PRICE });
    const requests = TEXTS.map((text) => ({ model: `models/${tenant.model}`, ...content(text) }));
    const answer = await google(tenant, 'batchEmbedContents', { requests });
    expect(JSON.parse(answer.text).embeddings).toHaveLength(2);
    expect(upstreamRequest().input).toEqual(TEXTS);
  });

  test('over Google keeps fields that only Google knows', async () => {
    const tenant = await addTenant(site, { price: PRICE, channel: GEMINI });
    const request = { ...content('a fox'), taskType: 'RETRIEVAL_DOCUMENT', title: 'Foxes' };
    const answer = await google(tenant, 'embedContent', request);
    expect(JSON.parse(answer.text).embedding.values).toEqual(vectorOf('a fox'));
    expect(upstreamRequest().requests).toEqual([{ ...request, model: `models/${tenant.model}` }]);
  });

  test.each([
    ['batchEmbedContents', {}, 'requests'],
    ['embedContent', {}, 'requests.0.content'],
    ['embedContent', { content: { parts: [{ inlineData: {} }] } }, 'requests.0.content.parts'],
  ])('learns which field is missing: %s %j', async (action, body, field) => {
    const tenant = await addTenant(site, { price: PRICE });
    const answer = await google(tenant, action, body);
    expect([answer.status, JSON.parse(answer.text).error.status]).toEqual([
      400,
      'INVALID_ARGUMENT',
    ]);
    expect(answer.text).toContain(field);
  });
});

test.each([
  ['jina', '/jina', {}],
  ['cohere', '', { dimensions: 4 }],
  ['voyage', '/voyage', { dimensions: 4 }],
  ['m3e', '/m3e', {}],
])('%s receives embeddings requests in its own format', async (type, root, params) => {
  const channel = { type, base_url: site.upstream.url + root };
  const tenant = await addTenant(site, { price: PRICE, channel });
  const own = { input: TEXTS, encoding_format: 'float', user: 'u-1', ...params };
  const answer = await send(tenant, '/v1/embeddings', own);
  expect(answer.status, answer.text).toBe(200);
  const size = 'dimensions' in params ? params.dimensions : undefined;
  expect(JSON.parse(answer.text).data).toMatchObject(
    TEXTS.map((text, index) => ({ index, embedding: vectorOf(text, size) })),
  );
  expect((await tenant.bill()).spent.user).toBe(TOKENS * 3);
});
