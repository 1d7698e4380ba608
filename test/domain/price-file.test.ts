import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  type KnownPrice,
  pricesForKnownModels,
} from '../../src/domain/pricing/price-file/known-models.ts';
import { readPrices } from '../../src/domain/pricing/price-file/read.ts';
import { countByReason, type FilePrice } from '../../src/domain/pricing/price-file/row.ts';

test.each([
  [
    'our own list',
    { prices: [{ model: 'a', in: 2.5, out: 10 }] },
    [{ model: 'a', in: 2.5, out: 10 }],
  ],
  [
    'ratio maps, as a server of the family shares them',
    {
      success: true,
      data: { model_ratio: { a: 1.25 }, completion_ratio: { a: 4 }, audio_ratio: { a: 16 } },
    },
    [{ model: 'a', ratio: 1.25, completion: 4, audio: 16 }],
  ],
  [
    'options, whose maps are JSON text; a price per call beats ratios',
    { ModelRatio: '{"a":1,"b":2}', ModelPrice: '{"b":0.04}' },
    [
      { model: 'a', ratio: 1 },
      { model: 'b', perCall: 0.04 },
    ],
  ],
  [
    'a pricing page',
    {
      data: [
        { model_name: 'a', quota_type: 0, model_ratio: 1, completion_ratio: 3, model_price: 0 },
        { model_name: 'b', quota_type: 1, model_ratio: 0, model_price: 0.1 },
      ],
    },
    [
      { model: 'a', ratio: 1, completion: 3 },
      { model: 'b', perCall: 0.1 },
    ],
  ],
  [
    'LiteLLM, without what a float adds on the way',
    {
      sample_spec: { max_tokens: 'LEGACY' },
      a: {
        input_cost_per_token: 1.1e-6,
        output_cost_per_token: 4.4e-6,
        cache_read_input_token_cost: 2.75e-7,
      },
      free: { input_cost_per_token: 0, output_cost_per_token: 0 },
    },
    [
      { model: 'a', in: 1.1, out: 4.4, cache: 0.25 },
      { model: 'free', in: 0 },
    ],
  ],
  [
    'models.dev, of vendors only',
    {
      reseller: { models: { a: { cost: { input: 9, output: 9 } } } },
      openai: {
        models: {
          a: { cost: { input: 2, output: 8, cache_read: 0.5, input_audio: 4, output_audio: 8 } },
          unpriced: { limit: { context: 1 } },
        },
      },
    },
    [{ model: 'a', in: 2, out: 8, cache: 0.25, audio: 2, audioCompletion: 2 }],
  ],
])('reads %s', (_what, document, prices) => {
  expect(readPrices(document)?.prices).toEqual(prices);
});

test.each([[undefined], ['text'], [{}], [[{ name: 'x' }]], [{ a: { max_tokens: 1 } }]])(
  'refuses %j as a price list',
  (document) => {
    expect(readPrices(document)).toBeUndefined();
  },
);

test.each([
  ['our own list', { prices: [{ model: 'a', in: 2, out: 1e300 }] }, 'out'],
  ['a negative price', { prices: [{ model: 'a', in: -2 }] }, 'in'],
  ['no number', { prices: [{ model: 'a', in: 2, out: Number.NaN }] }, 'out'],
  ['endless', { prices: [{ model: 'a', perCall: Number.POSITIVE_INFINITY }] }, 'perCall'],
  ['a ratio', { prices: [{ model: 'a', ratio: 500_001 }] }, 'ratio'],
  ['ratio maps', { model_ratio: { a: 1 }, completion_ratio: { a: 1e6 } }, 'completion'],
  ['a pricing page', [{ model_name: 'a', quota_type: 1, model_price: 1_000_001 }], 'perCall'],
  [
    'LiteLLM',
    { a: { input_cost_per_token: 1.1, output_cost_per_token: 1 }, b: { max_tokens: 1 } },
    'in',
  ],
  ['models.dev', { openai: { models: { a: { cost: { input: 2, output: 1e300 } } } } }, 'out'],
])('an amount out of range omits its whole entry: %s', (_what, document, field) => {
  const { prices, skipped } = readPrices(document) ?? {};
  expect(prices).toEqual([]);
  expect(skipped).toContainEqual({ model: 'a', reason: 'out_of_range', field });
});

