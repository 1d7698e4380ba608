/** Imports published prices from the address in the option `PriceSourceUrl`. */
import * as z from 'zod/mini';
import { RATE_KINDS } from '../../domain/pricing/catalog/rate-kinds.ts';
import { SKIP_REASONS } from '../../domain/pricing/price-file/row.ts';
import { RateConditionSchema } from '../../domain/pricing/rate-schema.ts';
import { call } from '../call.ts';
import { Flag } from '../fields.ts';
import { PriceSet } from './price.ts';

export const SourceChanges = z.object({
  url: z.string(),
  /** Prices that differ from the current ones, in the form in which they are set. */
  items: z.array(
    z.object({
      price: PriceSet,
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
  /** Entries that are not usable as prices, counted by reason. */
  skipped: z.array(z.object({ reason: z.enum(SKIP_REASONS), count: z.int() })),
});

export const priceSourceCalls = {
  changes: call({
    method: 'GET',
    path: '/api/price/source',
    role: 10,
    summary: 'Fetches the price list of the price source and shows the differences',
    input: z.object({
      /** Only models that a channel serves. */
      enabled: z.optional(Flag),
    }),
    reply: SourceChanges,
  }),
};
