import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chargeLines, chargeOf } from '../../../src/domain/pricing/charge.ts';
import { holdOf } from '../../../src/domain/pricing/hold.ts';
import { imagePriceFactor } from '../../../src/domain/pricing/image-factors.ts';
import type { PerTokenPrice, Price } from '../../../src/domain/pricing/price.ts';
import { completeRates, TOKEN_KINDS } from '../../../src/domain/pricing/rates.ts';
import { emptyUsage, type Usage } from '../../../src/domain/pricing/usage.ts';
import { transcriptionTokens } from '../../../src/domain/token-count/token-estimate.ts';
import { perToken, priceOf, tablesWith, UNIT } from './price-tables.ts';

function used(usage: Partial<Usage>): Usage {
  return { ...emptyUsage(), ...usage };
}

const WORKED_EXAMPLES: readonly [string, string, number, Partial<Usage>, number][] = [
  ['1: text in and out', 'gpt-4o', 1, { input: 1000, output: 500 }, 3750],
  ['2: cache and group', 'gpt-4o-mini', 0.8, { input: 500, cacheRead: 1500, output: 100 }, 99],
  [
    '3: Claude with cache reads and writes',
    'claude-3-5-sonnet',
    1,
    { input: 100, cacheRead: 2000, cacheWrite: 400, output: 300 },
    3450,
  ],
  ['4: a drawing task', 'mj_imagine', 1.5, {}, 75_000],
  [
    '6: audio in and out',
    'gpt-4o-audio-preview',
    1,
    { input: 100, output: 20, audioInput: 50, audioOutput: 30 },
    2425,
  ],
  [
    '7: a transcription by its length',
    'whisper-1',
    1,
    { input: transcriptionTokens(61.2) },
    15_495,
  ],
  ['8: a tenth of a unit is charged as one', 'text-embedding-3-small', 1, { input: 10 }, 1],
  [
    'searches cost what the vendor asks, whatever the model',
    'claude-3-5-sonnet',
    0.8,
    { input: 100, webSearches: 3 },
    (100 * 1.5 + 3 * 0.01 * UNIT) * 0.8,
  ],
  [
    'files that are searched and containers that run code likewise',
    'gpt-4o',
    2,
    { input: 100, fileSearches: 4, codeSessions: 2 },
    (100 * 1.25 + (4 * 0.0025 + 2 * 0.03) * UNIT) * 2,
  ],
];

describe('service tiers', () => {
  const tierRatios = { 'gpt-5.5': { flex: 0.5, priority: 2.5 } };
  const price = priceOf('gpt-5.5', tablesWith({ modelRatio: { 'gpt-5.5': 2 }, tierRatios }));
  const plain = used({ input: 1000, webSearches: 1 });

  it.each([
    [undefined, 2000],
    ['flex', 1000],
    ['priority', 5000],
    ['scale', 2000],
    ['constructor', 2000],
  ])('%s changes the price of tokens and not that of searches', (tier, tokens) => {
    const usage = tier === undefined ? plain : { ...plain, tier };
    expect(chargeOf(price, 1, usage, UNIT).units).toBe(tokens + 0.01 * UNIT);
  });

  it('a hold covers a dearer tier, but does not rely on a cheaper one', () => {
    const hold = (tier: string) =>
      holdOf(price, 1, { promptTokens: 1000, maxTokens: 0, preConsumedTokens: 0, tier }, UNIT);
    expect([hold('priority'), hold('flex')]).toEqual([6250, 2500]);
  });
});

