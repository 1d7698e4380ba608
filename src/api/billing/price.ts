/** Model prices: the built-in catalogue, and the administrators' overrides. */
import * as z from 'zod/mini';
import {
  RateConditionSchema,
  RatesSchema,
  RateVariantsSchema,
  ShownRates,
  ShownVariants,
} from '../../domain/pricing/rate-schema.ts';
import { call, PageQuery, pageSchema } from '../call.ts';
import { Count, FilterText, Flag, Impact, PriceUsd, Ratio } from '../fields.ts';

const Model = z.string().check(z.trim(), z.minLength(1), z.maxLength(255));

export const PriceEntry = z.object({
  model: z.string(),
  /** The name under which the price was found. */
  price_name: z.string(),
  billing: z.enum(['per_token', 'per_call', 'none']),
  /** Source of the price: an override, a price list, the built-in catalogue, the fallback option, or none. */
  source: z.enum(['override', 'synced', 'catalog', 'fallback', 'unset']),
  /** Estimated by the catalogue, as no published price was known; set one to confirm it. */
  is_estimated: z.boolean(),
  /** Where a price of a list or the catalogue was published, and the date. */
  origin: z.string(),
  /** USD per call; -1 when billed by tokens. */
  model_price: z.number(),
  model_ratio: z.number(),
  completion_ratio: z.number(),
  cache_ratio: z.number(),
  cache_creation_ratio: z.number(),
  /** Audio input relative to text input, audio output relative to audio input. */
  audio_ratio: z.number(),
  audio_completion_ratio: z.number(),
  /** USD per million tokens, before the group's factor. */
  usd_in: z.number(),
  usd_out: z.number(),
  usd_cache_read: z.number(),
  usd_cache_write: z.number(),
  /** The price in USD, as published or set; empty when there is none. */
  rates: ShownRates,
  /** Rates that hold under a condition. */
  variants: ShownVariants,
  /** True when an enabled channel serves it. */
  enabled: z.boolean(),
});

const PriceList = z.extend(PageQuery, {
  q: FilterText,
  /** Only models that are served but have no price. */
  unset: z.optional(Flag),
  /** Only models that are served. */
  enabled: z.optional(Flag),
});

/** USD per million tokens, or ratios, or USD per call; or a whole price with `rates`. */
export const PriceSet = z.object({
  model: Model,
  in: z.optional(PriceUsd),
  out: z.optional(PriceUsd),
  ratio: z.optional(Ratio),
  completion: z.optional(Ratio),
  /** Relative to the input price. */
  cache: z.optional(Ratio),
  cacheWrite: z.optional(Ratio),
  /** Relative to the input price, and to that of audio input. */
  audio: z.optional(Ratio),
  audioCompletion: z.optional(Ratio),
  perCall: z.optional(PriceUsd),
  rates: z.optional(RatesSchema),
  /** Given with `rates`; none if absent. */
  variants: z.optional(RateVariantsSchema),
});

const MOST_PRICES = 5_000;

const PriceCalc = z.object({
  model: Model,
  prompt: z._default(Count, 0),
  completion: z._default(Count, 0),
  /** Part of the prompt. */
  cached: z._default(Count, 0),
  group: z._default(z.string(), 'default'),
  /** Service tier of the answer. */
  tier: z.optional(z.string().check(z.maxLength(32))),
});

export const priceCalls = {
  list: call.admin('GET /api/price/', {
    summary: 'Lists prices',
    input: PriceList,
    reply: pageSchema(PriceEntry),
  }),
  get: call.admin('GET /api/price/model', {
    summary: 'Shows the price of a model',
    input: z.object({ model: Model }),
    reply: PriceEntry,
  }),
  set: call.admin('PUT /api/price/', {
    summary: 'Sets the price of a model',
    input: PriceSet,
    reply: PriceEntry,
  }),
  setMany: call.admin('PUT /api/price/batch', {
    summary: 'Sets the prices of several models, all or none',
    input: z.object({
      prices: z.array(PriceSet).check(z.minLength(1), z.maxLength(MOST_PRICES)),
    }),
  }),
  unset: call.admin('DELETE /api/price/', {
    summary: "Removes the site's own price of a model, so that the built-in price applies",
    input: z.object({ model: Model, impact: Impact }),
  }),
  reset: call.admin('DELETE /api/price/own', {
    summary: "Removes the site's own prices of all models, so that the built-in prices apply",
    input: z.object({ impact: Impact }),
    /** Number of models that had one. */
    reply: z.int(),
  }),
  unpriced: call.admin('GET /api/price/unpriced', {
    summary: 'Lists models that a channel serves and that have no price',
    reply: z.array(z.string()),
  }),
  calc: call.admin('GET /api/price/calc', {
    summary: 'Calculates what a call would cost',
    input: PriceCalc,
    reply: z.object({
      model: z.string(),
      /** The name under which the price was found. */
      price_name: z.string(),
      billing: z.enum(['per_token', 'per_call']),
      rule: z.string(),
      group: z.string(),
      group_ratio: z.number(),
      /** Conditions of the rates used, such as a long prompt. */
      rate_conditions: z.array(RateConditionSchema),
      units: z.int(),
      usd: z.number(),
      lines: z.array(
        z.object({
          kind: z.string(),
          tokens: z.number(),
          /** USD per million tokens, or of one call. */
          usd_each: z.number(),
          units: z.string(),
        }),
      ),
    }),
  }),
};
