/**
 * The prices of a site: the list prices of the catalogue, changed by the ratios and prices that the
 * operator sets in the options.
 */
import type { Rates, RateVariant } from './catalog/model-entry.ts';
import { HOUR_CACHE_FACTOR } from './family-rules.ts';
import type { ListPrice } from './price.ts';
import {
  completeRates,
  per,
  ratiosOf,
  TOKEN_KINDS,
  type TokenKind,
  type TokenRates,
  times,
} from './rates.ts';
import { withVariant } from './variants.ts';

export interface PriceTables {
  readonly models: ReadonlyMap<string, ListPrice>;
  /** Price of models that have none. */
  readonly fallback: ListPrice | undefined;
  /** A price with the ratios that the operator set for a model. */
  readonly withOwnRatios: (model: string, price: ListPrice) => ListPrice;
  readonly groupRatio: ReadonlyMap<string, number>;
  /** Quota units per USD. */
  readonly quotaPerUnit: number;
}

type Numbers = Readonly<Record<string, number>>;

/** The price options, by model name. */
export interface OwnPrices {
  /** USD per call. */
  readonly modelPrice?: Numbers;
  readonly modelRatio?: Numbers;
  readonly completionRatio?: Numbers;
  readonly cacheRatio?: Numbers;
  readonly cacheCreationRatio?: Numbers;
  readonly audioRatio?: Numbers;
  readonly audioCompletionRatio?: Numbers;
  /** USD per 1,000 uses. */
  readonly webSearchPrice?: Numbers;
  readonly fileSearchPrice?: Numbers;
  readonly codeSessionPrice?: Numbers;
  /** By model, the factor of each service tier; replaces the tiers of the list price. */
  readonly tierRatios?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Whole prices, which replace the list price. */
  readonly modelRates?: Readonly<Record<string, ListPrice>>;
}

/** The prices of all models that have one. */
export function mergedPrices(
  catalog: ReadonlyMap<string, ListPrice>,
  own: OwnPrices,
): ReadonlyMap<string, ListPrice> {
  const models = new Map(catalog);
  const changed = new Set(Object.values(own).flatMap((entries) => Object.keys(entries ?? {})));
  for (const model of changed) {
    const price = ownPrice(catalog.get(model), own, model);
    if (price === undefined) models.delete(model);
    else models.set(model, price);
  }
  return models;
}

/** A fixed price comes before ratios, and an own ratio before a listed price per call. */
function ownPrice(
  listed: ListPrice | undefined,
  own: OwnPrices,
  model: string,
): ListPrice | undefined {
  const fixed = own.modelPrice?.[model];
  if (fixed !== undefined) return { rates: { call: fixed }, variants: [] };
  const base = own.modelRates?.[model] ?? listed;
  const isFixed = base?.rates.call !== undefined;
  if (own.modelRatio?.[model] === undefined)
    return base === undefined || isFixed ? base : withOwnRatios(base, own, model);
  return withOwnRatios(isFixed || base === undefined ? NO_RATES : base, own, model);
}

const NO_RATES: ListPrice = { rates: {}, variants: [] };

/**
 * Ratios that the operator did not set keep their relation to the input price, so a higher model
 * ratio raises every rate, also those of long prompts.
 */
export function withOwnRatios(price: ListPrice, own: OwnPrices, model: string): ListPrice {
  const rates = ownRates(price.rates, own, model);
  const tiers = own.tierRatios?.[model];
  const kept =
    tiers === undefined ? price.variants : price.variants.filter(({ when }) => !when.tier);
  const ownTiers = Object.entries(tiers ?? {}).map(
    ([tier, factor]): RateVariant => ({ when: { tier }, factor }),
  );
  const [before, after] = [completeRates(price.rates, model), completeRates(rates, model)];
  return {
    rates: { ...rates, ...ownTools(own, model) },
    variants: [...(rates === price.rates ? kept : movedVariants(before, after, kept)), ...ownTiers],
  };
}