describe('charges of the worked examples', () => {
  it.each(WORKED_EXAMPLES)('worked example %s', (_name, model, group, usage, units) => {
    // The example was computed at this ratio, five times what the vendor asks.
    const tables = tablesWith({ modelRatio: { 'whisper-1': 15 } });
    expect(chargeOf(priceOf(model, tables), group, used(usage), UNIT).units).toBe(units);
  });

  it('worked example 5: images by size, quality and number', () => {
    const calls = imagePriceFactor({ model: 'dall-e-3', size: '1024x1792', quality: 'hd', n: 2 });
    expect(chargeOf(priceOf('dall-e-3'), 1, emptyUsage(), UNIT, calls).units).toBe(120_000);
    expect(imagePriceFactor({ model: 'dall-e-2', size: '256x256', n: 3 })).toBe(1.2);
    expect(imagePriceFactor({ model: 'gpt-image-2', size: '2048x2048', quality: 'hd' })).toBe(1);
  });

  it('agrees with the price calculation of the dashboard', () => {
    const plain = perToken({ model_ratio: 0.075, completion_ratio: 4, cache_ratio: 0.5 });
    expect(chargeOf(plain, 1, used({ input: 600, cacheRead: 400, output: 200 }), UNIT).units).toBe(
      120,
    );

    const claude = perToken({ model_ratio: 1.5, completion_ratio: 5, cache_ratio: 0.1 });
    const charge = chargeOf(
      claude,
      1,
      used({ input: 100, cacheRead: 2000, cacheWrite5m: 500, output: 300 }),
      UNIT,
    );
    expect(charge.exactUnits).toBe('3637.5');
    expect(charge.units).toBe(3638);

    const call: Price = { kind: 'per_call', name: 'm', rule: 'requested', model_price: 0.02 };
    expect(chargeOf(call, 1.5, emptyUsage(), UNIT).units).toBe(15_000);
  });
});

describe('the parts of a charge', () => {
  it('prices one-hour cache writes at twice the input, five-minute ones at 1.25', () => {
    const price = priceOf('claude-sonnet-4-5');
    const usage = used({ cacheWrite: 100, cacheWrite5m: 300, cacheWrite1h: 1000 });
    expect(chargeLines(price, 1, usage, UNIT)).toEqual([
      { kind: 'cache_write', tokens: 400, usdEach: 3.75, units: '750' },
      { kind: 'cache_write_1h', tokens: 1000, usdEach: 6, units: '3000' },
    ]);
  });

  it('never charges for reasoning twice', () => {
    const price = perToken({ completion_ratio: 4 });
    const withReasoning = chargeOf(price, 1, used({ output: 100, reasoning: 90 }), UNIT);
    expect(withReasoning.units).toBe(400);
  });

  it.each([
    ['model ratio 0', perToken({ model_ratio: 0 }), 1],
    ['group ratio 0', perToken({}), 0],
    ['price 0', { kind: 'per_call', name: 'm', rule: 'requested', model_price: 0 } as const, 1],
  ])('%s is free', (_name, price, group) => {
    expect(chargeOf(price, group, used({ input: 1_000_000 }), UNIT).units).toBe(0);
    expect(holdOf(price, group, { promptTokens: 1_000_000, preConsumedTokens: 500 }, UNIT)).toBe(0);
  });

  it('charges no tokens for an empty usage, and the full price per call all the same', () => {
    expect(chargeOf(perToken({}), 1, emptyUsage(), UNIT)).toEqual({
      units: 0,
      exactUnits: '0',
    });
    expect(chargeLines(perToken({}), 1, emptyUsage(), UNIT)).toEqual([]);
    const call: Price = { kind: 'per_call', name: 'm', rule: 'requested', model_price: 0.1 };
    expect(chargeOf(call, 1, emptyUsage(), UNIT).units).toBe(50_000);
    expect(chargeOf(call, 1, emptyUsage(), UNIT, 0).units).toBe(0);
  });

  it('charges one unit when only free parts of a paid model were used', () => {
    expect(chargeOf(perToken({ cache_ratio: 0 }), 1, used({ cacheRead: 50 }), UNIT).units).toBe(1);
  });
});

describe('rounding', () => {
  it('keeps the USD price if the number of units per USD changes', () => {
    const price = perToken({ model_ratio: 1.25 });
    expect(chargeOf(price, 1, used({ input: 1_000_000 }), 1_000_000).units).toBe(2_500_000);
  });

  it('rounds halves up where a double would fall below them', () => {
    // 1.005 x 100 is 100.49999999999999 in floating point.
    expect(chargeOf(perToken({ model_ratio: 1.005 }), 1, used({ input: 100 }), UNIT).units).toBe(
      101,
    );
  });

  it('treats computed quotients as exact', () => {
    const third = perToken({ model_ratio: 0.375, completion_ratio: 4 / 3 });
    expect(chargeOf(third, 1, used({ output: 3 }), UNIT)).toMatchObject({
      units: 2,
      exactUnits: '1.5',
    });
  });
});

