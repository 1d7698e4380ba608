/** Prices of a model in a group, computed as for charging calls. */
import { chargeOf } from '../../../../src/domain/pricing/charge.ts';
import { DEFAULT_RATIOS } from '../../../../src/domain/pricing/price-book/family-rules.ts';
import type { Price } from '../../../../src/domain/pricing/pricing.ts';
import { emptyUsage, type Usage } from '../../../../src/domain/pricing/usage.ts';
import type { PriceEntry } from './price-list.ts';

/** USD per million tokens; or per call only. */
export type Rates =
  | {
      readonly kind: 'per_token';
      readonly input: number;
      readonly output: number;
      readonly cacheRead: number;
      readonly cacheWrite: number;
    }
  | { readonly kind: 'per_call'; readonly call: number };

/** undefined for a model without a price, which cannot be called. */
export function priceOf(entry: PriceEntry): Price | undefined {
  const rule = entry.unset === true ? 'unset' : 'requested';
  const named = { name: entry.model_name, rule } as const;
  if (entry.quota_type === 1) {
    return { kind: 'per_call', ...named, model_price: entry.model_price };
  }
  if (entry.unset === true && entry.model_ratio === 0) return undefined;
  return {
    kind: 'per_token',
    ...named,
    model_ratio: entry.model_ratio,
    completion_ratio: entry.completion_ratio,
    cache_ratio: entry.cache_ratio,
    cache_creation_ratio: entry.cache_creation_ratio,
    // The list does not include them, and no audio is calculated here.
    audio_ratio: DEFAULT_RATIOS.audio,
    audio_completion_ratio: DEFAULT_RATIOS.audioCompletion,
  };
}

const MILLION = 1_000_000;

export function ratesOf(entry: PriceEntry, groupRatio: number): Rates | undefined {
  const price = priceOf(entry);
  if (price === undefined) return undefined;
  const usd = (usage: Partial<Usage>) => usdFor(price, groupRatio, usage);
  if (price.kind === 'per_call') return { kind: 'per_call', call: usd({}) };
  return {
    kind: 'per_token',
    input: usd({ input: MILLION }),
    output: usd({ output: MILLION }),
    cacheRead: usd({ cacheRead: MILLION }),
    cacheWrite: usd({ cacheWrite: MILLION }),
  };
}

/** With one dollar as the unit, unrounded units are dollars. */
function usdFor(price: Price, groupRatio: number, usage: Partial<Usage>): number {
  return Number(chargeOf(price, groupRatio, { ...emptyUsage(), ...usage }, 1).exactUnits);
}

export interface Workload {
  /** Tokens per call, including cached ones. */
  readonly prompt: number;
  readonly cached: number;
  readonly completion: number;
  readonly callsPerDay: number;
}

export interface Estimate {
  /** USD, before each call is rounded to whole units. */
  readonly perCall: number;
  readonly perDay: number;
  readonly perMonth: number;
  /** Quota units charged per call. */
  readonly units: number;
}

export const DAYS_PER_MONTH = 30;

export function estimateOf(
  entry: PriceEntry,
  groupRatio: number,
  { prompt, cached, completion, callsPerDay }: Workload,
  quotaPerUnit: number,
): Estimate | undefined {
  const price = priceOf(entry);
  if (price === undefined) return undefined;
  const cacheRead = Math.min(cached, prompt);
  const usage = { ...emptyUsage(), input: prompt - cacheRead, cacheRead, output: completion };
  const charge = chargeOf(price, groupRatio, usage, quotaPerUnit);
  const perCall = Number(charge.exactUnits) / quotaPerUnit;
  const perDay = perCall * callsPerDay;
  return { perCall, perDay, perMonth: perDay * DAYS_PER_MONTH, units: charge.units };
}
