/**
 * Finds the price that applies to a call. `charge.ts` computes the amount; ratio 1 is always 2 USD
 * per million tokens.
 */
import {
  DEFAULT_RATIOS,
  familyAudioRatio,
  familyCompletionRatio,
  familyName,
  hourCacheRatio,
} from './price-book/family-rules.ts';

type Ratios = ReadonlyMap<string, number>;
/** Factors by service tier; an answer of a tier without a factor costs the standard price. */
export type TierRatios = Readonly<Record<string, number>>;

/** Price of models that have neither price nor ratio. */
export type FallbackPrice =
  | { readonly kind: 'per_call'; readonly model_price: number }
  | { readonly kind: 'per_token'; readonly model_ratio: number; readonly completion_ratio: number };

/** The current prices, with overrides merged into the price book (`price-book/tables.ts`). */
export interface PriceTables {
  /** USD per call. */
  readonly modelPrice: Ratios;
  readonly modelRatio: Ratios;
  readonly completionRatio: Ratios;
  readonly cacheRatio: Ratios;
  readonly cacheCreationRatio: Ratios;
  readonly audioRatio: Ratios;
  readonly audioCompletionRatio: Ratios;
  /** USD per 1,000 searches. */
  readonly webSearchPrice: Ratios;
  /** USD per 1,000 file searches. */
  readonly fileSearchPrice: Ratios;
  /** USD per 1,000 containers. */
  readonly codeSessionPrice: Ratios;
  /** By model, the factor of each service tier on the price of tokens. */
  readonly tierRatios: ReadonlyMap<string, TierRatios>;
  readonly fallback: FallbackPrice | undefined;
  readonly groupRatio: Ratios;
  /** Quota units per USD. */
  readonly quotaPerUnit: number;
}

/** Which name or rule determined the price. */
export type PriceRule = 'requested' | 'mapped' | 'fallback' | 'unset';

export interface PerCallPrice {
  readonly kind: 'per_call';
  readonly name: string;
  readonly rule: PriceRule;
  /** USD per call. */
  readonly model_price: number;
}

export interface PerTokenPrice {
  readonly kind: 'per_token';
  readonly name: string;
  readonly rule: PriceRule;
  readonly model_ratio: number;
  readonly completion_ratio: number;
  readonly cache_ratio: number;
  /** For five-minute writes and those of unknown lifetime. */
  readonly cache_creation_ratio: number;
  /** 1.6 times `cache_creation_ratio` when absent. */
  readonly cache_creation_1h_ratio?: number;
  readonly audio_ratio: number;
  readonly audio_completion_ratio: number;
  /** USD per 1,000 searches made by the vendor; the family's price when absent. */
  readonly web_search_price?: number;
  /** USD per 1,000 file searches, and per 1,000 code containers; the vendors' when absent. */
  readonly file_search_price?: number;
  readonly code_session_price?: number;
  readonly tier_ratios?: TierRatios;
}

/** `name` is the price name used, which is recorded with the charge. */
export type Price = PerCallPrice | PerTokenPrice;

export interface PriceNames {
  /** The model name requested by the client, without a channel prefix. */
  readonly requested: string;
  /** The upstream name, if a mapping changed it. */
  readonly mapped?: string | undefined;
}

export interface Leniency {
  /** Self-use mode: no price is needed. */
  readonly selfUse: boolean;
  /** The user accepts models without a price. */
  readonly acceptUnset: boolean;
}

/** Ratio of a model without a price, if such calls are allowed: 75 USD per million tokens. */
const UNSET_RATIO = 37.5;

/**
 * The price of a call, or undefined if there is none and the call must be rejected. Uses the
 * requested name if it has a price or ratio, then the mapped name, then the fallback price; a
 * per-call price takes precedence over a ratio.
 */
export function findPrice(
  tables: PriceTables,
  names: PriceNames,
  leniency: Leniency,
): Price | undefined {
  return (
    priceUnder(tables, names.requested, 'requested') ??
    (names.mapped === undefined ? undefined : priceUnder(tables, names.mapped, 'mapped')) ??
    fallbackPrice(tables, names.requested) ??
    (leniency.selfUse || leniency.acceptUnset
      ? perToken(tables, names.requested, 'unset', UNSET_RATIO)
      : undefined)
  );
}

function priceUnder(tables: PriceTables, model: string, rule: PriceRule): Price | undefined {
  for (const name of [model, familyName(model)]) {
    if (name === undefined) continue;
    const modelPrice = tables.modelPrice.get(name);
    if (modelPrice !== undefined) return { kind: 'per_call', name, rule, model_price: modelPrice };
    const modelRatio = tables.modelRatio.get(name);
    if (modelRatio !== undefined) return perToken(tables, name, rule, modelRatio);
  }
  return undefined;
}

function fallbackPrice(tables: PriceTables, name: string): Price | undefined {
  const { fallback } = tables;
  if (!fallback) return undefined;
  if (fallback.kind === 'per_call') return { ...fallback, name, rule: 'fallback' };
  return { ...perToken(tables, name, 'fallback', fallback.model_ratio), ...fallback };
}

function perToken(
  tables: PriceTables,
  name: string,
  rule: PriceRule,
  modelRatio: number,
): PerTokenPrice {
  const cacheCreation = tables.cacheCreationRatio.get(name) ?? DEFAULT_RATIOS.cacheCreation;
  const webSearch = tables.webSearchPrice.get(name);
  const fileSearch = tables.fileSearchPrice.get(name);
  const codeSession = tables.codeSessionPrice.get(name);
  const tiers = tables.tierRatios.get(name);
  return {
    kind: 'per_token',
    name,
    rule,
    model_ratio: modelRatio,
    completion_ratio: tables.completionRatio.get(name) ?? familyCompletionRatio(name),
    cache_ratio: tables.cacheRatio.get(name) ?? DEFAULT_RATIOS.cache,
    cache_creation_ratio: cacheCreation,
    cache_creation_1h_ratio: hourCacheRatio(cacheCreation),
    audio_ratio: tables.audioRatio.get(name) ?? familyAudioRatio(name),
    audio_completion_ratio: tables.audioCompletionRatio.get(name) ?? DEFAULT_RATIOS.audioCompletion,
    ...(webSearch === undefined ? {} : { web_search_price: webSearch }),
    ...(fileSearch === undefined ? {} : { file_search_price: fileSearch }),
    ...(codeSession === undefined ? {} : { code_session_price: codeSession }),
    ...(tiers === undefined ? {} : { tier_ratios: tiers }),
  };
}

/** Ratio of a group; 1 for a group without one. */
export function groupRatioOf(tables: Pick<PriceTables, 'groupRatio'>, group: string): number {
  return tables.groupRatio.get(group) ?? 1;
}

export function isFree(price: Price, groupRatio: number): boolean {
  return (
    groupRatio === 0 || (price.kind === 'per_call' ? price.model_price : price.model_ratio) === 0
  );
}
