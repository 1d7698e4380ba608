/**
 * Price options. The model maps hold the operator's own entries, which override the model
 * catalogue; an empty map means the catalogue alone. A ratio of 1 is 2 US dollars per million tokens.
 */

import { MAX_PRICE_USD, MAX_RATIO } from '../../pricing/price-bounds.ts';
import { KNOWN_LIST_NAMES } from '../../pricing/price-file/known-lists.ts';
import { priceSource } from '../checks.ts';
import type { OptionRows } from '../row.ts';

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
  ModelRates: { type: 'json', fallback: '{}', role: 10, shape: 'model_rates' },
  ModelRatio: { type: 'json', fallback: '{}', role: 10, shape: 'model_ratios' },
  ModelPrice: { type: 'json', fallback: '{}', role: 10, shape: 'model_prices' },
  CompletionRatio: { type: 'json', fallback: '{}', role: 10, shape: 'model_ratios' },
  CacheRatio: { type: 'json', fallback: '{}', role: 10, shape: 'model_ratios' },
  CacheCreationRatio: { type: 'json', fallback: '{}', role: 10, shape: 'model_ratios' },
  AudioRatio: { type: 'json', fallback: '{}', role: 10, shape: 'model_ratios' },
  AudioCompletionRatio: { type: 'json', fallback: '{}', role: 10, shape: 'model_ratios' },
  WebSearchPrice: { type: 'json', fallback: '{}', role: 10, shape: 'model_prices' },
  FileSearchPrice: { type: 'json', fallback: '{}', role: 10, shape: 'model_prices' },
  CodeInterpreterPrice: { type: 'json', fallback: '{}', role: 10, shape: 'model_prices' },
  ServiceTierRatio: { type: 'json', fallback: '{}', role: 10, shape: 'tier_ratios' },
  SyncedRates: { type: 'json', fallback: '{}', role: 10, shape: 'synced_rates' },
  ModelOutputLimits: { type: 'json', fallback: '{}', role: 10, shape: 'model_counts' },
  PriceSourceUrl: {
    type: 'text',
    fallback: '',
    role: 10,
    form: 'line',
    suggestions: KNOWN_LIST_NAMES,
    check: priceSource,
  },
  PriceSyncHours: { type: 'int', fallback: '0', role: 10, min: 0, max: 720 },
  PriceSyncTakes: {
    type: 'choice',
    fallback: 'none',
    role: 10,
    choices: ['none', 'served', 'all'],
  },
  GroupRatio: {
    type: 'json',
    fallback: '{"default":1,"vip":1,"svip":1}',
    role: 10,
    shape: 'group_ratios',
  },
  UserUsableGroups: {
    type: 'json',
    fallback: '{"default":"Default","vip":"VIP"}',
    role: 10,
    shape: 'group_labels',
  },
  AutoGroups: { type: 'json', fallback: '[]', role: 10, shape: 'group_names' },
  fallback_pricing_enabled: { type: 'bool', fallback: 'false', role: 10 },
  fallback_single_price: {
    type: 'number',
    fallback: '',
    role: 10,
    min: 0,
    max: MAX_PRICE_USD,
    blank: true,
  },
  fallback_input_ratio: {
    type: 'number',
    fallback: '',
    role: 10,
    min: 0,
    max: MAX_RATIO,
    blank: true,
  },
  fallback_completion_ratio: {
    type: 'number',
    fallback: '',
    role: 10,
    min: 0,
    max: MAX_RATIO,
    blank: true,
  },
} as const satisfies OptionRows;
