/** Combines a price from a file with the model's existing price. */
import { divide, multiply, nearestNumber, rationalOf } from '../decimal.ts';
import { familyAudioRatio } from '../family-rules.ts';
import { DEFAULT_RATIOS, per } from '../rates.ts';
import type { FilePrice, FilePrices, SkippedPrice } from './row.ts';

/** The current price, as the management API shows it. */
export interface KnownPrice {
  readonly billing: 'per_token' | 'per_call' | 'none';
  readonly source: 'override' | 'catalog' | 'fallback' | 'unset';
  readonly model_ratio: number;
  readonly cache_ratio: number;
  readonly audio_ratio: number;
  readonly audio_completion_ratio: number;
}

/** Skips entries that give an output ratio for a model without a known input price. */
export function pricesForKnownModels(
  { prices, skipped }: FilePrices,
  knownOf: (model: string) => KnownPrice | undefined,
): FilePrices {
  const hasBase = ({ model, ...price }: FilePrice) =>
    [price.in, price.ratio, price.perCall].some((amount) => amount !== undefined) ||
    knownOf(model)?.billing === 'per_token';
  const baseless = prices.filter((price) => !hasBase(price));
  return {
    prices: prices
      .filter((price) => hasBase(price))
      .map((price) => onKnown(price, knownOf(price.model))),
    skipped: [
      ...skipped,
      ...baseless.map(({ model }): SkippedPrice => ({ model, reason: 'no_base' })),
    ],
  };
}

/**
 * Fills in the components that the file omits: a ratio based on another input price would change
 * the cost of cached and audio tokens, so it is converted to the new input price.
 */
function onKnown(price: FilePrice, known: KnownPrice | undefined): FilePrice {
  const base = price.in === undefined ? price.ratio : per(price.in, 2);
  if (!base || known?.billing !== 'per_token') return price;
  if (known.source === 'fallback' || known.source === 'unset') return price;
  const converted = (ratio: number) =>
    nearestNumber(
      divide(multiply(rationalOf(ratio), rationalOf(known.model_ratio)), rationalOf(base)),
    );
  const isNewBase = known.model_ratio !== base;
  return {
    ...price,
    ...(isNewBase && price.cache === undefined && cacheOn(known, converted)),
    ...(isNewBase && price.audio === undefined && audioOn(price.model, known, converted)),
    ...(price.audioCompletion === undefined && audioOutOn(price, known, converted)),
  };
}

type Convert = (ratio: number) => number;

/** Cached input never costs more than other input. */
function cacheOn({ cache_ratio }: KnownPrice, converted: Convert): Partial<FilePrice> {
  return cache_ratio === DEFAULT_RATIOS.cache ? {} : { cache: Math.min(1, converted(cache_ratio)) };
}

/** Left unset if the current ratio is the family's. */
function audioOn(model: string, { audio_ratio }: KnownPrice, converted: Convert) {
  return audio_ratio === familyAudioRatio(model) ? {} : { audio: converted(audio_ratio) };
}

function audioOutOn({ audio }: FilePrice, known: KnownPrice, converted: Convert) {
  const { audio_ratio, audio_completion_ratio: completion } = known;
  if (!audio || completion === DEFAULT_RATIOS.audioCompletion) return {};
  const out = multiply(rationalOf(converted(audio_ratio)), rationalOf(completion));
  return { audioCompletion: nearestNumber(divide(out, rationalOf(audio))) };
}
