/**
 * The rates of a price per token, and their view as the ratios of the options `ModelRatio`,
 * `CompletionRatio` and so on. A model ratio of 1 is 2 USD per million tokens.
 */
import type { Rates } from './catalog/model-entry.ts';
import { divide, multiply, nearestNumber, ONE, rationalOf } from './decimal.ts';
import {
  familyAudioRatio,
  familyCompletionRatio,
  HOUR_CACHE_FACTOR,
  USUAL_AUDIO_RATIO,
} from './family-rules.ts';

/** Kinds of prompt tokens. */
export const INPUT_KINDS = [
  'input',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'audio_input',
  'image_input',
] as const;

export const OUTPUT_KINDS = ['output', 'audio_output', 'image_output'] as const;

/** All kinds, in the order in which a charge lists them. */
export const TOKEN_KINDS = [...INPUT_KINDS, ...OUTPUT_KINDS] as const;

export type TokenKind = (typeof TOKEN_KINDS)[number];

/** USD per million tokens of every kind. */
export type TokenRates = Readonly<Record<TokenKind, number>>;

export const DEFAULT_RATIOS = {
  completion: 1,
  cache: 1,
  cacheCreation: 1.25,
  audio: USUAL_AUDIO_RATIO,
  audioCompletion: 2,
} as const;

/** The exact product of decimals. */
export function times(...factors: readonly number[]): number {
  return nearestNumber(multiply(ONE, ...factors.map(rationalOf)));
}

/** The exact quotient of decimals; undefined for a zero divisor. */
export function per(part: number, base: number): number | undefined {
  return base === 0 ? undefined : nearestNumber(divide(rationalOf(part), rationalOf(base)));
}

/** The token rate equal to a price per second: a minute counts as 1,000 tokens. */
const TOKEN_RATE_PER_SECOND_RATE = 60_000;

/**
 * Fills in the kinds that a price does not name: output and audio by the ratios of the model's
 * family, caches by the usual ratios, images like text.
 */
export function completeRates(rates: Rates, name: string): TokenRates {
  const counted =
    rates.second === undefined ? rates.character : times(rates.second, TOKEN_RATE_PER_SECOND_RATE);
  const input = rates.input ?? counted ?? 0;
  const output =
    rates.output ?? (counted === undefined ? times(input, familyCompletionRatio(name)) : 0);
  const cacheWrite = rates.cache_write ?? times(input, DEFAULT_RATIOS.cacheCreation);
  const audioInput = rates.audio_input ?? times(input, familyAudioRatio(name));
  return {
    input,
    cache_read: rates.cache_read ?? input,
    cache_write: cacheWrite,
    cache_write_1h: rates.cache_write_1h ?? times(cacheWrite, HOUR_CACHE_FACTOR),
    audio_input: audioInput,
    image_input: rates.image_input ?? input,
    output,
    audio_output: rates.audio_output ?? times(audioInput, DEFAULT_RATIOS.audioCompletion),
    image_output: rates.image_output ?? output,
  };
}

/** The names of the management API and of log entries. */
export interface PriceRatios {
  readonly model_ratio: number;
  readonly completion_ratio: number;
  readonly cache_ratio: number;
  readonly cache_creation_ratio: number;
  readonly audio_ratio: number;
  readonly audio_completion_ratio: number;
}

/** Ratios of a free input are the defaults, because they cannot be derived from it. */
export function ratiosOf(rates: TokenRates): PriceRatios {
  const { input } = rates;
  return {
    model_ratio: per(input, 2) ?? 0,
    completion_ratio: per(rates.output, input) ?? DEFAULT_RATIOS.completion,
    cache_ratio: per(rates.cache_read, input) ?? DEFAULT_RATIOS.cache,
    cache_creation_ratio: per(rates.cache_write, input) ?? DEFAULT_RATIOS.cacheCreation,
    audio_ratio: per(rates.audio_input, input) ?? DEFAULT_RATIOS.audio,
    audio_completion_ratio:
      per(rates.audio_output, rates.audio_input) ?? DEFAULT_RATIOS.audioCompletion,
  };
}

/** Multiplies every rate. */
export function scaledRates(rates: TokenRates, factor: number): TokenRates {
  return mapRates((kind) => times(rates[kind], factor));
}

export function mapRates(rateOf: (kind: TokenKind) => number): TokenRates {
  return Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, rateOf(kind)])) as TokenRates; // every kind
}
