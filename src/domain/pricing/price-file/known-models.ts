/** Combines a price from a file with the model's existing price. */

import type { Rates, RateVariant } from '../catalog/model-entry.ts';
import { RATE_KINDS } from '../catalog/rate-kinds.ts';
import type { ListPrice } from '../price.ts';
import { movedVariants } from '../price-tables.ts';
import { completeRates, times } from '../rates.ts';
import {
  type FilePrice,
  type FilePrices,
  type FileRatios,
  fieldOutOfRange,
  type SkippedPrice,
} from './row.ts';

/** The current price, as the management API shows it. */
export interface KnownPrice {
  readonly source: 'override' | 'catalog' | 'fallback' | 'unset';
  readonly rates: Rates;
  readonly variants: readonly RateVariant[];
}

/** A whole price that a file leads to. */
export interface ImportedRates {
  readonly model: string;
  readonly rates: Rates;
  readonly variants: RateVariant[];
}

/** Skips entries that give only ratios for a model without an input price. */
export function pricesForKnownModels(
  { prices, skipped }: FilePrices,
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
  return {
    prices: sorted.flatMap((entry) => ('reason' in entry ? [] : entry)),
    skipped: [...skipped, ...sorted.flatMap((entry) => ('reason' in entry ? entry : []))],
  };
}

function ownPrice(known: KnownPrice | undefined): ListPrice | undefined {
  return known?.source === 'override' || known?.source === 'catalog' ? known : undefined;
}

/**
 * Rates that the file does not name keep their amount in USD. Undefined if the file has only ratios,
 * and there is no input price that they could relate to.
 */
function onKnown(price: FilePrice, known: ListPrice | undefined): ImportedRates | undefined {
  const { model } = price;
  const before = known?.rates ?? {};
  const given = ratesOfFile(price, completeRates(before, model).input);
  if (given === undefined) return undefined;
  const kept = isSameUnit(given, before) ? before : toolsIn(before);
  const rates = { ...kept, ...cappedCache(kept, given), ...given };
  const isMoved = given.input !== undefined && given.input !== kept.input;
  const variants = kept === before ? (known?.variants ?? []) : [];
  const others = variants.filter(
    ({ when }) => !price.variants?.some((own) => isSame(own.when, when)),
  );
  const moved = isMoved
    ? movedVariants(completeRates(before, model), completeRates(rates, model), others)
    : others;
  return { model, rates, variants: [...moved, ...(price.variants ?? [])] };
}

/** Undefined if ratios have nothing to be relative to. */
function ratesOfFile({ rates, ratios = {} }: FilePrice, knownInput: number): Rates | undefined {
  if (rates.call !== undefined || Object.keys(ratios).length === 0) return rates;
  const base = ratios.ratio === undefined ? undefined : times(2, ratios.ratio);
  const input = rates.input ?? base ?? (knownInput > 0 ? knownInput : undefined);
  if (input === undefined) return undefined;
  return { ...(base !== undefined && { input: base }), ...relativeRates(input, ratios), ...rates };
}

function relativeRates(input: number, ratios: FileRatios): Rates {
  const { completion, cache, cacheWrite, audio, audioCompletion } = ratios;
  const audioInput = audio === undefined ? undefined : times(input, audio);
  const spoken = audioInput ?? times(input, USUAL_AUDIO);
  return {
    ...(completion !== undefined && { output: times(input, completion) }),
    ...(cache !== undefined && { cache_read: times(input, cache) }),
    ...(cacheWrite !== undefined && { cache_write: times(input, cacheWrite) }),
    ...(audioInput !== undefined && { audio_input: audioInput }),
    ...(audioCompletion !== undefined && { audio_output: times(spoken, audioCompletion) }),
  };
}

const USUAL_AUDIO = 20;
const UNITS = ['input', 'second', 'character', 'call'] as const;

/** Whether both are charged by the same unit; a price without one only changes others. */
function isSameUnit(given: Rates, before: Rates): boolean {
  const unitIn = (rates: Rates) => UNITS.find((unit) => rates[unit] !== undefined);
  return unitIn(given) === undefined || unitIn(given) === unitIn(before);
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

function isSame(one: RateVariant['when'], other: RateVariant['when']): boolean {
  const text = (when: RateVariant['when']) => JSON.stringify(Object.entries(when).sort());
  return text(one) === text(other);
}

/** A rate that an import would change; null is no rate of its own. */
export interface RateChange {
  readonly field: (typeof RATE_KINDS)[number];
  /** Absent for the general rate. */
  readonly when?: RateVariant['when'];
  readonly from: number | null;
  readonly to: number | null;
}

export function rateChanges(
  price: ListPrice,
  known: KnownPrice | undefined,
): readonly RateChange[] {
  const before = ownPrice(known) ?? { rates: {}, variants: [] };
  const conditions = [...before.variants, ...price.variants].map(({ when }) => when);
  const unique = conditions.filter(
    (when, index) => conditions.findIndex((other) => isSame(other, when)) === index,
  );
  return [
    ...changesIn(before.rates, price.rates),
    ...unique.flatMap((when) =>
      changesIn(ratesUnder(before, when), ratesUnder(price, when)).map((change) => ({
        ...change,
        when,
      })),
    ),
  ];
}

function ratesUnder({ variants }: ListPrice, when: RateVariant['when']): Rates {
  return variants.find((variant) => isSame(variant.when, when))?.rates ?? {};
}

function changesIn(before: Rates, after: Rates): readonly RateChange[] {
  return RATE_KINDS.flatMap((field) => {
    const [from, to] = [before[field] ?? null, after[field] ?? null];
    return from === to ? [] : [{ field, from, to }];
  });
}
