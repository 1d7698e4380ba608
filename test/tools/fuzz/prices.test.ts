/** Charges are exact for every typed ratio and never negative for any upstream usage. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { readAnthropicUsage } from '../../../src/dialects/anthropic/usage.ts';
import { readConverseUsage } from '../../../src/dialects/converse/usage.ts';
import { readGeminiUsage } from '../../../src/dialects/gemini/usage.ts';
import { readResponsesUsage } from '../../../src/dialects/responses/usage.ts';
import { chargeOf } from '../../../src/domain/pricing/charge.ts';
import {
  add,
  decimalText,
  divide,
  multiply,
  nearestNumber,
  rationalOf,
  roundHalfUp,
} from '../../../src/domain/pricing/decimal.ts';
import { holdOf } from '../../../src/domain/pricing/hold.ts';
import type { Price } from '../../../src/domain/pricing/price.ts';
import { completeRates, TOKEN_KINDS } from '../../../src/domain/pricing/rates.ts';
import {
  emptyUsage,
  readOpenAiUsage,
  totalInput,
  totalOutput,
  type Usage,
} from '../../../src/domain/pricing/usage.ts';
import { holds } from './holds.ts';

/** Values that an upstream may send in place of a count. */
const count = fc.oneof(
  fc.nat(2_000_000),
  fc.constantFrom(
    -1,
    0.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e300,
    2 ** 53,
    '12',
    '1e999',
    null,
    {},
    [],
  ),
);
const COUNTS = [
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'reasoning_tokens',
  'promptTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'cachedContentTokenCount',
  'inputTokens',
  'outputTokens',
  'cacheReadInputTokens',
  'prompt_cache_hit_tokens',
  'prompt_cache_miss_tokens',
  'audio_tokens',
  'image_tokens',
  'num_sources_used',
];
const counts = fc.dictionary(fc.constantFrom(...COUNTS), count, { maxKeys: 8 });
const rawUsage = fc
  .record(
    {
      plain: counts,
      prompt_tokens_details: fc.oneof(counts, count),
      completion_tokens_details: fc.oneof(counts, count),
      input_tokens_details: fc.oneof(counts, count),
      cache_creation: fc.dictionary(
        fc.constantFrom('ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'),
        count,
      ),
      server_tool_use: fc.dictionary(fc.constantFrom('web_search_requests'), count),
      promptTokensDetails: fc.array(
        fc.record({
          modality: fc.constantFrom('TEXT', 'AUDIO', 'IMAGE', 'ODD'),
          tokenCount: count,
        }),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: ['plain'] },
  )
  .map(({ plain, ...rest }) => ({ ...plain, ...rest }));

const READERS: Readonly<
  Record<string, (raw: Readonly<Record<string, unknown>>) => Usage | undefined>
> = {
  openai: readOpenAiUsage,
  anthropic: readAnthropicUsage,
  gemini: readGeminiUsage,
  converse: readConverseUsage,
  responses: (usage) => readResponsesUsage({ usage, output: [] }),
};

const rate = fc.oneof(
  fc.nat(5_000_000).map((millionths) => millionths / 1e6),
  fc.constantFrom(0, 1, 4 / 3, 0.1, 37.5, 1e-9, 1e6),
);
const tools = { web_search: 10, file_search: 2.5, code_session: 30 };
const variants = [
  { when: { prompt_above: 1000 }, rates: { input: 3, output: 9 } },
  { when: { prompt_above: 5000, is_marginal: true as const }, rates: { input: 7 } },
  { when: { tier: 'flex' }, factor: 0.5 },
  { when: { tier: 'priority' }, factor: 2.5 },
];
const price: fc.Arbitrary<Price> = fc.oneof(
  fc.record({
    kind: fc.constant('per_call' as const),
    name: fc.constant('m'),
    rule: fc.constant('requested' as const),
    model_price: rate,
  }),
  fc
    .record({
      name: fc.constantFrom('m', 'gpt-4o', 'claude-sonnet-4'),
      base: fc.record(Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, rate]))),
      variants: fc.subarray(variants),
    })
    .map(({ name, base, variants }) => ({
      kind: 'per_token' as const,
      name,
      rule: 'requested' as const,
      rates: completeRates(base, name),
      tools,
      ...(variants.length > 0 && { byAnswer: { base, variants } }),
    })),
);
const group = fc.nat(500).map((hundredths) => hundredths / 100);

holds(
  'whatever an upstream counts is read as counts or as nothing',
  fc.property(fc.constantFrom(...Object.keys(READERS)), rawUsage, (dialect, raw) => {
    const usage = READERS[dialect]?.(raw);
    if (usage === undefined) return;
    for (const [name, value] of Object.entries(usage))
      if (name !== 'tier')
        expect(Number.isSafeInteger(value) && value >= 0, `${name} ${value}`).toBe(true);
    expect(Number.isSafeInteger(totalInput(usage) + totalOutput(usage))).toBe(true);
  }),
  { runs: 500 },
);

