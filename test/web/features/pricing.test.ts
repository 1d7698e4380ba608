import { expect, test } from 'vitest';
import { figureText, padDecimals, tokenFigure } from '../../../web/src/features/pricing/figures.ts';
import { filteredRows, modelRows, sortedRows } from '../../../web/src/features/pricing/rows.ts';
import { estimateOf, ratesOf } from '../../../web/src/lib/pricing/model-rates.ts';
import type { PriceEntry } from '../../../web/src/lib/pricing/price-list.ts';

function anEntry(fields: Partial<PriceEntry> = {}): PriceEntry {
  return {
    model_name: 'gpt-4o',
    quota_type: 0,
    model_ratio: 1.25,
    model_price: 0,
    owner_by: '',
    completion_ratio: 4,
    cache_ratio: 0.5,
    cache_creation_ratio: 1.25,
    rates: { input: 2.5, output: 10, cache_read: 1.25, cache_write: 3.125 },
    enable_groups: ['default'],
    supported_endpoint_types: [],
    ...fields,
  };
}

const USD = { currency: 'usd', quotaPerUnit: 500_000 } as const;

test('a price by tokens is twice the model ratio times the group’s; output times its own too', () => {
  expect(ratesOf(anEntry(), 0.8)).toEqual({
    kind: 'per_token',
    input: 2,
    output: 8,
    cacheRead: 1,
    cacheWrite: 2.5,
  });
});

test('a price per call is the price times the group’s ratio', () => {
  const entry = anEntry({ quota_type: 1, model_price: 0.02, model_ratio: 0 });
  expect(ratesOf(entry, 1.5)).toEqual({ kind: 'per_call', call: 0.03 });
});

test('a model without a price has no rates', () => {
  expect(ratesOf(anEntry({ rates: undefined, model_ratio: 0, unset: true }), 1)).toBeUndefined();
});

test('the calculator excludes cached tokens from the prompt, like the charge', () => {
  const entry = anEntry({ rates: { input: 0.15, output: 0.6, cache_read: 0.075 } });
  const work = { prompt: 1000, cached: 400, completion: 200, callsPerDay: 10 };
  const estimate = estimateOf(entry, 1, work, 500_000);
  expect(estimate?.units).toBe(120);
  expect(estimate?.perCall).toBeCloseTo(0.00024, 12);
  expect(estimate?.perMonth).toBeCloseTo(0.072, 12);
});

test('models of other groups are marked and listed last, not hidden', () => {
  const data = [
    anEntry({ model_name: 'a-vip', enable_groups: ['vip'] }),
    anEntry({ model_name: 'z-open' }),
  ];
  const rows = modelRows(
    {
      data,
      group_ratio: { default: 1, vip: 2 },
      usable_group: {},
      vendors: [],
      supported_endpoint: {},
    },
    'default',
  );
  const all = { q: '', vendor: [], billing: '', endpoint: [], usable: false } as const;
  expect(sortedRows(filteredRows(rows, all), '').map(({ entry }) => entry.model_name)).toEqual([
    'z-open',
    'a-vip',
  ]);
  expect(filteredRows(rows, { ...all, usable: true })).toHaveLength(1);
});

test('the name decides the endpoint, which narrows the list beside the other filters', () => {
  const names = ['gpt-4o', 'openai/text-embedding-3-small', 'dall-e-3', 'whisper-1', 'mj_imagine'];
  const data = names.map((model_name) => anEntry({ model_name }));
  const rows = modelRows(
    { data, group_ratio: { default: 1 }, usable_group: {}, vendors: [], supported_endpoint: {} },
    'default',
  );
  expect(rows.map(({ endpoint }) => endpoint)).toEqual([
    'chat',
    'embeddings',
    'images',
    'audio',
    'tasks',
  ]);
  const narrowing = { q: '', vendor: [], billing: '', usable: false } as const;
  const left = filteredRows(rows, { ...narrowing, endpoint: ['images', 'audio'] });
  expect(left.map(({ entry }) => entry.model_name)).toEqual(['dall-e-3', 'whisper-1']);
  // The counts beside the endpoints apply all other filters.
  expect(
    filteredRows(rows, { ...narrowing, endpoint: ['images'], q: '3' }, 'endpoint'),
  ).toHaveLength(2);
});

test('figures have two decimals or more, and are padded for alignment', () => {
  expect(figureText(2.5, USD)).toBe('$2.50');
  expect(tokenFigure(0.15, '1K', USD)).toBe('$0.00015');
  expect(figureText(2.5, { ...USD, currency: 'quota' })).toBe('1,250,000');
  expect(padDecimals('$2.50', 4)).toBe('$2.50\u2007\u2007');
  expect(padDecimals('5', 2)).toBe('5\u2008\u2007\u2007');
});
