import { expect, test } from 'vitest';
import { pricesIn } from '../../src/cli/price-file.ts';

test.each([
  [
    'our own list',
    { prices: [{ model: 'a', in: 2.5, out: 10 }] },
    [{ model: 'a', in: 2.5, out: 10 }],
  ],
  [
    'ratio maps, as a server of the family shares them',
    { success: true, data: { model_ratio: { a: 1.25 }, completion_ratio: { a: 4 } } },
    [{ model: 'a', ratio: 1.25, completion: 4 }],
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
])('reads %s', (_what, document, prices) => {
  expect(pricesIn(document)).toEqual(prices);
});

test.each([[undefined], ['text'], [{}], [[{ name: 'x' }]], [{ a: { max_tokens: 1 } }]])(
  '%j is no price list',
  (document) => {
    expect(pricesIn(document)).toBeUndefined();
  },
);
