import { describe, expect, test } from 'vitest';
import { acceptedPrice, partOfPrice } from '../../../src/domain/pricing/price-file/accept-price.ts';
import { pricesForKnownModels } from '../../../src/domain/pricing/price-file/merge-price.ts';
import {
  type KnownPrice,
  rateChanges,
  rateName,
} from '../../../src/domain/pricing/price-file/rate-changes.ts';
import { readPrices } from '../../../src/domain/pricing/price-file/read.ts';
import type { FilePrice } from '../../../src/domain/pricing/price-file/row.ts';

const READER = new Set<string>();
const LONG = { when: { prompt_above: 200_000 }, rates: { input: 4 } };

test.each([
  [
    'our own list',
    { prices: [{ model: 'a', in: 2.5, out: 10 }] },
    [{ model: 'a', rates: { input: 2.5, output: 10 }, ratios: {} }],
  ],
  [
    'our own list of whole prices',
    [{ model: 'a', rates: { input: 2, image_input: 4 }, variants: [LONG] }],
    [{ model: 'a', rates: { input: 2, image_input: 4 }, ratios: {}, variants: [LONG] }],
  ],
  [
    'ratio maps, as a server of the family shares them',
    {
      success: true,
      data: { model_ratio: { a: 1.25 }, completion_ratio: { a: 4 }, audio_ratio: { a: 16 } },
    },
    [{ model: 'a', rates: {}, ratios: { ratio: 1.25, completion: 4, audio: 16 } }],
  ],
  [
    'options, whose maps are JSON text; a price per call beats ratios',
    { ModelRatio: '{"a":1,"b":2}', ModelPrice: '{"b":0.04}' },
    [
      { model: 'a', rates: {}, ratios: { ratio: 1 } },
      { model: 'b', rates: { call: 0.04 }, ratios: {} },
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
      { model: 'a', rates: {}, ratios: { ratio: 1, completion: 3 } },
      { model: 'b', rates: { call: 0.1 }, ratios: {} },
    ],
  ],
  [
    'the model list of an upstream, without what a float adds on the way',
    {
      data: [
        { id: 'a/b', pricing: { prompt: '0.0000011', completion: '0.0000044' } },
        { id: 'auto', pricing: { prompt: '-1', completion: '-1' } },
      ],
    },
    [{ model: 'a/b', rates: { input: 1.1, output: 4.4 } }],
  ],
  [
    'models.dev, of makers only',
    {
      reseller: { models: { a: { cost: { input: 9, output: 9 } } } },
      openai: {
        models: {
          a: { cost: { input: 2, output: 8, cache_read: 0.5, input_audio: 4, output_audio: 8 } },
          unpriced: { limit: { context: 1 } },
        },
      },
    },
    [
      {
        model: 'a',
        rates: { input: 2, output: 8, cache_read: 0.5, audio_input: 4, audio_output: 8 },
        variants: [],
      },
    ],
  ],
])('reads %s', (_what, document, prices) => {
  expect(readPrices(document, READER)?.prices).toEqual(prices);
});

test.each([[undefined], ['text'], [{}], [[{ name: 'x' }]], [{ a: { max_tokens: 1 } }]])(
  'refuses %j as a price list',
  (document) => {
    expect(readPrices(document, READER)).toBeUndefined();
  },
);

test.each([
  ['our own list', { prices: [{ model: 'a', in: 2, out: 1e300 }] }, 'output'],
  ['a negative price', { prices: [{ model: 'a', in: -2 }] }, 'input'],
  ['no number', { prices: [{ model: 'a', in: 2, out: Number.NaN }] }, 'output'],
  ['endless', { prices: [{ model: 'a', perCall: Number.POSITIVE_INFINITY }] }, 'call'],
  ['a ratio', { prices: [{ model: 'a', ratio: 500_001 }] }, 'ratio'],
  ['ratio maps', { model_ratio: { a: 1 }, completion_ratio: { a: 1e6 } }, 'completion'],
  ['a pricing page', [{ model_name: 'a', quota_type: 1, model_price: 1_000_001 }], 'call'],
  ['models.dev', { openai: { models: { a: { cost: { input: 2, output: 1e300 } } } } }, 'output'],
])('an amount out of range omits its whole entry: %s', (_what, document, field) => {
  const { prices, skipped } = readPrices(document, READER) ?? {};
  expect(prices).toEqual([]);
  expect(skipped).toContainEqual({ model: 'a', reason: 'out_of_range', field });
});

