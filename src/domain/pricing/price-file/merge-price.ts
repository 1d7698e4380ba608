/** Combines a price from a file with the model's existing price. */

import type { Rates, RateVariant } from '../catalog/model-entry.ts';
import type { ListPrice } from '../price.ts';
import { movedVariants } from '../price-tables.ts';
import { completeRates, type TokenRates, times } from '../rates.ts';
import { isSameUnit, withVariants } from './accept-price.ts';
import { withHostPrices } from './host-prices.ts';
import { type KnownPrice, ownPrice } from './rate-changes.ts';
import {
  type FilePrice,
  type FilePrices,
  type FileRatios,
  fieldOutOfRange,
  type ImportedRates,
  type SkippedPrice,
} from './row.ts';

/**
 * Skips entries that give only ratios for a model without an input price.
 * @param knownOf the current price of a model, also by another of its names.
 */
export function pricesForKnownModels(
  { prices, hosted = [], skipped }: FilePrices,
  knownOf: (model: string) => KnownPrice | undefined,
): { readonly prices: readonly ImportedRates[]; readonly skipped: FilePrices['skipped'] } {
  const merged = prices.map((price) => ({
    model: price.model,
    price: onKnown(price, ownPrice(knownOf(price.model))),
  }));
  const sorted = merged.map(({ model, price }): ImportedRates | SkippedPrice => {
    if (price === undefined) return { model, reason: 'no_base' };
    const field = fieldOutOfRange(price);
    return field === undefined ? price : { model, reason: 'out_of_range', field };
  });
  const listed = sorted.flatMap((entry) => ('reason' in entry ? [] : entry));
  const withHosts = withHostPrices(listed, hosted, knownOf);
  return {
    prices: withHosts.prices,
    skipped: [
      ...skipped,
      ...sorted.flatMap((entry) => ('reason' in entry ? entry : [])),
      ...withHosts.skipped,
    ],
  };
}

/**
 * Rates that the file does not name keep their amount in USD. Undefined if the file has only ratios,
 * and there is no input price that they could relate to.
 */
function onKnown(price: FilePrice, known: ListPrice | undefined): ImportedRates | undefined {
  const { model } = price;
  const before = known?.rates ?? {};
  const given = ratesOfFile(price, before);
  if (given === undefined) return undefined;
  const kept = isSameUnit(given, before) ? before : toolsIn(before);
  const rates = { ...kept, ...cappedCache(kept, given), ...given };
  const isMoved = given.input !== undefined && given.input !== kept.input;
  const listed = price.variants ?? [];
  if (kept !== before) return { model, rates, variants: [...listed] };
  const variants = withVariants(
    { rates, variants: movedWith(model, rates, known, isMoved) },
    listed,
  );
  return { model, rates, variants: [...variants] };
}

/** The price of a host does not follow that of the maker. */
function movedWith(
  model: string,
  rates: Rates,
  known: ListPrice | undefined,
  isMoved: boolean,
): readonly RateVariant[] {
  if (known === undefined || !isMoved) return known?.variants ?? [];
  const [before, after] = [completeRates(known.rates, model), completeRates(rates, model)];
  return known.variants.flatMap((variant) =>
    variant.when.provider === undefined ? movedVariants(before, after, [variant]) : [variant],
  );
}

/** Undefined if ratios have nothing to be relative to. */
function ratesOfFile({ model, rates, ratios = {} }: FilePrice, before: Rates): Rates | undefined {
  if (rates.call !== undefined || Object.keys(ratios).length === 0) return rates;
  const own = rates.input ?? (ratios.ratio === undefined ? undefined : times(2, ratios.ratio));
  const known = completeRates(own === undefined ? before : { ...before, input: own }, model);
  if (own === undefined && known.input === 0) return undefined;
  return { ...(own !== undefined && { input: own }), ...relativeRates(known, ratios), ...rates };
}

/** @param known the rates that the ratios relate to, unless another ratio gives one of them. */
function relativeRates(known: TokenRates, ratios: FileRatios): Rates {
  const { input } = known;
  const { completion, cache, cacheWrite, audio, audioCompletion } = ratios;
  const audioInput = audio === undefined ? known.audio_input : times(input, audio);
  return {
    ...(completion !== undefined && { output: times(input, completion) }),
    ...(cache !== undefined && { cache_read: times(input, cache) }),
    ...(cacheWrite !== undefined && { cache_write: times(input, cacheWrite) }),
    ...(audio !== undefined && { audio_input: audioInput }),
    ...(audioCompletion !== undefined && { audio_output: times(audioInput, audioCompletion) }),
  };
}

const TOOLS: readonly string[] = ['web_search', 'file_search', 'code_session'];

function toolsIn(rates: Rates): Rates {
  return Object.fromEntries(Object.entries(rates).filter(([kind]) => TOOLS.includes(kind)));
}

/** Cached input never costs more than other input. */
function cappedCache({ cache_read }: Rates, { input }: Rates): Rates {
  if (cache_read === undefined || input === undefined || cache_read <= input) return {};
  return { cache_read: input };
}
