/**
 * Price options. The model maps hold the operator's own entries, which override the model
 * catalogue; an empty map means the catalogue alone. A ratio of 1 is 2 US dollars per million tokens.
 */

import { MAX_PRICE_USD, MAX_RATIO } from '../../pricing/price-bounds.ts';
import { KNOWN_LIST_NAMES } from '../../pricing/price-file/known-lists.ts';
import { priceSource } from '../checks.ts';
import type { OptionRows } from '../row.ts';
import { BLANK_NUMBER, CHOICE, COUNT, JSON_VALUE, LINE, SWITCH } from '../row-bases.ts';

/** The options that together define model prices, each keyed by model name. */
export const PRICE_OPTIONS = [
  'ModelRates',
  'ModelPrice',
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CacheCreationRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'WebSearchPrice',
  'FileSearchPrice',
  'CodeInterpreterPrice',
  'ServiceTierRatio',
] as const satisfies readonly (keyof typeof pricingOptions)[];

export type PriceOption = (typeof PRICE_OPTIONS)[number];

export const pricingOptions = {
  ModelRates: { ...JSON_VALUE, shape: 'model_rates' },
  ModelRatio: { ...JSON_VALUE, shape: 'model_ratios' },
  ModelPrice: { ...JSON_VALUE, shape: 'model_prices' },
  CompletionRatio: { ...JSON_VALUE, shape: 'model_ratios' },
  CacheRatio: { ...JSON_VALUE, shape: 'model_ratios' },
  CacheCreationRatio: { ...JSON_VALUE, shape: 'model_ratios' },
  AudioRatio: { ...JSON_VALUE, shape: 'model_ratios' },
  AudioCompletionRatio: { ...JSON_VALUE, shape: 'model_ratios' },
  WebSearchPrice: { ...JSON_VALUE, shape: 'model_prices' },
  FileSearchPrice: { ...JSON_VALUE, shape: 'model_prices' },
  CodeInterpreterPrice: { ...JSON_VALUE, shape: 'model_prices' },
  ServiceTierRatio: { ...JSON_VALUE, shape: 'tier_ratios' },
  SyncedRates: { ...JSON_VALUE, shape: 'synced_rates' },
  ModelOutputLimits: { ...JSON_VALUE, shape: 'model_counts' },
  PriceSourceUrl: { ...LINE, suggestions: KNOWN_LIST_NAMES, check: priceSource },
  PriceSyncHours: { ...COUNT, max: 720 },
  PriceSyncTakes: { ...CHOICE, fallback: 'none', choices: ['none', 'served', 'all'] },
  GroupRatio: { ...JSON_VALUE, fallback: '{"default":1,"vip":1,"svip":1}', shape: 'group_ratios' },
  UserUsableGroups: {
    ...JSON_VALUE,
    fallback: '{"default":"Default","vip":"VIP"}',
    shape: 'group_labels',
  },
  AutoGroups: { ...JSON_VALUE, fallback: '[]', shape: 'group_names' },
  fallback_pricing_enabled: SWITCH,
  fallback_single_price: { ...BLANK_NUMBER, max: MAX_PRICE_USD },
  fallback_input_ratio: { ...BLANK_NUMBER, max: MAX_RATIO },
  fallback_completion_ratio: { ...BLANK_NUMBER, max: MAX_RATIO },
} as const satisfies OptionRows;
