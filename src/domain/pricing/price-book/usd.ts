/** Converts between stored ratios and USD per million tokens. */
import { divide, multiply, nearestNumber, rationalOf } from '../decimal.ts';
import type { PerTokenPrice } from '../pricing.ts';
import { hourCacheRatio } from './family-rules.ts';

export interface UsdPerMillion {
  readonly in: number;
  readonly out: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly audioIn: number;
  readonly audioOut: number;
}

/** A price in list form: USD per million tokens, including the group ratio. */
export function usdPerMillion(price: PerTokenPrice, groupRatio = 1): UsdPerMillion {
  const base = multiply(rationalOf(2), rationalOf(price.model_ratio), rationalOf(groupRatio));
  const usd = (...ratios: readonly number[]) =>
    nearestNumber(multiply(base, ...ratios.map(rationalOf)));
  return {
    in: usd(),
    out: usd(price.completion_ratio),
    cacheRead: usd(price.cache_ratio),
    cacheWrite: usd(price.cache_creation_ratio),
    cacheWrite1h: usd(price.cache_creation_1h_ratio ?? hourCacheRatio(price.cache_creation_ratio)),
    audioIn: usd(price.audio_ratio),
    audioOut: usd(price.audio_ratio, price.audio_completion_ratio),
  };
}

/** USD per million tokens, as published by vendors. */
export interface UsdPrice {
  readonly in: number;
  readonly out?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly audioIn?: number | undefined;
  readonly audioOut?: number | undefined;
}

export interface UsdRatios {
  readonly modelRatio: number;
  readonly completionRatio?: number;
  readonly cacheRatio?: number;
  readonly cacheCreationRatio?: number;
  readonly audioRatio?: number;
  readonly audioCompletionRatio?: number;
}

/**
 * The ratios of a published price; components that the vendor does not list are absent. Exact: the
 * ratios convert back to the same USD. No ratio can be derived from a free input, so only its 0 is
 * kept.
 */
export function ratiosOfUsd(usd: UsdPrice): UsdRatios {
  const modelRatio = nearestNumber(divide(rationalOf(usd.in), rationalOf(2)));
  if (usd.in === 0) return { modelRatio };
  return {
    modelRatio,
    ...ratioOf('completionRatio', usd.out, usd.in),
    ...ratioOf('cacheRatio', usd.cacheRead, usd.in),
    ...ratioOf('cacheCreationRatio', usd.cacheWrite, usd.in),
    ...ratioOf('audioRatio', usd.audioIn, usd.in),
    ...ratioOf('audioCompletionRatio', usd.audioOut, usd.audioIn),
  };
}

function ratioOf<K extends string>(key: K, part: number | undefined, base: number | undefined) {
  if (part === undefined || base === undefined || base === 0) return {};
  return { [key]: nearestNumber(divide(rationalOf(part), rationalOf(base))) };
}