const anyRate = fc.nat(50_000_000).map((millionths) => millionths / 1e6);
const anyGroup = fc.nat(500).map((hundredths) => hundredths / 100);
const anyCount = fc.nat(2_000_000);
const anyPrice = fc
  .record(Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, anyRate])))
  .map((rates) => perToken({}, { rates: completeRates(rates, 'm') }));
const anyUsage = fc
  .record({
    input: anyCount,
    cacheRead: anyCount,
    cacheWrite5m: anyCount,
    cacheWrite1h: anyCount,
    audioInput: anyCount,
    output: anyCount,
    audioOutput: anyCount,
    imageOutput: anyCount,
  })
  .map(used);

/** The same charge with every rate as a whole number of millionths of a dollar. */
function chargeInMillionths({ rates }: PerTokenPrice, groupRatio: number, usage: Usage): bigint {
  const millionths = (value: number) => BigInt(Math.round(value * 1e6));
  const million = 1_000_000n;
  const weight =
    BigInt(usage.input) * millionths(rates.input) +
    BigInt(usage.cacheRead) * millionths(rates.cache_read) +
    BigInt(usage.cacheWrite5m) * millionths(rates.cache_write) +
    BigInt(usage.cacheWrite1h) * millionths(rates.cache_write_1h) +
    BigInt(usage.audioInput) * millionths(rates.audio_input) +
    BigInt(usage.output) * millionths(rates.output) +
    BigInt(usage.imageOutput) * millionths(rates.image_output) +
    BigInt(usage.audioOutput) * millionths(rates.audio_output);
  const scaled = weight * millionths(groupRatio) * BigInt(UNIT);
  const scale = million ** 3n;
  const rounded = scaled / scale + ((scaled % scale) * 2n >= scale ? 1n : 0n);
  const isUsed = Object.values(usage).some((count) => count > 0);
  const isFree = TOKEN_KINDS.every((kind) => rates[kind] === 0) || groupRatio === 0;
  return isUsed && !isFree && rounded === 0n ? 1n : rounded;
}

describe('charges of any price and usage', () => {
  it('equal an independent computation in whole numbers', () => {
    fc.assert(
      fc.property(anyPrice, anyGroup, anyUsage, (price, groupRatio, usage) => {
        const { units } = chargeOf(price, groupRatio, usage, UNIT);
        expect(BigInt(units)).toBe(chargeInMillionths(price, groupRatio, usage));
      }),
      { numRuns: 500 },
    );
  });

  it('are whole, and never fall when usage grows', () => {
    const field = fc.constantFrom<keyof Usage>(
      'input',
      'cacheRead',
      'cacheWrite1h',
      'output',
      'audioOutput',
    );
    fc.assert(
      fc.property(
        anyPrice,
        anyGroup,
        anyUsage,
        field,
        anyCount,
        (price, groupRatio, usage, field, more) => {
          const { units } = chargeOf(price, groupRatio, usage, UNIT);
          const larger = chargeOf(
            price,
            groupRatio,
            { ...usage, [field]: Number(usage[field]) + more },
            UNIT,
          ).units;
          expect(Number.isSafeInteger(units)).toBe(true);
          expect(larger).toBeGreaterThanOrEqual(units);
        },
      ),
    );
  });

  it('show rows that add up to the exact amount', () => {
    fc.assert(
      fc.property(anyPrice, anyUsage, (price, usage) => {
        const used = { ...usage, audioInput: 0, audioOutput: 0 };
        const { exactUnits } = chargeOf(price, 1, used, UNIT);
        const lines = chargeLines(price, 1, used, UNIT);
        const scaled = (text: string) => {
          const [whole = '0', fraction = ''] = text.split('.');
          return BigInt(whole + fraction.padEnd(12, '0'));
        };
        const sum = lines.reduce((total, line) => total + scaled(line.units), 0n);
        expect(sum).toBe(scaled(exactUnits));
      }),
    );
  });
});