describe('a catalogue of providers', () => {
  const cost = (input: number, output: number) => ({ cost: { input, output } });
  const catalogue = {
    groq: { models: { 'openai/gpt-oss-120b': cost(0.15, 0.6), 'own-9': cost(1, 2) } },
    novita: { models: { 'openai/gpt-oss-120b': cost(0.1, 0.5) } },
    zhipuai: { models: { 'glm-99': cost(7, 7) } },
    zai: { models: { 'glm-99': cost(0.6, 2.2) } },
    resold: { models: { 'glm-99': cost(1, 1) } },
  };
  const known: Readonly<Record<string, KnownPrice>> = {
    'openai/gpt-oss-120b': {
      source: 'catalog',
      price_name: 'gpt-oss-120b',
      rates: { input: 0.2, output: 0.8 },
      variants: [],
    },
  };
  const read = (providers: readonly string[], document: unknown = catalogue) => {
    const file = readPrices(document, new Set(providers));
    return file && pricesForKnownModels(file, (model) => known[model]);
  };

  test('gives the price of the maker, the first of several lists, and names the rest', () => {
    const { prices, skipped } = read([]) ?? {};
    expect(prices).toEqual([{ model: 'glm-99', rates: { input: 0.6, output: 2.2 }, variants: [] }]);
    expect(skipped).toEqual([
      { model: 'glm-99', reason: 'listed_twice' },
      { model: 'groq/openai/gpt-oss-120b', reason: 'no_channel' },
      { model: 'groq/own-9', reason: 'no_channel' },
      { model: 'novita/openai/gpt-oss-120b', reason: 'reseller' },
      { model: 'resold/glm-99', reason: 'reseller' },
    ]);
  });

  test('gives other prices of a host under its name, if the site has a channel of it', () => {
    expect(read(['groq'])?.prices).toEqual([
      { model: 'glm-99', rates: { input: 0.6, output: 2.2 }, variants: [] },
      { model: 'own-9', rates: { input: 1, output: 2 }, variants: [] },
      {
        model: 'gpt-oss-120b',
        rates: { input: 0.2, output: 0.8 },
        variants: [{ when: { provider: 'groq' }, rates: { input: 0.15, output: 0.6 } }],
      },
    ]);
  });
});

