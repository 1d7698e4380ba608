import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { RateVariant, WeekHours } from '../../../src/domain/pricing/catalog/model-entry.ts';
import { chargeLines, chargeOf, usedRates } from '../../../src/domain/pricing/charge.ts';
import { priceHoldsUntil, priceInForce } from '../../../src/domain/pricing/find-price.ts';
import { holdOf } from '../../../src/domain/pricing/hold.ts';
import type { ListPrice, PerTokenPrice } from '../../../src/domain/pricing/price.ts';
import { mergedPrices } from '../../../src/domain/pricing/price-tables.ts';
import { ModelRatesSchema, RateVariantSchema } from '../../../src/domain/pricing/rate-schema.ts';
import { emptyUsage, type Usage } from '../../../src/domain/pricing/usage.ts';
import type { PriceMoment } from '../../../src/domain/pricing/variants.ts';
import { isWithinHours } from '../../../src/domain/pricing/week-hours.ts';
import { NOON, tablesWith, UNIT } from './price-tables.ts';

const LONG: RateVariant = {
  when: { prompt_above: 200_000 },
  rates: { input: 4, output: 18, cache_read: 0.4 },
};
const PRIORITY: RateVariant = { when: { tier: 'priority' }, factor: 2 };
const LISTED: ListPrice = {
  rates: { input: 2, output: 12, cache_read: 0.2 },
  variants: [LONG, PRIORITY],
};

function inForce(list: ListPrice, moment: Partial<PriceMoment> = {}): PerTokenPrice {
  const named = { name: 'm', rule: 'requested' } as const;
  const price = priceInForce(list, named, { atMs: NOON, ...moment });
  if (price.kind === 'per_call') throw new Error('a price per call');
  return price;
}

function usdOf(list: ListPrice, usage: Partial<Usage>, moment: Partial<PriceMoment> = {}): number {
  const charge = chargeOf(inForce(list, moment), 1, { ...emptyUsage(), ...usage }, UNIT);
  return Number(charge.exactUnits) / UNIT;
}

describe('rates of long prompts', () => {
  it('hold for the whole request above the limit, cached tokens included', () => {
    expect(usdOf(LISTED, { input: 200_000, output: 1_000 })).toBe(0.412);
    expect(usdOf(LISTED, { input: 200_001, output: 1_000 })).toBe(0.818004);
    expect(usdOf(LISTED, { input: 1, cacheRead: 200_000, output: 1_000 })).toBe(0.098004);
  });

  it('are multiplied by the factor of a service tier', () => {
    expect(usdOf(LISTED, { input: 300_000, output: 1_000, tier: 'priority' })).toBe(2.436);
  });

  it('raise a kind without a rate of its own like the input or the output', () => {
    const { rates } = usedRates(inForce(LISTED), { ...emptyUsage(), input: 200_001 });
    expect(rates).toMatchObject({ cache_write: 5, cache_write_1h: 8, image_output: 18 });
    const listed = { ...LISTED, rates: { ...LISTED.rates, cache_write: 3, audio_input: 8 } };
    const long = usedRates(inForce(listed), { ...emptyUsage(), input: 200_001 });
    expect(long.rates).toMatchObject({ cache_write: 6, audio_input: 16 });
  });

  it('hold for the part above the limit only where the vendor bills so', () => {
    const marginal: ListPrice = {
      rates: { input: 1, output: 5 },
      variants: [{ when: { prompt_above: 1_000, is_marginal: true }, rates: { input: 3 } }],
    };
    expect(usdOf(marginal, { input: 1_000, output: 100 })).toBe(0.0015);
    expect(usdOf(marginal, { input: 4_000, output: 100 })).toBe(0.0105);
    const lines = chargeLines(inForce(marginal), 1, { ...emptyUsage(), input: 4_000 }, UNIT);
    expect(lines.map(({ kind, tokens, usdEach }) => [kind, tokens, usdEach])).toEqual([
      ['input', 1_000, 1],
      ['input', 3_000, 3],
    ]);
  });

  it('are named as the condition of the rates used', () => {
    const usage = { ...emptyUsage(), input: 200_001, tier: 'priority' };
    expect(usedRates(inForce(LISTED), usage).conditions).toEqual([LONG.when, PRIORITY.when]);
    expect(usedRates(inForce(LISTED), emptyUsage()).conditions).toEqual([]);
  });
});

