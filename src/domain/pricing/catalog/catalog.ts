/** The model catalogue by name. */

import type { ListPrice } from '../price.ts';
import { PRICE_BOOK } from '../price-book/book.ts';
import { PRICE_BOOK_TIERS } from '../price-book/service-tiers.ts';
import type { RateVariant } from './model-entry.ts';

let built: ReadonlyMap<string, ListPrice> | undefined;

/** The list prices by model name; built once. */
export function cataloguePrices(): ReadonlyMap<string, ListPrice> {
  built ??= new Map(
    PRICE_BOOK.flatMap((row) =>
      row.names.map((name): [string, ListPrice] => {
        if ('perCall' in row) return [name, { rates: { call: row.perCall }, variants: [] }];
        const tiers = Object.entries(PRICE_BOOK_TIERS.get(name) ?? {});
        const rates = Object.entries({
          input: row.in,
          output: row.out,
          cache_read: row.cacheRead,
          cache_write: row.cacheWrite,
          audio_input: row.audioIn,
          audio_output: row.audioOut,
        }).filter((entry): entry is [string, number] => entry[1] !== undefined);
        return [
          name,
          {
            rates: Object.fromEntries(rates),
            variants: tiers.map(([tier, factor]): RateVariant => ({ when: { tier }, factor })),
          },
        ];
      }),
    ),
  );
  return built;
}

let estimatedNames: ReadonlySet<string> | undefined;

/** Whether the list price of a model is an estimate that the operator should confirm. */
export function isEstimatedPrice(model: string): boolean {
  estimatedNames ??= new Set(PRICE_BOOK.filter((row) => row.estimated).flatMap((row) => row.names));
  return estimatedNames.has(model);
}
