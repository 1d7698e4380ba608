import { describe, expect, it } from 'vitest';
import {
  familyAudioRatio,
  familyCompletionRatio,
} from '../../../src/domain/pricing/family-rules.ts';
import {
  findPrice as findPriceAt,
  groupRatioOf,
  type Leniency,
  type PriceNames,
  STRICT,
} from '../../../src/domain/pricing/find-price.ts';
import { fallbackPriceOf, type PriceTables } from '../../../src/domain/pricing/price-tables.ts';
import { ratiosOf } from '../../../src/domain/pricing/rates.ts';
import { NOON, priceOf, tablesWith } from './price-tables.ts';

/** With the ratios of a price per token. */
function findPrice(tables: PriceTables, names: PriceNames, leniency: Leniency) {
  const price = findPriceAt(tables, names, leniency, { atMs: NOON });
  return price?.kind === 'per_token' ? { ...price, ...ratiosOf(price.rates) } : price;
}

function ratios(model: string, tables = tablesWith()) {
  const price = priceOf(model, tables);
  return price.kind === 'per_token' ? { ...price, ...ratiosOf(price.rates) } : price;
}

describe('finding a price', () => {
  it('takes the requested name if it has a price or ratio, else the mapped one', () => {
    const tables = tablesWith({ modelRatio: { house: 3 } });
    expect(findPrice(tables, { requested: 'house', mapped: 'gpt-4o' }, STRICT)).toMatchObject({
      name: 'house',
      rule: 'requested',
      model_ratio: 3,
    });
    expect(findPrice(tables, { requested: 'nick', mapped: 'gpt-4o' }, STRICT)).toMatchObject({
      name: 'gpt-4o',
      rule: 'mapped',
      model_ratio: 1.25,
      completion_ratio: 4,
      cache_ratio: 0.5,
    });
  });

  it('prefers a price per call to a ratio', () => {
    const tables = tablesWith({ modelRatio: { both: 1 }, modelPrice: { both: 0.02 } });
    expect(ratios('both', tables)).toMatchObject({ kind: 'per_call', model_price: 0.02 });
  });
});

describe('models without a price', () => {
  it('finds no price for an unknown model, so that the call is refused', () => {
    expect(findPrice(tablesWith(), { requested: 'nick', mapped: 'nack' }, STRICT)).toBeUndefined();
  });

  it('allows an unpriced model at 37.5 in self-use mode or when the user accepts it', () => {
    for (const leniency of [
      { selfUse: true, acceptUnset: false },
      { selfUse: false, acceptUnset: true },
    ]) {
      expect(findPrice(tablesWith(), { requested: 'nick' }, leniency)).toMatchObject({
        rule: 'unset',
        model_ratio: 37.5,
      });
      expect(findPrice(tablesWith(), { requested: 'gpt-4o' }, leniency)).toMatchObject({
        model_ratio: 1.25,
      });
    }
  });

  it('falls back only when both price and ratio are missing, in every mode', () => {
    const single = fallbackPriceOf({
      enabled: true,
      singlePrice: 0.01,
      inputRatio: undefined,
      completionRatio: undefined,
    });
    const ratios = fallbackPriceOf({
      enabled: true,
      singlePrice: undefined,
      inputRatio: 2,
      completionRatio: 3,
    });
    const lenient = { selfUse: true, acceptUnset: true };
    const withSingle = tablesWith({}, { fallback: single });
    expect(findPrice(withSingle, { requested: 'nick' }, lenient)).toEqual({
      kind: 'per_call',
      name: 'nick',
      rule: 'fallback',
      model_price: 0.01,
    });
    expect(findPrice(withSingle, { requested: 'gpt-4o' }, lenient)).toMatchObject({
      kind: 'per_token',
    });
    expect(
      findPrice(tablesWith({}, { fallback: ratios }), { requested: 'claude-3-x' }, STRICT),
    ).toMatchObject({
      rule: 'fallback',
      model_ratio: 2,
      completion_ratio: 3,
    });
  });

  it('has no fallback when it is off or incomplete', () => {
    const off = { enabled: false, singlePrice: 1, inputRatio: 1, completionRatio: 1 };
    expect(fallbackPriceOf(off)).toBeUndefined();
    expect(
      fallbackPriceOf({ enabled: true, singlePrice: 0, inputRatio: 2, completionRatio: 0 }),
    ).toBeUndefined();
  });
});