describe('holds', () => {
  const gpt4o = priceOf('gpt-4o');

  // The prompt may be billed as a cache write, at 1.25.
  it('worked example 9: the prompt at its highest price, max tokens at that of output', () => {
    const held = holdOf(
      gpt4o,
      1,
      { promptTokens: 200, maxTokens: 1000, preConsumedTokens: 5 },
      UNIT,
    );
    expect(held).toBe(Math.ceil(200 * 1.25 * 1.25) + 1000 * 1.25 * 4);
  });

  it('worked example 10: a smaller charge refunds the rest', () => {
    const input = { promptTokens: 200, maxTokens: 1000, preConsumedTokens: 0 };
    const charged = chargeOf(gpt4o, 1, used({ input: 320, output: 100 }), UNIT).units;
    expect(charged - holdOf(gpt4o, 1, input, UNIT)).toBe(-4413);
  });

  it('covers every choice: the output limit once for each, the prompt once', () => {
    const input = { promptTokens: 200, maxTokens: 1000, preConsumedTokens: 0, answers: 128 };
    expect(holdOf(gpt4o, 1, input, UNIT)).toBe(313 + 128 * 1000 * 1.25 * 4);
    const noLimit = { promptTokens: 200, preConsumedTokens: 500, answers: 3 };
    expect(holdOf(gpt4o, 1, noLimit, UNIT)).toBe(313 + 3 * 500 * 1.25);
  });

  it('is never less than the charge for all that was requested, however it is billed', () => {
    const share = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(
        anyPrice,
        anyGroup,
        fc.record({
          promptTokens: fc.nat(100_000),
          audioTokens: fc.nat(10_000),
          maxTokens: fc.nat(100_000),
          answers: fc.integer({ min: 1, max: 200 }),
          hasAudioAnswer: fc.boolean(),
          keepsHour: fc.boolean(),
        }),
        fc.tuple(share, share, share),
        (price, group, input, [cached, read, spoken]) => {
          const { promptTokens, audioTokens, maxTokens, answers, hasAudioAnswer, keepsHour } =
            input;
          const written = Math.floor((promptTokens * cached) / 100);
          const cacheRead = Math.floor(((promptTokens - written) * read) / 100);
          const output = maxTokens * answers;
          const audioOutput = hasAudioAnswer ? Math.floor((output * spoken) / 100) : 0;
          const usage = used({
            input: promptTokens - written - cacheRead,
            [keepsHour ? 'cacheWrite1h' : 'cacheWrite5m']: written,
            cacheRead,
            audioInput: audioTokens,
            output: output - audioOutput,
            audioOutput,
          });
          expect(holdOf(price, group, input, UNIT)).toBeGreaterThanOrEqual(
            chargeOf(price, group, usage, UNIT).units,
          );
        },
      ),
    );
  });

  it('uses the configured tokens if the request sets no limit', () => {
    expect(holdOf(gpt4o, 1, { promptTokens: 200, preConsumedTokens: 500 }, UNIT)).toBe(938);
    expect(holdOf(gpt4o, 2, { promptTokens: 200, preConsumedTokens: 0 }, UNIT)).toBe(625);
  });

  it('is at least one unit, and the full price per call', () => {
    expect(
      holdOf(priceOf('text-embedding-3-small'), 1, { promptTokens: 3, preConsumedTokens: 0 }, UNIT),
    ).toBe(1);
    expect(
      holdOf(priceOf('dall-e-3'), 1, { promptTokens: 9, preConsumedTokens: 0, calls: 6 }, UNIT),
    ).toBe(120_000);
  });

  it('stays a whole number for absurd requests', () => {
    const input = { promptTokens: Number.NaN, maxTokens: Number.MAX_VALUE, preConsumedTokens: 0 };
    expect(holdOf(gpt4o, 1, input, UNIT)).toBe(Number.MAX_SAFE_INTEGER);
    expect(holdOf(gpt4o, 1, { ...input, maxTokens: -5 }, UNIT)).toBe(1);
  });
});
