/**
 * Prices. The model maps are the operator's own entries laid over the built-in price book: an
 * empty map means the book alone. Ratio 1 is 2 US dollars per million tokens.
 */
import type { OptionRows } from './row.ts';

/** The options that hold the parts of a model's price by model name. */
export const PRICE_OPTIONS = [
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
  ModelRatio: {
    type: 'json',
    fallback: '{}',
    role: 10,
    group: 'pricing',
    shape: 'model_ratios',
    summary: 'Input price by model, as a ratio.',
  },
  ModelPrice: {
    type: 'json',
    fallback: '{}',
    role: 10,
    group: 'pricing',
    shape: 'model_ratios',
    summary: 'Fixed price of a call by model, in US dollars; beats every ratio.',
  },
  CompletionRatio: {
    type: 'json',
    fallback: '{}',
    role: 10,
    group: 'pricing',
    shape: 'model_ratios',
    summary: 'Output price by model, relative to its input.',
  },
  CacheRatio: {
    type: 'json',
    fallback: '{}',
    role: 10,
    group: 'pricing',
    shape: 'model_ratios',
    summary: 'Price of tokens read from the cache, relative to input; 1 if unknown.',
  },
  CacheCreationRatio: {
    type: 'json',
    fallback: '{}',
    role: 10,
    group: 'pricing',
    shape: 'model_ratios',
    summary: 'Price of tokens written to the cache, relative to input; 1.25 if unknown.',
  },
  AudioRatio: {
    type: 'json',
    fallback: '{}',
    role: 10,
    group: 'pricing',
    shape: 'model_ratios',
    summary: 'Price of audio input, relative to text input.',
  },
  AudioCompletionRatio: {
    type: 'json',
    fallback: '{}',
    role: 10,
    group: 'pricing',
    shape: 'model_ratios',
    summary: 'Price of audio output, relative to audio input.',
  },
  WebSearchPrice: {
    type: 'json',
    fallback: '{}',
    role: 10,
    group: 'pricing',
    shape: 'model_ratios',
    summary: 'USD per 1,000 web searches a model makes, by model; what its vendor asks if empty.',
  },
  FileSearchPrice: {
    type: 'json',
    fallback: '{}',
    role: 10,
    group: 'pricing',
    shape: 'model_ratios',
    summary: 'USD per 1,000 searches a model makes in files of the client, by model; 2.5 if empty.',
  },
  CodeInterpreterPrice: {
    type: 'json',
    fallback: '{}',
    role: 10,
    group: 'pricing',
    shape: 'model_ratios',
    summary: 'USD per 1,000 containers in which a vendor runs code, by model; 30 if empty.',
  },
  ServiceTierRatio: {
    type: 'json',
    fallback: '{}',
    role: 10,
    group: 'pricing',
    shape: 'tier_ratios',
    summary:
      'Factors of tiers of service by model, instead of built-in ones; others are not passed on.',
  },
  GroupRatio: {
    type: 'json',
    fallback: '{"default":1,"vip":1,"svip":1}',
    role: 10,
    group: 'pricing',
    shape: 'group_ratios',
    summary: 'Factor on every charge, by group; also the list of groups.',
  },
  UserUsableGroups: {
    type: 'json',
    fallback: '{"default":"Default","vip":"VIP"}',
    role: 10,
    group: 'pricing',
    shape: 'group_labels',
    summary: 'Groups users may choose for their tokens, with a description.',
  },
  AutoGroups: {
    type: 'json',
    fallback: '[]',
    role: 10,
    group: 'pricing',
    shape: 'group_names',
    summary:
      'Groups that tokens of the group "auto" try in this order, as far as their owner may use them.',
  },
  fallback_pricing_enabled: {
    type: 'bool',
    fallback: 'false',
    role: 10,
    group: 'pricing',
    summary: 'Prices models that have neither a price nor a ratio.',
  },
  fallback_single_price: {
    type: 'number',
    fallback: '',
    role: 10,
    group: 'pricing',
    min: 0,
    blank: true,
    summary: 'Fallback price of a call in US dollars; excludes the ratios.',
  },
  fallback_input_ratio: {
    type: 'number',
    fallback: '',
    role: 10,
    group: 'pricing',
    min: 0,
    blank: true,
    summary: 'Fallback input ratio; goes with the completion ratio.',
  },
  fallback_completion_ratio: {
    type: 'number',
    fallback: '',
    role: 10,
    group: 'pricing',
    min: 0,
    blank: true,
    summary: 'Fallback completion ratio; goes with the input ratio.',
  },
} as const satisfies OptionRows;
