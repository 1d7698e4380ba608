/** The user's price list, for every screen that shows a price. */
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import { type Pricing, type PricingEntry, publicCalls } from '../../../../src/api/site/public.ts';
import { client } from '../api/api.ts';
import { RARELY_CHANGED_STALE_MS } from '../api/query-client.ts';
import { priceKeys } from '../api/query-keys.ts';

export type PriceEntry = z.output<typeof PricingEntry>;
export type PriceList = z.output<typeof Pricing>;

const prices = client({ list: publicCalls.pricing });

/** @param reader user id, 0 for a guest: each sees the groups available to it. */
export function priceListQuery(reader: number) {
  return queryOptions({
    queryKey: priceKeys.list({ reader }),
    queryFn: ({ signal }) => prices.list({}, { signal }),
    staleTime: RARELY_CHANGED_STALE_MS,
  });
}
