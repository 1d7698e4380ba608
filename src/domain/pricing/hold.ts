/** Computes the units to hold before a call. */
import { positiveCount, TOOLS, unitFactors, usdPerUse, wholeUnits } from './charge.ts';
import { add, multiply, type Rational, rationalOf } from './decimal.ts';
import { isFree, type PerTokenPrice, type Price, type ToolRates } from './price.ts';
import type { TokenRates } from './rates.ts';
import { highestRates } from './variants.ts';

export interface HoldInput {
  /** Prompt tokens without audio. */
  readonly promptTokens: number;
  readonly audioTokens?: number;
  /** The prompt requests the vendor's one-hour cache, whose writes cost more. */
  readonly keepsHour?: boolean;
  /** Output limit of one answer; undefined if unknown. */
  readonly maxTokens?: number | undefined;
  /** Option PreConsumedQuota, in tokens: held for an answer without a limit. */
  readonly preConsumedTokens?: number;
  /** The number of requested answers; the limit applies to each. */
  readonly answers?: number;
  /** Whether the answer may be audio. */
  readonly hasAudioAnswer?: boolean;
  /** Requested tier; only a more expensive one changes the hold, as a cheaper one may not apply. */
  readonly tier?: string | undefined;
  /** The most uses of the vendor's tools. */
  readonly uses?: ToolRates;
  /** For prices per call: images, or any factor as in `chargeOf`. */
  readonly calls?: number;
}

/**
 * Units to hold before the call: the prompt once and every answer at its full length, each at the
 * most expensive token type it can be billed as. Usage within these tokens is never charged more,
 * because both are rounded the same way.
 */
export function holdOf(
  price: Price,
  groupRatio: number,
  input: HoldInput,
  quotaPerUnit: number,
): number {
  const { perUsd, perTokenRate } = unitFactors(price, groupRatio, quotaPerUnit);
  const exact =
    price.kind === 'per_call'
      ? multiply(rationalOf(price.model_price), rationalOf(positiveCount(input.calls ?? 1)), perUsd)
      : withTools(multiply(tokenWeight(price, input), perTokenRate), price, input, perUsd);
  return wholeUnits(exact, isFree(price, groupRatio));
}

/** Tokens times USD per million. */
function tokenWeight(price: PerTokenPrice, input: HoldInput): Rational {
  const promptTokens = positiveCount(input.promptTokens) + positiveCount(input.audioTokens ?? 0);
  const rates = highestRates(price, { promptTokens, tier: input.tier });
  return add(promptWeight(rates, input), outputWeight(rates, input));
}

/** Adds the uses of tools. */
function withTools(
  tokens: Rational,
  { tools }: PerTokenPrice,
  { uses }: HoldInput,
  perUsd: Rational,
): Rational {
  let sum = tokens;
  for (const tool of TOOLS) {
    const count = positiveCount(uses?.[tool] ?? 0);
    if (count > 0)
      sum = add(sum, multiply(rationalOf(count), rationalOf(usdPerUse(tools, tool)), perUsd));
  }
  return sum;
}

function promptWeight(rates: TokenRates, input: HoldInput): Rational {
  const { promptTokens, audioTokens = 0, keepsHour = false } = input;
  const highest = Math.max(
    rates.input,
    rates.image_input,
    rates.cache_read,
    rates.cache_write,
    keepsHour ? rates.cache_write_1h : 0,
  );
  const text = multiply(rationalOf(positiveCount(promptTokens)), rationalOf(highest));
  if (positiveCount(audioTokens) === 0) return text;
  const audio = rationalOf(Math.max(highest, rates.audio_input));
  return add(text, multiply(rationalOf(positiveCount(audioTokens)), audio));
}

/**
 * Whether a write to the one-hour cache may cost more than any other prompt token, so that the hold
 * depends on it.
 */
export function chargesMoreByHour(price: Price): boolean {
  if (price.kind === 'per_call') return false;
  if (price.byAnswer !== undefined) return true;
  const { input, image_input, cache_read, cache_write, cache_write_1h } = price.rates;
  return cache_write_1h > Math.max(input, image_input, cache_read, cache_write);
}

function outputWeight(rates: TokenRates, input: HoldInput): Rational {
  const { maxTokens, preConsumedTokens = 0, answers = 1, hasAudioAnswer = false } = input;
  const written = Math.max(rates.output, rates.image_output);
  const highest = hasAudioAnswer ? Math.max(written, rates.audio_output) : written;
  const each =
    maxTokens === undefined
      ? // PreConsumedQuota counts tokens at the input price.
        multiply(rationalOf(positiveCount(preConsumedTokens)), rationalOf(rates.input))
      : multiply(rationalOf(positiveCount(maxTokens)), rationalOf(highest));
  return answers === 1 ? each : multiply(each, rationalOf(Math.max(1, positiveCount(answers))));
}
