/** Price tables and prices for the tests of prices and charges. */
import { catalogPrices } from '../../../src/domain/pricing/catalog/catalog.ts';
import { findPrice, STRICT } from '../../../src/domain/pricing/find-price.ts';
import type { PerTokenPrice, Price } from '../../../src/domain/pricing/price.ts';
import {
  mergedPrices,
  type OwnPrices,
  type PriceTables,
  withOwnRatios,
} from '../../../src/domain/pricing/price-tables.ts';
import { completeRates, type PriceRatios, times } from '../../../src/domain/pricing/rates.ts';

export const UNIT = 500_000;

/** A Thursday at noon. */
export const NOON = Date.UTC(2026, 10, 26, 12);

export function tablesWith(own: OwnPrices = {}, rest: Partial<PriceTables> = {}): PriceTables {
  return {
    models: mergedPrices(catalogPrices(), own),
    withOwnRatios: (model, price) => withOwnRatios(price, own, model),
    fallback: undefined,
    groupRatio: new Map([['default', 1]]),
    quotaPerUnit: UNIT,
    ...rest,
  };
}

export function priceOf(model: string, tables = tablesWith()): Price {
  const price = findPrice(tables, { requested: model }, STRICT, { atMs: NOON });
  if (!price) throw new Error(`no price for ${model}`);
  return price;
}

const TOOLS = { web_search: 10, file_search: 2.5, code_session: 30 };

/** A price per token with these ratios. */
export function perToken(
  ratios: Partial<PriceRatios> & { readonly cache_creation_1h_ratio?: number },
  more: Partial<PerTokenPrice> = {},
): PerTokenPrice {
  const input = times(2, ratios.model_ratio ?? 1);
  const audio = times(input, ratios.audio_ratio ?? 20);
  const hour = ratios.cache_creation_1h_ratio;
  const rates = {
    input,
    output: times(input, ratios.completion_ratio ?? 1),
    cache_read: times(input, ratios.cache_ratio ?? 1),
    cache_write: times(input, ratios.cache_creation_ratio ?? 1.25),
    ...(hour !== undefined && { cache_write_1h: times(input, hour) }),
    audio_input: audio,
    audio_output: times(audio, ratios.audio_completion_ratio ?? 2),
  };
  return {
    kind: 'per_token',
    name: 'm',
    rule: 'requested',
    rates: completeRates(rates, 'm'),
    tools: TOOLS,
    ...more,
  };
}
