import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isEqual, multiply, rationalOf } from '../../src/domain/pricing/decimal.ts';
import { PRICE_BOOK, PRICE_BOOK_DATE } from '../../src/domain/pricing/price-book/book.ts';
import {
  isEstimatedPrice,
  mergeTables,
  priceBookTables,
} from '../../src/domain/pricing/price-book/tables.ts';
import { ratiosOfUsd, type UsdPrice } from '../../src/domain/pricing/price-book/usd.ts';

describe('the price book', () => {
  it('names every model once', () => {
    const names = PRICE_BOOK.flatMap((row) => row.names);
    const repeated = names.filter((name, index) => names.indexOf(name) !== index);
    expect(repeated).toEqual([]);
  });

  it('has rows of one kind, with no negative prices', () => {
    const wrong = PRICE_BOOK.filter((row) => {
      const prices = Object.values(row).filter((value) => typeof value === 'number');
      const isMixed = 'perCall' in row && 'in' in row;
      return (
        isMixed ||
        row.names.length === 0 ||
        prices.length === 0 ||
        prices.some((price) => price < 0)
      );
    });
    expect(wrong).toEqual([]);
  });

  it('never prices a cached token above a fresh one, or a write below a read', () => {
    const wrong = PRICE_BOOK.filter(
      (row) =>
        'in' in row &&
        ((row.cacheRead ?? 0) > row.in ||
          (row.cacheWrite ?? Number.POSITIVE_INFINITY) < (row.cacheRead ?? 0)),
    );
    expect(wrong).toEqual([]);
  });

  it('converts between USD and ratios without loss', () => {
    for (const row of PRICE_BOOK) {
      if ('perCall' in row || row.in === 0) continue;
      const ratios = ratiosOfUsd(row);
      const usd = (...factors: (number | undefined)[]) =>
        multiply(
          rationalOf(2),
          rationalOf(ratios.modelRatio),
          ...factors.map((factor) => rationalOf(factor ?? 1)),
        );
      const pairs = [
        [row.in, usd()],
        [row.out ?? row.in, usd(ratios.completionRatio)],
        [row.cacheRead ?? row.in, usd(ratios.cacheRatio)],
        [row.cacheWrite ?? row.in, usd(ratios.cacheCreationRatio)],
        [row.audioIn ?? row.in, usd(ratios.audioRatio)],
        [
          row.audioOut ?? row.in,
          usd(row.audioOut && ratios.audioRatio, ratios.audioCompletionRatio),
        ],
      ] as const;
      for (const [price, back] of pairs)
        expect(isEqual(rationalOf(price), back), row.names[0]).toBe(true);
    }
  });

  it.each([
    ['gpt-4o', 1.25, 4, 0.5],
    ['gpt-4o-mini', 0.075, 4, 0.5],
    ['claude-3-5-sonnet', 1.5, 5, 0.1],
    ['claude-sonnet-4-20250514', 1.5, 5, 0.1],
    ['claude-3-haiku-20240307', 0.125, 5, 0.12],
    ['deepseek-chat', 0.135, 4, 0.25],
    ['o1', 7.5, 4, 0.5],
    ['gpt-4', 15, 2, 0.5],
    ['gpt-4.5-preview', 37.5, 2, 0.5],
    ['text-embedding-3-small', 0.01, undefined, undefined],
    ['text-embedding-3-large', 0.065, undefined, undefined],
    ['gpt-3.5-turbo', 0.25, 3, undefined],
    ['whisper-1', 15, undefined, undefined],
    ['tts-1', 7.5, undefined, undefined],
    ['tts-1-hd', 15, undefined, undefined],
  ])('keeps the established ratios of %s', (name, model, completion, cache) => {
    const tables = priceBookTables();
    expect(tables.modelRatio.get(name)).toBe(model);
    expect(tables.completionRatio.get(name)).toBe(completion);
    expect(tables.cacheRatio.get(name)).toBe(cache);
  });

  it.each([
    ['dall-e-3', 0.04],
    ['imagen-3.0-generate-002', 0.03],
    ['suno_music', 0.1],
    ['suno_lyrics', 0.01],
    ['mj_imagine', 0.1],
    ['mj_upscale', 0.05],
    ['swap_face', 0.05],
    ['mj_inpaint', 0],
  ])('sells %s per call', (name, price) => {
    expect(priceBookTables().modelPrice.get(name)).toBe(price);
  });

  it('makes moderation free', () => {
    expect(priceBookTables().modelRatio.get('omni-moderation-latest')).toBe(0);
  });

  it.each([
    'gpt-6.2-astra',
    'gpt-6.2-sol',
    'gpt-5.6-luna',
    'gpt-5.4-mini',
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
    'claude-fable-5-2',
    'gemini-4-argon',
    'gemini-3.8-flash',
    'deepseek-v4-pro',
    'deepseek-v4.1-flash',
    'qwen3.8-max',
    'glm-5.3',
    'kimi-k3.1-pro',
    'doubao-seed-2-1-turbo',
    'grok-4.7',
    'mistral-large-latest',
    'gpt-image-2',
    'gpt-realtime-2.1',
  ])('knows %s, which is on sale', (name) => {
    expect(priceBookTables().modelRatio.get(name)).toBeGreaterThan(0);
  });

  it('is dated, and distinguishes guesses from published prices', () => {
    expect(PRICE_BOOK_DATE).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(isEstimatedPrice('gpt-5.4-nano')).toBe(true);
    expect(isEstimatedPrice('gpt-4o')).toBe(false);
  });
});

