/** The prices in force: the site's own over the synced ones over the catalogue. */
import type { OptionValues } from '../../domain/options/registry.ts';
import {
  fallbackPriceOf,
  mergedPrices,
  type OwnPrices,
  type PriceTables,
  withOwnRatios,
} from '../../domain/pricing/price-tables.ts';
import { basePrices } from '../../domain/pricing/synced-prices.ts';

const tablesOf = new WeakMap<OptionValues, PriceTables>();

/** The effective prices under these options; computed once per options snapshot. */
export function priceTables(options: OptionValues): PriceTables {
  const known = tablesOf.get(options);
  if (known !== undefined) return known;
  const own: OwnPrices = {
    modelRates: options.get('ModelRates'),
    modelPrice: options.get('ModelPrice'),
    modelRatio: options.get('ModelRatio'),
    completionRatio: options.get('CompletionRatio'),
    cacheRatio: options.get('CacheRatio'),
    cacheCreationRatio: options.get('CacheCreationRatio'),
    audioRatio: options.get('AudioRatio'),
    audioCompletionRatio: options.get('AudioCompletionRatio'),
    webSearchPrice: options.get('WebSearchPrice'),
    fileSearchPrice: options.get('FileSearchPrice'),
    codeSessionPrice: options.get('CodeInterpreterPrice'),
    tierRatios: options.get('ServiceTierRatio'),
  };
  const tables: PriceTables = {
    models: mergedPrices(basePrices(options.get('SyncedRates')), own),
    withOwnRatios: (model, price) => withOwnRatios(price, own, model),
    fallback: fallbackPriceOf({
      enabled: options.get('fallback_pricing_enabled'),
      singlePrice: options.get('fallback_single_price') ?? undefined,
      inputRatio: options.get('fallback_input_ratio') ?? undefined,
      completionRatio: options.get('fallback_completion_ratio') ?? undefined,
    }),
    groupRatio: new Map(Object.entries(options.get('GroupRatio'))),
    quotaPerUnit: options.get('QuotaPerUnit'),
  };
  tablesOf.set(options, tables);
  return tables;
}
