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
  ModelRates: {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'model_rates',
    summary: 'Whole prices in USD by model, with conditions, instead of the built-in ones.',
  },
  ModelRatio: {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'model_ratios',
    summary: 'Input price by model as a ratio; 1 is 2 USD per million tokens.',
  },
  ModelPrice: {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'model_prices',
    summary: 'Fixed price of a call by model, in US dollars; it takes precedence over every ratio.',
  },
  CompletionRatio: {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'model_ratios',
    summary: 'Output price by model, relative to the input price.',
  },
  CacheRatio: {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'model_ratios',
    summary: 'Price of tokens read from a cache, relative to the input price; 1 if not set.',
  },
  CacheCreationRatio: {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'model_ratios',
    summary: 'Price of tokens written to a cache, relative to the input price; 1.25 if not set.',
  },
  AudioRatio: {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'model_ratios',
    summary: 'Price of audio input, relative to text input.',
  },
  AudioCompletionRatio: {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'model_ratios',
    summary: 'Price of audio output, relative to audio input.',
  },
  WebSearchPrice: {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'model_prices',
    summary:
      'USD per 1,000 web searches of a model, by model; if not set, the price of its vendor.',
  },
  FileSearchPrice: {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'model_prices',
    summary: 'USD per 1,000 file searches of a model, by model; 2.5 if not set.',
  },
  CodeInterpreterPrice: {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'model_prices',
    summary: 'USD per 1,000 containers in which the vendor runs code, by model; 30 if not set.',
  },
  ServiceTierRatio: {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'tier_ratios',
    summary:
      'Ratios of service tiers by model instead of the built-in ones; no others are forwarded.',
  },
  SyncedRates: {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'synced_rates',
    summary: 'Prices taken from a price list; own prices and newer built-in ones take precedence.',
  },
  ModelOutputLimits: {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'model_counts',
    summary: 'Maximum output tokens of an answer by model, instead of the built-in limit.',
  },
  PriceSourceUrl: {
    type: 'text',
    fallback: '',
    role: 10,
    form: 'line',
    suggestions: KNOWN_LIST_NAMES,
    check: priceSource,
    summary: 'Price list to compare with: models.dev, openrouter, or the address of a list.',
  },
  PriceSyncHours: {
    type: 'int',
    fallback: '0',
    role: 10,
    min: 0,
    max: 720,
    summary: 'Hours between two comparisons with the price source; 0: never.',
  },
  PriceSyncTakes: {
    type: 'choice',
    fallback: 'none',
    role: 10,
    choices: ['none', 'served', 'all'],
    summary: 'Prices that this comparison adopts: none, those of served models, or all.',
  },
  GroupRatio: {
    type: 'json',
    fallback: '{"default":1,"vip":1,"svip":1}',
    role: 10,
    shape: 'group_ratios',
    summary: 'Ratio for every charge, by group; also the list of all groups.',
  },
  UserUsableGroups: {
    type: 'json',
    fallback: '{"default":"Default","vip":"VIP"}',
    role: 10,
    shape: 'group_labels',
    summary: 'Groups that users may choose for their API tokens, with descriptions.',
  },
  AutoGroups: {
    type: 'json',
    fallback: '[]',
    role: 10,
    shape: 'group_names',
    summary:
      'Groups that API tokens of the group "auto" try in this order, if their owner may use them.',
  },
  fallback_pricing_enabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    summary: 'Turns on the fallback price for models with neither a price nor a ratio.',
  },
  fallback_single_price: {
    type: 'number',
    fallback: '',
    role: 10,
    min: 0,
    max: MAX_PRICE_USD,
    blank: true,
    summary: 'Fallback price of a call in US dollars; cannot be combined with the ratios.',
  },
  fallback_input_ratio: {
    type: 'number',
    fallback: '',
    role: 10,
    min: 0,
    max: MAX_RATIO,
    blank: true,
    summary: 'Fallback input ratio; requires the completion ratio.',
  },
  fallback_completion_ratio: {
    type: 'number',
    fallback: '',
    role: 10,
    min: 0,
    max: MAX_RATIO,
    blank: true,
    summary: 'Fallback completion ratio; requires the input ratio.',
  },
} as const satisfies OptionRows;