holds(
  'what is read is charged as whole units, at least one where anything was used and nothing is free',
  fc.property(
    fc.constantFrom(...Object.keys(READERS)),
    rawUsage,
    price,
    group,
    (dialect, raw, given, groupRatio) => {
      const usage = READERS[dialect]?.(raw) ?? emptyUsage();
      const { units } = chargeOf(given, groupRatio, usage, 500_000);
      expect(Number.isSafeInteger(units) && units >= 0).toBe(true);
      const isPaid =
        given.kind === 'per_call'
          ? given.model_price > 0
          : TOKEN_KINDS.some((kind) => given.rates[kind] > 0);
      const isUsed = given.kind === 'per_call' || totalInput(usage) + totalOutput(usage) > 0;
      if (isUsed && groupRatio > 0 && isPaid) expect(units).toBeGreaterThanOrEqual(1);
    },
  ),
  { runs: 300 },
);

holds(
  'a hold is whole, and grows with what may be used',
  fc.property(
    price,
    group,
    count,
    count,
    fc.nat(100_000),
    (given, groupRatio, prompt, most, more) => {
      const [promptTokens, maxTokens] = [Number(prompt), Number(most)];
      const call = { promptTokens, maxTokens, preConsumedTokens: 0 };
      const units = holdOf(given, groupRatio, call, 500_000);
      expect(Number.isSafeInteger(units) && units >= 0).toBe(true);
      fc.pre(promptTokens >= 0 && promptTokens < 1e12);
      const larger = holdOf(
        given,
        groupRatio,
        { ...call, promptTokens: promptTokens + more },
        500_000,
      );
      expect(larger).toBeGreaterThanOrEqual(units);
    },
  ),
  { runs: 300 },
);

holds(
  'a tier and a group multiply the charge, in whichever order',
  fc.property(rate, fc.nat(1_000_000), fc.constantFrom(1, 2, 3), (inputRate, input, factor) => {
    const base = { input: inputRate };
    const given = {
      kind: 'per_token' as const,
      name: 'm',
      rule: 'requested' as const,
      rates: completeRates(base, 'm'),
      tools,
      byAnswer: { base, variants: [{ when: { tier: 'priority' }, factor }] },
    };
    const usage = { ...emptyUsage(), input };
    const byTier = chargeOf(given, 1, { ...usage, tier: 'priority' }, 500_000);
    expect(byTier.units).toBe(chargeOf(given, factor, usage, 500_000).units);
  }),
);

/** A decimal as a person types it, and its value as two integers. */
const typed = fc
  .tuple(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }), fc.integer({ min: 0, max: 9 }))
  .map(([digits, places]) => {
    const text = String(Math.abs(digits)).padStart(places + 1, '0');
    const cut = text.length - places;
    const sign = digits < 0 ? '-' : '';
    return {
      text: `${sign}${text.slice(0, cut)}${places === 0 ? '' : `.${text.slice(cut)}`}`,
      num: BigInt(digits),
      den: 10n ** BigInt(places),
    };
  });

holds(
  'a decimal means what was typed, in every operation',
  fc.property(typed, typed, (a, b) => {
    const [x, y] = [rationalOf(Number(a.text)), rationalOf(Number(b.text))];
    expect(x.num * a.den).toBe(a.num * x.den);
    const sum = add(x, y);
    expect(sum.num * a.den * b.den).toBe((a.num * b.den + b.num * a.den) * sum.den);
    const product = multiply(x, y);
    expect(product.num * a.den * b.den).toBe(a.num * b.num * product.den);
    if (b.num !== 0n) {
      const quotient = divide(x, y);
      expect(quotient.den > 0n).toBe(true);
      expect(quotient.num * a.den * b.num).toBe(a.num * b.den * quotient.den);
    }
    expect(Number(decimalText(x))).toBe(Number(a.text) + 0);
    expect(nearestNumber(x)).toBe(Number(a.text) + 0);
  }),
  { runs: 300 },
);

holds(
  'rounding is to the nearest, halves away from zero',
  fc.property(
    fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
    fc.bigInt({ min: 1n, max: 10n ** 6n }),
    (num, den) => {
      const rounded = BigInt(roundHalfUp({ num, den }));
      const off = 2n * (num - rounded * den);
      expect(off < den || (off === den && num < 0n)).toBe(true);
      expect(-off < den || (-off === den && num > 0n)).toBe(true);
      expect(BigInt(roundHalfUp({ num: -num, den }))).toBe(-rounded);
    },
  ),
  { runs: 300 },
);