interface Figure {
  readonly name: string;
  readonly part: keyof UsdPrice | 'perCall';
  readonly usd: number;
  readonly source: string;
  readonly date: string;
}

const FIGURES: readonly Figure[] = JSON.parse(
  readFileSync(new URL('../fixtures/published-prices/figures.json', import.meta.url), 'utf8'),
);

describe('published prices', () => {
  const rows = new Map(PRICE_BOOK.flatMap((row) => row.names.map((name) => [name, row] as const)));

  it.each(FIGURES)('$name: $part is $usd USD ($source, $date)', ({ name, part, usd, date }) => {
    const row = rows.get(name);
    const prices: Readonly<Partial<Record<Figure['part'], number>>> = row ?? {};
    expect(prices[part]).toBe(usd);
    expect(row?.source, 'the row names its source').toMatch(/^\S+:\S+ 20\d\d-\d\d(-\d\d)?$/);
    expect(date <= PRICE_BOOK_DATE).toBe(true);
  });

  it.each(['rerank-v5-pro', 'rerank-v4-pro', 'MiniMax-M3.1-flash'])(
    'has no price for %s, which no vendor sells',
    (name) => {
      expect(rows.has(name)).toBe(false);
    },
  );
});

describe('price overrides', () => {
  it('replace entries of the price book and keep the rest', () => {
    const tables = mergeTables(priceBookTables(), {
      modelRatio: { 'gpt-4o': 2, house: 3 },
      cacheRatio: new Map([['gpt-4o', 0.1]]),
    });
    expect(tables.modelRatio.get('gpt-4o')).toBe(2);
    expect(tables.modelRatio.get('house')).toBe(3);
    expect(tables.cacheRatio.get('gpt-4o')).toBe(0.1);
    expect(tables.completionRatio.get('gpt-4o')).toBe(4);
    expect(priceBookTables().modelRatio.get('gpt-4o')).toBe(1.25);
  });

  it('turn a model sold per call into one sold per token', () => {
    const byToken = mergeTables(priceBookTables(), { modelRatio: { 'dall-e-3': 5 } });
    expect(byToken.modelPrice.has('dall-e-3')).toBe(false);
    const both = mergeTables(priceBookTables(), {
      modelRatio: { 'dall-e-3': 5 },
      modelPrice: { 'dall-e-3': 0.08 },
    });
    expect(both.modelPrice.get('dall-e-3')).toBe(0.08);
  });
});