const LITELLM: unknown = JSON.parse(
  readFileSync(new URL('../fixtures/litellm/prices.json', import.meta.url), 'utf8'),
);

describe('the LiteLLM price file', () => {
  test.each<FilePrice>([
    { model: 'gemini-3-pro-image', in: 2, out: 120 },
    { model: 'gpt-image-1', in: 10, out: 40, cache: 0.25 },
    { model: 'gpt-4o-audio-preview', in: 2.5, out: 10, audio: 16, audioCompletion: 2 },
    { model: 'gpt-4o-mini-tts', in: 2.5, out: 10, audio: 1, audioCompletion: 4.8 },
    { model: 'claude-opus-4-5', in: 5, out: 25, cache: 0.1, cacheWrite: 1.25 },
    { model: 'omni-moderation-latest', in: 0 },
  ])('gives the price of images, audio and cached tokens: $model', (price) => {
    expect(readPrices(LITELLM)?.prices).toContainEqual(price);
  });

  test('reports every omitted entry with the reason', () => {
    const { prices = [], skipped = [] } = readPrices(LITELLM) ?? {};
    expect(skipped).toEqual([
      { model: 'sample_spec', reason: 'not_a_model' },
      { model: 'rerank-v3.5', reason: 'other_unit' },
      { model: 'dall-e-3', reason: 'other_unit' },
      { model: 'whisper-1', reason: 'other_unit' },
      { model: 'perplexity/sonar-medium-online', reason: 'free_input' },
      { model: 'dashscope/qwen-flash', reason: 'no_price' },
    ]);
    expect(countByReason(skipped).get('other_unit')).toBe(3);
    expect(prices.length + skipped.length).toBe(Object.keys(LITELLM ?? {}).length);
  });
});

describe('compared with the current price', () => {
  const known: KnownPrice = {
    billing: 'per_token',
    source: 'catalog',
    model_ratio: 2.5,
    cache_ratio: 0.1,
    audio_ratio: 16,
    audio_completion_ratio: 4,
  };

  test.each<[string, FilePrice, Partial<KnownPrice>, Partial<FilePrice>]>([
    [
      'cached and audio tokens keep their USD',
      { model: 'm', in: 2 },
      {},
      { cache: 0.25, audio: 40 },
    ],
    ['cached input costs input at most', { model: 'm', in: 0.1 }, {}, { cache: 1, audio: 800 }],
    [
      'what the file names is taken',
      { model: 'm', in: 2, cache: 0.2, audio: 3 },
      {},
      { audioCompletion: (4 * 40) / 3 },
    ],
    ['the same input price changes no other part', { model: 'm', in: 5 }, {}, {}],
    [
      'ratios that no price gave stay the rule',
      { model: 'm', in: 2 },
      { cache_ratio: 1, audio_ratio: 20 },
      {},
    ],
    [
      'a price that is not known here is taken as it is',
      { model: 'm', in: 2 },
      { source: 'unset', billing: 'none' },
      {},
    ],
  ])('%s', (_what, price, changes, more) => {
    const { prices } = pricesForKnownModels({ prices: [price], skipped: [] }, () => ({
      ...known,
      ...changes,
    }));
    const [{ audioCompletion, ...rest } = price] = prices;
    const { audioCompletion: wanted, ...others } = more;
    expect(rest).toEqual({ ...price, ...others });
    if (wanted !== undefined) expect(audioCompletion).toBeCloseTo(wanted, 10);
  });

  test('an output ratio needs an input price', () => {
    const file = { prices: [{ model: 'm', completion: 2 }], skipped: [] };
    expect(pricesForKnownModels(file, () => known).prices).toHaveLength(1);
    expect(pricesForKnownModels(file, () => undefined)).toEqual({
      prices: [],
      skipped: [{ model: 'm', reason: 'no_base' }],
    });
  });
});