function ownRates(before: Rates, own: OwnPrices, model: string): Rates {
  const ratio = own.modelRatio?.[model];
  const completion = own.completionRatio?.[model];
  const cache = own.cacheRatio?.[model];
  const cacheCreation = own.cacheCreationRatio?.[model];
  const audio = own.audioRatio?.[model];
  const audioCompletion = own.audioCompletionRatio?.[model];
  const all = [ratio, completion, cache, cacheCreation, audio, audioCompletion];
  if (all.every((value) => value === undefined)) return before;
  const rates = ratio === undefined ? before : onInput(before, times(2, ratio), model);
  const known = completeRates(rates, model);
  const { input } = known;
  const audioInput = audio === undefined ? known.audio_input : times(input, audio);
  return {
    ...rates,
    ...(completion !== undefined && outputs(known, times(input, completion))),
    ...(cache !== undefined && { cache_read: times(input, cache) }),
    ...(cacheCreation !== undefined && cacheWrites(times(input, cacheCreation))),
    ...(audio !== undefined && {
      audio_input: audioInput,
      audio_output: times(audioInput, ratiosOf(known).audio_completion_ratio),
    }),
    ...(audioCompletion !== undefined && { audio_output: times(audioInput, audioCompletion) }),
  };
}

/** The rates in proportion to another input rate; without an input rate only that. */
function onInput(before: Rates, input: number, model: string): Rates {
  const factor = per(input, completeRates(before, model).input);
  if (factor === undefined) return { input };
  const { second: _second, character: _character, call: _call, ...rates } = before;
  return { ...withVariant(rates, { when: {}, factor }), input };
}

function outputs(known: TokenRates, output: number): Rates {
  const images = per(known.image_output, known.output);
  return { output, image_output: images === undefined ? output : times(output, images) };
}

function cacheWrites(rate: number): Rates {
  return { cache_write: rate, cache_write_1h: times(rate, HOUR_CACHE_FACTOR) };
}

function ownTools(own: OwnPrices, model: string): Rates {
  const webSearch = own.webSearchPrice?.[model];
  const fileSearch = own.fileSearchPrice?.[model];
  const codeSession = own.codeSessionPrice?.[model];
  return {
    ...(webSearch !== undefined && { web_search: webSearch }),
    ...(fileSearch !== undefined && { file_search: fileSearch }),
    ...(codeSession !== undefined && { code_session: codeSession }),
  };
}

/** Changes each rate of the variants like that of the price. */
export function movedVariants(
  before: TokenRates,
  after: TokenRates,
  variants: readonly RateVariant[],
): readonly RateVariant[] {
  const moved = (kind: TokenKind, rate: number) => {
    const factor = per(after[kind], before[kind]);
    return factor === undefined ? rate : times(rate, factor);
  };
  return variants.map(({ rates, ...variant }) => {
    if (rates === undefined) return variant;
    const changed = TOKEN_KINDS.flatMap((kind) => {
      const rate = rates[kind];
      return rate === undefined ? [] : [[kind, moved(kind, rate)] as const];
    });
    return { ...variant, rates: { ...rates, ...Object.fromEntries(changed) } };
  });
}

/** The options `fallback_*` as a price; undefined if disabled or unset. */
export function fallbackPriceOf(options: {
  readonly enabled: boolean;
  readonly singlePrice: number | undefined;
  readonly inputRatio: number | undefined;
  readonly completionRatio: number | undefined;
}): ListPrice | undefined {
  const { singlePrice = 0, inputRatio = 0, completionRatio = 0 } = options;
  if (!options.enabled) return undefined;
  if (singlePrice > 0) return { rates: { call: singlePrice }, variants: [] };
  if (inputRatio <= 0 || completionRatio <= 0) return undefined;
  const rates = { input: times(2, inputRatio), output: times(2, inputRatio, completionRatio) };
  return { rates, variants: [] };
}
