/** The cost of a call by the field `cost` of its channel. */
import { describe, expect, it } from 'vitest';
import {
  costUnits,
  readChannelCost,
  taskCostUnits,
} from '../../../src/domain/pricing/channel-cost.ts';
import { chargeOf } from '../../../src/domain/pricing/charge.ts';
import type { Price } from '../../../src/domain/pricing/price.ts';
import { emptyUsage, type Usage } from '../../../src/domain/pricing/usage.ts';
import { perToken, UNIT } from './price-tables.ts';

/** 2 USD per million tokens of input, 8 of output. */
const PRICE = perToken({ model_ratio: 1, completion_ratio: 4 }, { name: 'gpt-4o' });
const USAGE: Usage = { ...emptyUsage(), input: 1_000, output: 101 };
const PER_CALL: Price = { kind: 'per_call', name: 'image', rule: 'requested', model_price: 0.04 };

interface Call {
  readonly price?: Price;
  readonly upstreamModel?: string;
  readonly usage?: Usage;
  readonly calls?: number;
}

function costOf(cost: object | string, call: Call = {}): number | null {
  const text = typeof cost === 'string' ? cost : JSON.stringify(cost);
  const costed = { price: PRICE, upstreamModel: 'gpt-4o', usage: USAGE, calls: 1, ...call };
  return costUnits(readChannelCost(text), costed, UNIT);
}

describe('a cost factor', () => {
  it('multiplies the list price, and the result is rounded once, half up', () => {
    // 1,404 units at the list price.
    expect(chargeOf(PRICE, 1, USAGE, UNIT).units).toBe(1_404);
    expect(costOf({ factor: 0.8 })).toBe(1_123);
    expect(costOf({ factor: 1 })).toBe(1_404);
    expect(costOf({ factor: 0.125 })).toBe(176);
    expect(costOf({ factor: 3 })).toBe(4_212);
  });

  it('of 0 makes calls free, and a small one costs at least a unit', () => {
    expect(costOf({ factor: 0 })).toBe(0);
    expect(costOf({ factor: 0.000_01 })).toBe(1);
  });

  it('multiplies a price per call as often as it applies', () => {
    expect(costOf({ factor: 0.5 }, { price: PER_CALL, usage: emptyUsage(), calls: 3 })).toBe(
      30_000,
    );
  });

  it('uses the variants of the price', () => {
    const price = perToken(
      { model_ratio: 1, completion_ratio: 4 },
      {
        name: 'gpt-4o',
        byAnswer: {
          base: { input: 2, output: 8 },
          variants: [{ when: { prompt_above: 500 }, rates: { input: 4, output: 16 } }],
        },
      },
    );
    expect(costOf({ factor: 0.5 }, { price })).toBe(1_404);
  });

  it('says nothing about a model without a price', () => {
    expect(costOf({ factor: 0.8 }, { price: { ...PRICE, rule: 'unset' } })).toBeNull();
    expect(costOf({ factor: 0.8 }, { price: { ...PRICE, rule: 'fallback' } })).toBe(1_123);
  });
});

describe('rates of a model', () => {
  const rates = { 'gpt-4o': { input: 1, output: 2 }, 'my-deployment': { input: 3, output: 3 } };

  it('take precedence over the factor', () => {
    expect(costOf({ factor: 0.8, rates })).toBe(601);
    expect(costOf({ factor: 0.8, rates: { other: { input: 1 } } })).toBe(1_123);
  });

  it('are found by the name at the upstream, then by the price name', () => {
    expect(costOf({ rates }, { upstreamModel: 'my-deployment' })).toBe(1_652);
    expect(costOf({ rates }, { upstreamModel: 'unknown' })).toBe(601);
    expect(
      costOf({ rates }, { price: { ...PRICE, name: 'x' }, upstreamModel: 'unknown' }),
    ).toBeNull();
  });

  it('are found by the rules for the names of models', () => {
    const price = { ...PRICE, name: 'x' };
    expect(costOf({ rates }, { price, upstreamModel: 'openai/gpt-4o-2024-11-20' })).toBe(601);
  });

  it('are of their own kind: per call where the price is per token, and the reverse', () => {
    expect(costOf({ rates: { 'gpt-4o': { call: 0.01 } } }, { calls: 2 })).toBe(10_000);
    expect(costOf({ rates: { image: { input: 2, output: 8 } } }, { price: PER_CALL })).toBe(1_404);
  });

  it('per token say nothing about a task, which has no tokens', () => {
    const call = { price: PER_CALL, upstreamModel: 'image', usage: emptyUsage(), calls: 2 };
    const cost = (text: object) => taskCostUnits(readChannelCost(JSON.stringify(text)), call, UNIT);
    expect(cost({ rates: { image: { input: 2 } } })).toBeNull();
    expect(cost({ rates: { image: { call: 0.01 } } })).toBe(10_000);
    expect(cost({ factor: 0.5 })).toBe(20_000);
    expect(cost({})).toBeNull();
  });

  it('of two channels for one price are kept apart', () => {
    const read = (factor: number) => readChannelCost(JSON.stringify({ factor }));
    const [one, other] = [read(0.5), read(0.25)];
    const call = { price: PRICE, upstreamModel: 'gpt-4o', usage: USAGE, calls: 1 };
    const units = [one, other, one, other].map((cost) => costUnits(cost, call, UNIT));
    expect(units).toEqual([702, 351, 702, 351]);
  });
});

describe('an unknown cost', () => {
  it.each(['', '{}', '{"rates":{}}', 'no json', '[]', '{"factor":-1}', '{"factor":"0.8"}'])(
    'results from %j',
    (text) => {
      expect(costOf(text)).toBeNull();
    },
  );

  it('results from rates that are no price', () => {
    expect(costOf({ rates: { 'gpt-4o': { output: 1 } } })).toBeNull();
    expect(costOf({ rates: { 'gpt-4o': { input: 1, call: 1 } } })).toBeNull();
  });

  it('is not that of a call without tokens, which costs nothing', () => {
    expect(costOf({ factor: 0.8 }, { usage: emptyUsage() })).toBe(0);
  });
});
