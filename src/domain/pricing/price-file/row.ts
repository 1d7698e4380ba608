import type { Rates, RateVariant } from '../catalog/model-entry.ts';
import { RATE_KINDS } from '../catalog/rate-kinds.ts';
import { MAX_PRICE_USD, MAX_RATIO } from '../price-bounds.ts';

/** A price relative to the input price, as gateways of the one-api family share it. */
export interface FileRatios {
  readonly ratio?: number;
  readonly completion?: number;
  readonly cache?: number;
  readonly cacheWrite?: number;
  readonly audio?: number;
  /** Relative to the price of audio input. */
  readonly audioCompletion?: number;
}

/** What a file says about the price of a model. */
export interface FilePrice {
  readonly model: string;
  readonly rates: Rates;
  readonly ratios?: FileRatios;
  readonly variants?: readonly RateVariant[];
}

/** A whole price that a file leads to. */
export interface ImportedRates {
  readonly model: string;
  readonly rates: Rates;
  readonly variants: RateVariant[];
}

export const SKIP_REASONS = [
  'no_price',
  'not_a_model',
  'reseller',
  'no_channel',
  'listed_twice',
  'no_base',
  'out_of_range',
] as const;

/** Why an entry of a file yields no price. */
export type SkipReason = (typeof SKIP_REASONS)[number];

export interface SkippedPrice {
  readonly model: string;
  readonly reason: SkipReason;
  /** The amount that is out of range. */
  readonly field?: string;
}

/** The price of a model at a provider that did not make it. */
export interface HostPrice {
  /** What the host calls the model. */
  readonly model: string;
  /** Slug of the provider type. */
  readonly provider: string;
  readonly rates: Rates;
}

export interface FilePrices {
  readonly prices: readonly FilePrice[];
  /** Become rates under the condition `provider`. */
  readonly hosted?: readonly HostPrice[];
  readonly skipped: readonly SkippedPrice[];
}

/** A real per-token cost is never below this, and quotients would overflow. */
const MIN_AMOUNT = 1e-12;
/** Above every bound, in every unit. */
const TOO_MUCH = 1e9;
const NEGATIVE = -1;

/** Invalid prices are mapped out of range, so that `sortedPrices` skips the whole entry. */
export function amountOf(value: unknown): number | undefined {
  if (typeof value !== 'number') return undefined;
  if (value === 0) return 0;
  if (!(value > 0)) return NEGATIVE;
  return value < MIN_AMOUNT ? undefined : Math.min(value, TOO_MUCH);
}

/** The amounts that are given. */
export function givenRates(
  amounts: Readonly<Partial<Record<keyof Rates, number | undefined>>>,
): Rates {
  return Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== undefined));
}

/** Longer names are invalid as model names. */
const MAX_NAME_LENGTH = 255;

/** Sorts entries into prices and skipped ones with their reasons. */
export function sortedPrices(entries: readonly (FilePrice | SkippedPrice)[]): FilePrices {
  const named = entries.map((entry) =>
    isName(entry.model) ? inRange(entry) : ({ model: entry.model, reason: 'not_a_model' } as const),
  );
  return {
    prices: named.flatMap((entry) => ('reason' in entry ? [] : entry)),
    skipped: named.flatMap((entry) => ('reason' in entry ? entry : [])),
  };
}

/** One invalid amount invalidates the whole entry: a partial price is a different price. */
function inRange(entry: FilePrice | SkippedPrice): FilePrice | SkippedPrice {
  if ('reason' in entry) return entry;
  const ratios = Object.entries(entry.ratios ?? {});
  const field =
    fieldOutOfRange(entry) ?? ratios.find(([, ratio]) => !isWithin(ratio, MAX_RATIO))?.[0];
  return field === undefined ? entry : { model: entry.model, reason: 'out_of_range', field };
}

/** A rate that no price may have. */
export function fieldOutOfRange({
  rates,
  variants = [],
}: Pick<FilePrice, 'rates' | 'variants'>): string | undefined {
  return [rates, ...variants.map((variant) => variant.rates ?? {})]
    .map((all) => RATE_KINDS.find((kind) => !isWithin(all[kind], MAX_PRICE_USD)))
    .find((kind) => kind !== undefined);
}

function isWithin(amount: number | undefined, most: number): boolean {
  return amount === undefined || (amount >= 0 && amount <= most);
}

function isName(model: string): boolean {
  return model !== '' && model === model.trim() && model.length <= MAX_NAME_LENGTH;
}

export function countByReason(skipped: readonly SkippedPrice[]): ReadonlyMap<SkipReason, number> {
  const counts = new Map<SkipReason, number>();
  for (const { reason } of skipped) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}
