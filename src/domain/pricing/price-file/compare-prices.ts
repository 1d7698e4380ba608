/** Compares the prices of a list with the current ones. */
import { dateIn } from '../synced-prices.ts';
import { pricesForKnownModels } from './merge-price.ts';
import { type KnownPrice, type RateChange, rateChanges } from './rate-changes.ts';
import type { FilePrices, ImportedRates, SkippedPrice } from './row.ts';

export interface PriceDifference {
  readonly price: ImportedRates;
  readonly changes: RateChange[];
  /** Where the current price was published; empty for a model without a price. */
  readonly origin: string;
  /** Day or month of the current price; empty if it is unknown. */
  readonly since: string;
}

export interface PriceComparison {
  /** Prices that differ from the current ones. */
  readonly items: readonly PriceDifference[];
  /** How many equal the current prices. */
  readonly same: number;
  /** How many differ from own prices of the site, which take precedence. */
  readonly own: number;
  readonly skipped: readonly SkippedPrice[];
}

/** @param knownOf the current price of a model, also by another of its names. */
export function comparedPrices(
  list: FilePrices,
  knownOf: (model: string) => (KnownPrice & { readonly origin: string }) | undefined,
  isSelected: (model: string) => boolean,
): PriceComparison {
  const { prices, skipped } = pricesForKnownModels(list, knownOf);
  const selected = prices.filter(({ model }) => isSelected(model));
  const differing = selected.flatMap((price): PriceDifference[] => {
    const known = knownOf(price.model);
    const changes = [...rateChanges(price, known)];
    const origin = known?.origin ?? '';
    return changes.length > 0 ? [{ price, changes, origin, since: dateIn(origin) }] : [];
  });
  const items = differing.filter(({ price }) => knownOf(price.model)?.source !== 'override');
  return {
    items,
    same: selected.length - differing.length,
    own: differing.length - items.length,
    skipped: skipped.filter(({ model }) => isSelected(model)),
  };
}
