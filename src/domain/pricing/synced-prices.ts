/**
 * Prices that administrators took from a price list: a layer between the catalogue and the
 * operator's own prices.
 */
import { catalogEntry, catalogPrices } from './catalog/catalog.ts';
import type { ListPrice } from './price.ts';

export interface SyncedPrice extends ListPrice {
  /** The price list: a name, a file or a host. */
  readonly source: string;
  /** The day on which it was taken, `YYYY-MM-DD`. */
  readonly date: string;
  readonly context?: number | undefined;
  readonly output_limit?: number | undefined;
}

type SyncedPrices = Readonly<Record<string, SyncedPrice>>;

/** The catalogue with the synced prices; a price of a newer catalogue replaces a synced one. */
export function basePrices(synced: SyncedPrices): ReadonlyMap<string, ListPrice> {
  const models = new Map(catalogPrices());
  for (const [model, price] of Object.entries(synced))
    if (isInForce(model, price))
      models.set(model, { rates: price.rates, variants: price.variants });
  return models;
}

/** The synced price of a model, unless the catalogue has a newer one. */
export function syncedPrice(synced: SyncedPrices, model: string): SyncedPrice | undefined {
  const price = synced[model];
  return price !== undefined && isInForce(model, price) ? price : undefined;
}

/** Day or month at the end of a source; empty if it has none. */
export function dateIn(source: string): string {
  return DATE.exec(source)?.[0] ?? '';
}

const DATE = /\d{4}-\d{2}(-\d{2})?$/;

function isInForce(model: string, { date }: SyncedPrice): boolean {
  const listed = catalogEntry(model);
  if (listed === undefined || !listed.names.includes(model)) return true;
  return dateIn(listed.source) <= date;
}