const OFF_PEAK: WeekHours = { zone: 'Asia/Shanghai', from: '00:30', until: '08:30' };

describe('rates of a moment or a provider', () => {
  it('change on their first day and end after their last one', () => {
    const dated: ListPrice = {
      rates: { input: 4 },
      variants: [{ when: { until: '2026-11-30' }, rates: { input: 2 } }],
    };
    const at = (atMs: number) => usdOf(dated, { input: 1_000_000 }, { atMs });
    expect(at(Date.UTC(2026, 10, 30, 23, 59))).toBe(2);
    expect(at(Date.UTC(2026, 11, 1))).toBe(4);
    const price = inForce(dated);
    const tables = tablesWith({ modelRates: { m: dated } });
    expect(priceHoldsUntil(tables, price, NOON)).toBe(Date.UTC(2026, 10, 27));
  });

  it('hold in the hours of their zone', () => {
    const hourly: ListPrice = {
      rates: { input: 4, output: 8 },
      variants: [{ when: { hours: OFF_PEAK }, factor: 0.5 }],
    };
    // Shanghai is 8 hours ahead.
    const at = (hour: number, minute: number) =>
      usdOf(hourly, { input: 1_000_000 }, { atMs: Date.UTC(2026, 10, 26, hour, minute) });
    expect([at(16, 29), at(16, 30), at(0, 29), at(0, 30)]).toEqual([4, 2, 2, 4]);
    const tables = tablesWith({ modelRates: { m: hourly } });
    expect(priceHoldsUntil(tables, inForce(hourly), NOON)).toBe(NOON + 60_000);
  });

  it.each([
    ['Thursday evening', [4], 23, true],
    ['Friday at night', [4], 25, true],
    ['Thursday at night', [4], 1, false],
    ['Friday evening', [4], 47, false],
  ])('hours past midnight belong to the day on which they began: %s', (_title, days, hour, is) => {
    const hours = { zone: 'UTC', days, from: '22:00', until: '02:00' };
    expect(isWithinHours(hours, Date.UTC(2026, 10, 26, hour))).toBe(is);
  });

  it('differ by the provider type of the channel', () => {
    const hosted: ListPrice = {
      rates: { input: 0.1 },
      variants: [{ when: { provider: 'groq' }, rates: { input: 0.15 } }],
    };
    expect(usdOf(hosted, { input: 1_000_000 })).toBe(0.1);
    expect(usdOf(hosted, { input: 1_000_000 }, { provider: 'groq' })).toBe(0.15);
    expect(inForce(hosted, { provider: 'groq' }).conditions).toEqual([{ provider: 'groq' }]);
  });

  it('apply to a price per call too', () => {
    const list: ListPrice = {
      rates: { call: 0.04 },
      variants: [{ when: { from: '2026-11-01' }, rates: { call: 0.05 } }],
    };
    const named = { name: 'm', rule: 'requested' } as const;
    expect(priceInForce(list, named, { atMs: NOON })).toMatchObject({ model_price: 0.05 });
  });
});

describe('ratios of the operator', () => {
  const catalogue = new Map([['m', LISTED]]);
  const listed = (own: Parameters<typeof mergedPrices>[1]) => {
    const price = mergedPrices(catalogue, own).get('m');
    if (price === undefined) throw new Error('no price');
    return price;
  };

  it('move the rates of long prompts along', () => {
    const price = listed({ modelRatio: { m: 2 } });
    expect(price.rates).toMatchObject({ input: 4, output: 24, cache_read: 0.4 });
    expect(price.variants).toEqual([
      { when: LONG.when, rates: { input: 8, output: 36, cache_read: 0.8 } },
      PRIORITY,
    ]);
    expect(listed({ completionRatio: { m: 3 } }).variants[0]?.rates).toMatchObject({
      input: 4,
      output: 9,
    });
  });

  it('replace the tiers of the list price', () => {
    const price = listed({ tierRatios: { m: { flex: 0.5 } } });
    expect(price.variants).toEqual([LONG, { when: { tier: 'flex' }, factor: 0.5 }]);
  });

  it('change a whole price that the operator set', () => {
    const own = { rates: { input: 1, output: 3 }, variants: [] };
    expect(listed({ modelRates: { m: own } })).toEqual(own);
    expect(listed({ modelRates: { m: own }, modelRatio: { m: 1 } }).rates).toMatchObject({
      input: 2,
      output: 6,
    });
  });
});