describe('the ratios of a price', () => {
  it('collapses gizmo names unless one has its own price', () => {
    expect(ratios('gpt-4-gizmo-abc')).toMatchObject({
      kind: 'per_call',
      name: 'gpt-4-gizmo-*',
      model_price: 0.1,
    });
    expect(ratios('gpt-4o-gizmo-abc')).toMatchObject({ name: 'gpt-4o-gizmo-*' });
    const own = tablesWith({ modelRatio: { 'gpt-4-gizmo-abc': 9 } });
    expect(ratios('gpt-4-gizmo-abc', own)).toMatchObject({
      name: 'gpt-4-gizmo-abc',
      model_ratio: 9,
    });
  });

  it('prefers an explicit completion ratio to that of the family', () => {
    const tables = tablesWith({
      modelRatio: { 'gpt-4-mine': 1 },
      completionRatio: { 'gpt-4-mine': 7 },
    });
    expect(ratios('gpt-4-mine', tables)).toMatchObject({ completion_ratio: 7 });
    expect(ratios('gpt-4-mine', tablesWith({ modelRatio: { 'gpt-4-mine': 1 } }))).toMatchObject({
      completion_ratio: 2,
    });
  });

  it('scales the one-hour cache ratio with the configured one', () => {
    const tables = tablesWith({ cacheCreationRatio: { 'claude-sonnet-4-5': 0 } });
    expect(ratios('claude-sonnet-4-5', tables)).toMatchObject({
      cache_creation_ratio: 0,
      rates: { cache_write_1h: 0 },
    });
  });

  it('gives a group without a ratio the plain price', () => {
    const tables = tablesWith({}, { groupRatio: new Map([['vip', 0.5]]) });
    expect([groupRatioOf(tables, 'vip'), groupRatioOf(tables, 'other')]).toEqual([0.5, 1]);
  });
});

describe('ratios of model families', () => {
  it.each([
    ['gpt-4o-2024-05-13', 3],
    ['chatgpt-4o-latest', 3],
    ['gpt-4o-2024-11-20', 4],
    ['gpt-4o-all', 2],
    ['gpt-4o-gizmo-x', 3],
    ['gpt-4-gizmo-x', 2],
    ['gpt-4.5-preview-x', 2],
    ['gpt-4-turbo-x', 3],
    ['azure-gpt-4-1106', 3],
    ['gpt-4-0613', 2],
    ['o1-x', 4],
    ['o3-x', 4],
    ['anthropic.claude-3-haiku', 5],
    ['claude-sonnet-4-x', 5],
    ['claude-instant-1', 3],
    ['claude-2.1', 3],
    ['gpt-3.5-turbo', 3],
    ['gpt-3.5-turbo-0125', 3],
    ['gpt-3.5-turbo-1106', 2],
    ['gpt-3.5-turbo-16k', 4 / 3],
    ['gemini-1.5-pro-x', 4],
    ['gemini-2.5-pro-preview-x', 8],
    ['gemini-2.5-flash-preview-x', 35 / 6],
    ['gemini-2.5-flash-preview-x-nothinking', 4],
    ['command-r', 3],
    ['command-r-plus', 5],
    ['command-r-08-2024', 4],
    ['mistral-x', 3],
    ['deepseek-chat', 4],
    ['ERNIE-Speed-8K', 2],
    ['llama2-70b-4096', 1.25],
    ['my-own-model', 1],
  ])('the family of %s has the completion ratio %d', (model, ratio) => {
    expect(familyCompletionRatio(model)).toBe(ratio);
  });

  it.each([
    ['gpt-4o-realtime-preview', 20],
    ['gpt-4o-realtime-preview-2024-12-17', 8],
    ['gpt-4o-mini-realtime-preview', 50 / 3],
    ['gpt-4o-audio-preview', 40],
    ['gpt-4o-audio-preview-2024-12-17', 16],
    ['gpt-4o-mini-audio-preview', 200 / 3],
    ['anything', 20],
  ])('the family of %s has the audio ratio %d', (model, ratio) => {
    expect(familyAudioRatio(model)).toBe(ratio);
  });
});