describe('compared with the current price', () => {
  const known: KnownPrice = {
    source: 'catalog',
    rates: { input: 5, output: 20, cache_read: 0.5, audio_input: 80 },
    variants: [{ when: { prompt_above: 200_000 }, rates: { input: 10, output: 30 } }],
  };
  const importedRates = (price: FilePrice, now: KnownPrice | undefined = known) =>
    pricesForKnownModels({ prices: [price], skipped: [] }, () => now).prices[0];

  test.each<[string, FilePrice, FilePrice['rates']]>([
    [
      'rates that the file does not name keep their USD',
      { model: 'm', rates: { input: 2 } },
      { input: 2, output: 20, cache_read: 0.5, audio_input: 80 },
    ],
    [
      'cached input costs input at most',
      { model: 'm', rates: { input: 0.1 } },
      { input: 0.1, output: 20, cache_read: 0.1, audio_input: 80 },
    ],
    [
      'ratios relate to the input price of the file',
      { model: 'm', rates: {}, ratios: { ratio: 1, completion: 4, audio: 10 } },
      { input: 2, output: 8, cache_read: 0.5, audio_input: 20 },
    ],
    [
      'ratios without an input price relate to the current one',
      { model: 'm', rates: {}, ratios: { completion: 3 } },
      { ...known.rates, output: 15 },
    ],
    ['a price per call replaces all', { model: 'm', rates: { call: 0.1 } }, { call: 0.1 }],
  ])('%s', (_what, price, rates) => {
    expect(importedRates(price)?.rates).toEqual(rates);
  });

  test('rates of long prompts move with the input, unless the file names them', () => {
    const half = { model: 'm', rates: { input: 2.5, output: 10 } };
    expect(importedRates(half)?.variants).toEqual([
      { when: { prompt_above: 200_000 }, rates: { input: 5, output: 15 } },
    ]);
    const variants = [{ when: { prompt_above: 200_000 }, rates: { input: 7 } }];
    expect(importedRates({ ...half, variants })?.variants).toEqual([
      { when: { prompt_above: 200_000 }, rates: { input: 7, output: 15 } },
    ]);
  });

  test('each changed rate is named, with its condition', () => {
    const price = importedRates({ model: 'm', rates: { input: 2.5, output: 20 } });
    expect(price && rateChanges(price, known)).toEqual([
      { field: 'input', from: 5, to: 2.5 },
      { field: 'input', from: 10, to: 5, when: { prompt_above: 200_000 } },
    ]);
    const same = importedRates({ model: 'm', rates: { input: 5 } });
    expect(same && rateChanges(same, known)).toEqual([]);
  });

  test('the name of a rate contains all conditions', () => {
    expect(rateName({ field: 'input' })).toBe('input');
    const hours = { zone: 'Asia/Shanghai', days: [1, 5], from: '09:00', until: '12:00' };
    const when = { prompt_above: 9, is_marginal: true, tier: 'flex', hours } as const;
    expect(rateName({ field: 'output', when })).toBe(
      'output (prompt_above 9, is_marginal, tier flex, hours 09:00-12:00 Asia/Shanghai on days 1 5)',
    );
  });

  test('a price that is not known here is taken as it is', () => {
    const unset: KnownPrice = { source: 'unset', rates: {}, variants: [] };
    expect(importedRates({ model: 'm', rates: { input: 2 } }, unset)).toEqual({
      model: 'm',
      rates: { input: 2 },
      variants: [],
    });
  });

  test('an output ratio needs an input price', () => {
    const file = { prices: [{ model: 'm', rates: {}, ratios: { completion: 2 } }], skipped: [] };
    expect(pricesForKnownModels(file, () => undefined)).toEqual({
      prices: [],
      skipped: [{ model: 'm', reason: 'no_base' }],
    });
  });
});

describe('a part of a new price', () => {
  const before = {
    rates: { input: 5, output: 20, cache_read: 0.5 },
    variants: [
      { when: { tier: 'flex' }, factor: 0.5 },
      { when: { provider: 'groq' }, rates: { input: 1 } },
    ],
  };
  const after = {
    model: 'm',
    rates: { input: 4, output: 16, cache_read: 0.5 },
    variants: [
      { when: { tier: 'flex' }, rates: { input: 3, output: 10, cache_read: 0.25 } },
      { when: { prompt_above: 9 }, rates: { input: 8 } },
      { when: { provider: 'groq' }, rates: { input: 1 } },
    ],
  };
  const changes = rateChanges(after, { ...before, source: 'catalog' });

  test('changes only the chosen rates', () => {
    const chosen = changes.filter(
      ({ field, when }) => field === 'input' && when?.tier === undefined,
    );
    const part = partOfPrice(after, chosen);
    expect(part).toEqual({
      rates: { input: 4 },
      variants: [{ when: { prompt_above: 9 }, rates: { input: 8 } }],
    });
    expect(acceptedPrice(part, before)).toEqual({
      rates: { input: 4, output: 20, cache_read: 0.5 },
      variants: [
        { when: { tier: 'flex' }, factor: 0.5 },
        { when: { prompt_above: 9 }, rates: { input: 8 } },
        { when: { provider: 'groq' }, rates: { input: 1 } },
      ],
    });
  });

  test('leaves the other rates of a tier as its factor made them', () => {
    const part = { rates: {}, variants: [{ when: { tier: 'flex' }, rates: { input: 3 } }] };
    expect(acceptedPrice(part, before).variants[0]).toEqual({
      when: { tier: 'flex' },
      rates: { input: 3, output: 10, cache_read: 0.25 },
    });
  });

  test('is the whole price if all is chosen', () => {
    expect(acceptedPrice(partOfPrice(after, changes), before)).toEqual({
      rates: after.rates,
      variants: after.variants,
    });
  });

  test('of another unit replaces the price', () => {
    const call = { rates: { call: 1 }, variants: [] };
    expect(acceptedPrice(call, before)).toEqual(call);
  });
});
