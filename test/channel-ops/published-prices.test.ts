/** Prices and limits that an upstream publishes with its model list. */
import { afterAll, expect, test } from 'vitest';
import { publishedModel } from '../../src/domain/pricing/price-file/published-models.ts';
import { rawUpstream, whole } from '../relay/raw-upstream.ts';
import { OPERATOR } from '../support/local-site.ts';
import { sharedLocalSite } from '../support/shared-site.ts';

test.each([
  [
    'OpenRouter',
    {
      context_length: 200_000,
      top_provider: { context_length: 100_000, max_completion_tokens: 64_000 },
      pricing: {
        prompt: '0.0000011',
        completion: '0.0000044',
        request: '0',
        image: '0',
        input_cache_read: '0.000000275',
      },
    },
    {
      rates: { input: 1.1, output: 4.4, cache_read: 0.275 },
      context: 200_000,
      output_limit: 64_000,
    },
  ],
  [
    'Vercel',
    {
      context_window: 8192,
      max_tokens: 4096,
      pricing: { input: '0.000002', output: '0.000008', input_cache_write: '0.0000025' },
    },
    { rates: { input: 2, output: 8, cache_write: 2.5 }, context: 8192, output_limit: 4096 },
  ],
  [
    'Together',
    { context_length: 131_072, pricing: { hourly: 0, input: 0.88, output: 0.9, base: 0 } },
    { rates: { input: 0.88, output: 0.9 }, context: 131_072 },
  ],
  [
    'DeepInfra',
    {
      metadata: {
        context_length: 32_768,
        max_tokens: 16_384,
        pricing: { input_tokens: 0.03, output_tokens: 0.05 },
      },
    },
    { rates: { input: 0.03, output: 0.05 }, context: 32_768, output_limit: 16_384 },
  ],
  ['Anthropic', { max_input_tokens: 1000, max_tokens: 500 }, { context: 1000, output_limit: 500 }],
  ['Gemini', { inputTokenLimit: 9, outputTokenLimit: 8 }, { context: 9, output_limit: 8 }],
  [
    'a free model',
    { pricing: { prompt: '0', completion: '0' } },
    { rates: { input: 0, output: 0 } },
  ],
  ['a price that varies', { pricing: { prompt: '-1', completion: '-1' } }, {}],
  ['a list without details', { id: 'gpt-4o' }, {}],
  ['names alone', 'gpt-4o', {}],
])('reads what %s publishes', (_of, entry, published) => {
  expect(publishedModel(entry)).toEqual(published);
});

const upstream = await rawUpstream();
const site = await sharedLocalSite();
const api = site.as(OPERATOR);
afterAll(() => upstream.close());

test('offers prices of the models of a channel that have none, which can be adopted', async () => {
  const pricing = { prompt: '0.000001', completion: '0.000002' };
  const entry = (id: string) => ({ id, pricing, context_length: 5000 });
  const data = ['fresh-1', 'fresh-2', 'gpt-4o', 'not-in-channel'].map(entry);
  upstream.answer = whole({ data: [...data, { id: 'fresh-3' }] });
  const { id } = await site.aChannel({
    base_url: upstream.url,
    type: 20,
    models: 'fresh-1,alias,gpt-4o,fresh-3',
    model_mapping: '{"alias":"fresh-2"}',
    group: 'default',
  });
  const rates = { input: 1, output: 2 };
  const { source, items } = await api.channelModel.prices({ id });
  expect(source).toBe(new URL(upstream.url).host);
  expect(items).toEqual([
    { model: 'fresh-1', rates, context: 5000 },
    { model: 'fresh-2', rates, context: 5000 },
  ]);
  expect(await api.price.unpriced({})).toEqual(['alias', 'fresh-1', 'fresh-3']);
  await api.priceSource.apply({ source, prices: items });
  expect(await api.price.unpriced({})).toEqual(['fresh-3']);
  expect(await api.price.get({ model: 'fresh-1' })).toMatchObject({ source: 'synced', rates });
  expect((await api.channelModel.prices({ id })).items).toEqual([]);
  const stored = await api.option.get({ key: 'SyncedRates' });
  expect(JSON.stringify(stored)).toContain('5000');
});
