/** Prices of a model in a group, computed as for charging calls. */
import { chargeOf } from '../../../../src/domain/pricing/charge.ts';
import type { Price } from '../../../../src/domain/pricing/price.ts';
import { completeRates, scaledRates, times } from '../../../../src/domain/pricing/rates.ts';
import { emptyUsage } from '../../../../src/domain/pricing/usage.ts';
import { withVariant } from '../../../../src/domain/pricing/variants.ts';
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

/** undefined for a model without a price. */
export function priceOf(entry: PriceEntry): Price | undefined {
  const named = { name: entry.model_name, rule: 'requested' } as const;
  if (entry.quota_type === 1) {
    return { kind: 'per_call', ...named, model_price: entry.model_price };
  }
  const { rates, variants } = entry;
  if (rates === undefined) return undefined;
  return {
    kind: 'per_token',
    ...named,
    rates: completeRates(rates, entry.model_name),
    tools: NO_TOOLS,
    ...(variants !== undefined && { byAnswer: { base: rates, variants } }),
  };
}

/** The list does not include them, and no use of tools is calculated here. */
const NO_TOOLS = { web_search: 0, file_search: 0, code_session: 0 };

export function ratesOf(entry: PriceEntry, groupRatio: number): Rates | undefined {
  const price = priceOf(entry);
  if (price === undefined) return undefined;
  if (price.kind === 'per_call')
    return { kind: 'per_call', call: times(price.model_price, groupRatio) };
  const { input, output, cache_read, cache_write } = scaledRates(price.rates, groupRatio);
  return { kind: 'per_token', input, output, cacheRead: cache_read, cacheWrite: cache_write };
}

/** The rates under each condition, in a group; the entry has rates per token. */
export function variantRatesOf(entry: PriceEntry, groupRatio: number) {
  const { rates = {}, variants = [], model_name } = entry;
  return variants.map((variant) => ({
    when: variant.when,
    rates: scaledRates(completeRates(withVariant(rates, variant), model_name), groupRatio),
  }));
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
