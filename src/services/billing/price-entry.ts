/** The effective price of a model, with where it comes from, as the management API returns it. */
import type * as z from 'zod/mini';
import type { PriceEntry } from '../../api/billing/price.ts';
import type { Context } from '../../context.ts';
import { lookupName } from '../../domain/channels/model-names.ts';
import type { OptionValues } from '../../domain/options/registry.ts';
import { PRICE_OPTIONS } from '../../domain/options/rows/pricing.ts';
import { catalogEntry } from '../../domain/pricing/catalog/catalog.ts';
import { findPrice, STRICT } from '../../domain/pricing/find-price.ts';
import type { ListPrice, Price } from '../../domain/pricing/price.ts';
import { ratiosOf } from '../../domain/pricing/rates.ts';
import { syncedPrice } from '../../domain/pricing/synced-prices.ts';
import { priceTables } from '../cache/effective-prices.ts';

type Entry = z.input<typeof PriceEntry>;

/** The price in force now, also by the rules for names; undefined without one. */
export function currentPrice(
  ctx: Context,
  options: OptionValues,
  model: string,
): Price | undefined {
  return findPrice(priceTables(options), { requested: model }, STRICT, { atMs: ctx.now() });
}

/** Whether the site itself has set a price or ratio of the model. */
export function hasOwnPrice(options: OptionValues, model: string): boolean {
  return PRICE_OPTIONS.some((key) => Object.hasOwn(options.get(key), model));
}

function sourceOf(options: OptionValues, price: Price): Entry['source'] {
  if (price.rule === 'fallback') return 'fallback';
  if (hasOwnPrice(options, price.name)) return 'override';
  return syncedPrice(options.get('SyncedRates'), price.name) ? 'synced' : 'catalog';
}

/** The price with all of its conditions. */
function listPriceOf(options: OptionValues, { name, rule }: Price): ListPrice | undefined {
  const { models, fallback } = priceTables(options);
  return rule === 'fallback' ? fallback : models.get(name);
}

/** Where the price was published, and when. */
function originOf(options: OptionValues, { name }: Price, source: Entry['source']): string {
  if (source === 'catalog') return catalogEntry(name)?.source ?? '';
  const synced = source === 'synced' ? syncedPrice(options.get('SyncedRates'), name) : undefined;
  return synced === undefined ? '' : `${synced.source} ${synced.date}`;
}

const NO_PRICE = {
  model_price: -1,
  model_ratio: 0,
  completion_ratio: 0,
  cache_ratio: 0,
  cache_creation_ratio: 0,
  audio_ratio: 0,
  audio_completion_ratio: 0,
  usd_in: 0,
  usd_out: 0,
  usd_cache_read: 0,
  usd_cache_write: 0,
};

/** The effective price as the management API returns it. */
export function priceEntryOf(
  ctx: Context,
  options: OptionValues,
  model: string,
  served: ReadonlySet<string>,
): Entry {
  const price = currentPrice(ctx, options, model);
  const source = price === undefined ? 'unset' : sourceOf(options, price);
  const listed = price === undefined ? undefined : listPriceOf(options, price);
  const variants = [...(listed?.variants ?? [])];
  const facts = {
    model,
    price_name: price?.name ?? '',
    origin: price === undefined ? '' : originOf(options, price, source),
    rates: { ...listed?.rates },
    variants,
    source,
    is_estimated: source === 'catalog' && catalogEntry(price?.name ?? '')?.is_estimated === true,
    enabled: served.has(model) || served.has(lookupName(model)),
  } as const;
  if (price === undefined) return { ...facts, billing: 'none', ...NO_PRICE };
  if (price.kind === 'per_call')
    return { ...facts, billing: 'per_call', ...NO_PRICE, model_price: price.model_price };
  const { rates } = price;
  return {
    ...facts,
    billing: 'per_token',
    model_price: -1,
    ...ratiosOf(rates),
    usd_in: rates.input,
    usd_out: rates.output,
    usd_cache_read: rates.cache_read,
    usd_cache_write: rates.cache_write,
  };
}