/** Hundredths of a dollar, so that a naive sum of integers is exact. */
const cents = fc.nat(2_000);
const anyList = fc.record({
  rates: fc.record({ input: cents, output: cents, cache_read: cents }),
  long: fc.record({ input: cents, output: cents, cache_read: cents }),
  limit: fc.integer({ min: 1, max: 2_000 }),
  factor: fc.integer({ min: 0, max: 5 }),
});
const anyUse = fc.record({ input: fc.nat(3_000), cacheRead: fc.nat(3_000), output: fc.nat(3_000) });
const anyTier = fc.constantFrom('standard', 'priority');

const dollars = (rates: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(rates).map(([kind, rate]) => [kind, rate / 100]));

function priceOfCents({
  rates,
  long,
  limit,
  factor,
}: typeof anyList extends fc.Arbitrary<infer T> ? T : never) {
  return inForce({
    rates: dollars(rates),
    variants: [
      { when: { prompt_above: limit }, rates: dollars(long) },
      { when: { tier: 'priority' }, factor },
    ],
  });
}

test('any charge equals an independent sum of integers', () => {
  fc.assert(
    fc.property(anyList, anyUse, anyTier, (list, use, tier) => {
      const rates = use.input + use.cacheRead > list.limit ? list.long : list.rates;
      const sum =
        use.input * rates.input + use.cacheRead * rates.cache_read + use.output * rates.output;
      // Cents per million tokens, at 500,000 units to the dollar: 200 to the unit.
      const exact = sum * (tier === 'priority' ? list.factor : 1);
      const rounded = Math.floor((exact + 100) / 200);
      const isUsed = use.input + use.cacheRead + use.output > 0;
      const usage = { ...emptyUsage(), ...use, tier };
      const { units } = chargeOf(priceOfCents(list), 1, usage, UNIT);
      expect(units).toBe(isUsed ? Math.max(1, rounded) : 0);
    }),
    { numRuns: 500 },
  );
});

test('no charge within the bounds of a hold is above it, whichever rates apply', () => {
  fc.assert(
    fc.property(anyList, anyUse, anyTier, (list, use, tier) => {
      const price = priceOfCents(list);
      const promptTokens = use.input + use.cacheRead;
      const hold = holdOf(price, 1, { promptTokens, maxTokens: use.output, tier }, UNIT);
      for (const served of ['standard', tier]) {
        const usage = { ...emptyUsage(), ...use, tier: served };
        expect(chargeOf(price, 1, usage, UNIT).units).toBeLessThanOrEqual(hold);
      }
    }),
    { numRuns: 500 },
  );
});

describe('the schema of a price', () => {
  it.each([
    [{ when: {}, factor: 2 }],
    [{ when: { tier: 'flex' } }],
    [{ when: { is_marginal: true }, rates: { input: 1 } }],
    [{ when: { prompt_above: 5, is_marginal: true }, rates: { output: 1 } }],
    [{ when: { provider: 'unknown' }, factor: 2 }],
    [{ when: { from: '2026-13-01' }, factor: 2 }],
    [{ when: { hours: { zone: 'Mars/North', from: '00:00', until: '01:00' } }, factor: 2 }],
    [{ when: { tier: 'flex' }, rates: { input: -1 } }],
    [{ when: { tier: 'flex' }, rates: { tokens: 1 } }],
  ])('refuses the variant %j', (variant) => {
    expect(RateVariantSchema.safeParse(variant).success).toBe(false);
  });

  it('requires one unit to charge by', () => {
    const isPrice = (rates: object) => ModelRatesSchema.safeParse({ rates }).success;
    expect([{ input: 1 }, { second: 1 }, { call: 1 }].every(isPrice)).toBe(true);
    expect([{}, { output: 1 }, { input: 1, call: 1 }].some(isPrice)).toBe(false);
  });
});
