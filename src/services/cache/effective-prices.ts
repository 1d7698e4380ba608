/** The prices in force: the site's own over the synced ones over the catalogue. */
import type { OptionKey, OptionValue, OptionValues } from '../../domain/options/registry.ts';
import { PRICE_OPTIONS } from '../../domain/options/rows/pricing.ts';
import {
  fallbackPriceOf,
  mergedPrices,
  type OwnPrices,
  type PriceTables,
  withOwnRatios,
} from '../../domain/pricing/price-tables.ts';
import { basePrices } from '../../domain/pricing/synced-prices.ts';

/** The options that prices depend on. */
const KEYS = [
  ...PRICE_OPTIONS,
  'SyncedRates',
  'fallback_pricing_enabled',
  'fallback_single_price',
  'fallback_input_ratio',
  'fallback_completion_ratio',
  'GroupRatio',
  'QuotaPerUnit',
] as const satisfies readonly OptionKey[];

interface PriceOptions {
  get<K extends (typeof KEYS)[number]>(key: K): OptionValue<K>;
}

const tablesOf = new WeakMap<OptionValues, PriceTables>();

/** The prices before and after the latest change: most changes of options leave prices alone. */
let latest: readonly { readonly texts: readonly string[]; readonly tables: PriceTables }[] = [];
const KEPT = 2;

/** The effective prices under these options; computed once per set of values. */
export function priceTables(options: OptionValues): PriceTables {
  const known = tablesOf.get(options);
  if (known !== undefined) return known;
  const texts = KEYS.map((key) => options.raw(key));
  const same = latest.find((kept) => kept.texts.every((text, at) => text === texts[at]));
  const found = same ?? { texts, tables: computed(options) };
  latest = [found, ...latest.filter((kept) => kept !== same)].slice(0, KEPT);
  tablesOf.set(options, found.tables);
  return found.tables;
}

function computed(options: PriceOptions): PriceTables {
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
  return {
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
}
