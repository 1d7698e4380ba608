/** Takes published prices from a price list. */
import * as z from 'zod/mini';
import { RATE_KINDS } from '../../domain/pricing/catalog/rate-kinds.ts';
import { SKIP_REASONS } from '../../domain/pricing/price-file/row.ts';
import {
  PublishedLimits,
  RateConditionSchema,
  RatesSchema,
  RateVariantsSchema,
} from '../../domain/pricing/rate-schema.ts';
import { call } from '../call.ts';
import { Flag, Impact } from '../fields.ts';

const Model = z.string().check(z.minLength(1), z.maxLength(255));
const Source = z.string().check(z.trim(), z.maxLength(255));

/** A price or a part of one: see `apply`. */
const SyncedEntry = z.object({
  model: Model,
  rates: z._default(RatesSchema, {}),
  variants: z._default(RateVariantsSchema, []),
  ...PublishedLimits,
});

export const SourceChanges = z.object({
  /** The name or the host of the list. */
  source: z.string(),
  /** The day of the list, `YYYY-MM-DD`. */
  date: z.string(),
  /** Prices that differ from the current ones. */
  items: z.array(
    z.object({
      price: SyncedEntry,
      /** Where the current price was published; empty for a model without a price. */
      origin: z.string(),
      /** Day or month of the current price; empty if it is unknown. */
      since: z.string(),
      changes: z.array(
        z.object({
          field: z.enum(RATE_KINDS),
          /** Of a rate under a condition. */
          when: z.optional(RateConditionSchema),
          /** USD; null is no rate of its own. */
          from: z.nullable(z.number()),
          to: z.nullable(z.number()),
        }),
      ),
    }),
  ),
  /** How many equal the current prices. */
  same: z.int(),
  /** How many differ from own prices of the site, which take precedence. */
  own: z.int(),
  /** Entries that are not usable as prices, counted by reason. */
  skipped: z.array(z.object({ reason: z.enum(SKIP_REASONS), count: z.int() })),
});

const MOST_PRICES = 5_000;

export const priceSourceCalls = {
  changes: call.admin('GET /api/price/source', {
    summary: 'Fetches a price list and shows the differences',
    input: z.object({
      /** `models.dev`, `openrouter` or an address; the option PriceSourceUrl if absent. */
      source: z.optional(Source),
      /** Only models that a channel serves. */
      enabled: z.optional(Flag),
    }),
    reply: SourceChanges,
  }),
  /**
   * A price may be a part of one: rates that it does not name keep the amount that the model has in
   * the catalogue or from an earlier list, also under a condition. A price with another unit (call
   * instead of input, for example) replaces the whole price.
   */
  apply: call.admin('PUT /api/price/source', {
    summary: 'Adopts prices of a price list, below the own prices of the site',
    input: z.object({
      source: Source.check(z.minLength(1)),
      prices: z.array(SyncedEntry).check(z.minLength(1), z.maxLength(MOST_PRICES)),
    }),
    /** Number of models. */
    reply: z.int(),
  }),
  remove: call.admin('DELETE /api/price/source', {
    summary: 'Removes all prices that were taken from price lists',
    input: z.object({ impact: Impact }),
    /** Number of models. */
    reply: z.int(),
  }),
};
