/**
 * Compares prices with a price list and adopts them as the layer `SyncedRates`. Addresses go
 * through the egress guard. `apply` gets the prices that were shown, because
 * the list may have changed since.
 */

import type { priceSourceCalls } from '../../api/billing/price-source.ts';
import type { Service } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import { channelTypeOf } from '../../domain/channels/channel-types.ts';
import { definedFields } from '../../domain/defined-fields.ts';
import { reasonParams } from '../../domain/errors/error-reasons.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { OptionValues } from '../../domain/options/registry.ts';
import { findModelName } from '../../domain/pricing/model-names.ts';
import { acceptedPrice } from '../../domain/pricing/price-file/accept-price.ts';
import { comparedPrices } from '../../domain/pricing/price-file/compare-prices.ts';
import { addressOfList } from '../../domain/pricing/price-file/known-lists.ts';
import { readPrices } from '../../domain/pricing/price-file/read.ts';
import { countByReason, type FilePrices } from '../../domain/pricing/price-file/row.ts';
import { basePrices, type SyncedPrice } from '../../domain/pricing/synced-prices.ts';
import { servedModels } from '../../store/tables/abilities-table.ts';
import { channelTypes } from '../../store/tables/channels-table.ts';
import { guardedFetch } from '../network/egress.ts';
import { changeOptions, loadOptions } from '../options/options.ts';
import { priceEntryOf } from './price-entry.ts';

type Calls = Service<typeof priceSourceCalls, Context>;

/** The largest known price list has 5 MB. */
const LIMITS = { maxBytes: 16 * 1024 * 1024, timeoutMs: 20_000 } as const;

export const changes: Calls['changes'] = (ctx, _actor, input) => comparePrices(ctx, input);

interface Comparison {
  /** A known name or an address; the option PriceSourceUrl if absent. */
  readonly source?: string | undefined;
  /** Only models that a channel serves. */
  readonly enabled?: boolean | undefined;
}

/** @throws AppError price_source_missing, price_source_unreadable, fetch_refused, fetch_failed. */
export async function comparePrices(ctx: Context, { source, enabled }: Comparison) {
  const options = await loadOptions(ctx);
  const named = source === undefined || source === '' ? options.get('PriceSourceUrl') : source;
  if (named === '') throw new AppError('price_source_missing');
  const served = new Set(await servedModels(ctx.reads));
  const address = addressOfList(named);
  const list = await fetchPrices(ctx, address ?? named);
  const isSelected = (model: string) => !enabled || served.has(model);
  const compared = comparedPrices(list, knownPrices(ctx, options, served), isSelected);
  const counts = countByReason(compared.skipped);
  return {
    ...compared,
    source: address === undefined ? (parsedUrl(named)?.host ?? '') : named,
    date: today(ctx),
    items: [...compared.items],
    skipped: [...counts].map(([reason, count]) => ({ reason, count })),
  };
}

/** The current prices, each computed once. */
function knownPrices(ctx: Context, options: OptionValues, served: ReadonlySet<string>) {
  const known = new Map<string, ReturnType<typeof priceEntryOf>>();
  return (model: string) => {
    const price = known.get(model) ?? priceEntryOf(ctx, options, model, served);
    known.set(model, price);
    return price;
  };
}

/** Slugs of the provider types that have a channel. */
async function providersInUse(ctx: Context): Promise<ReadonlySet<string>> {
  const types = await channelTypes(ctx.reads);
  return new Set(types.flatMap((type) => channelTypeOf(type)?.slug ?? []));
}

function today(ctx: Context): string {
  return new Date(ctx.now()).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** @throws AppError option_invalid if a price has not exactly one unit. */
export const apply: Calls['apply'] = async (ctx, actor, { source, prices }) => {
  const date = today(ctx);
  await changeOptions(ctx, actor, async (_ctx, options) => {
    const synced = options.get('SyncedRates');
    const before = basePrices(synced);
    const taken = prices.map(({ model, ...given }) => {
      const present = before.get(model) ?? before.get(findModelName(before, model) ?? '');
      const { rates, variants, ...limits } = given;
      const price = acceptedPrice({ rates, variants }, present);
      return [model, { ...limitsIn(synced[model]), ...limits, ...price, source, date }] as const;
    });
    return [{ key: 'SyncedRates', value: { ...synced, ...Object.fromEntries(taken) } }];
  });
  return prices.length;
};

/** Limits stay when a later list names none. */
function limitsIn({ context, output_limit }: Partial<SyncedPrice> = {}) {
  return definedFields({ context, output_limit });
}

export const remove: Calls['remove'] = async (ctx, actor, _input, visit) => {
  let count = 0;
  const emptied = async (_ctx: Context, options: OptionValues) => {
    count = Object.keys(options.get('SyncedRates')).length;
    return [{ key: 'SyncedRates', value: {} }];
  };
  await changeOptions(ctx, actor, emptied, visit);
  return count;
};

async function fetchPrices(ctx: Context, url: string): Promise<FilePrices> {
  const { status, text } = await guardedFetch(ctx, url, LIMITS);
  const host = parsedUrl(url)?.host ?? '';
  if (status !== 200)
    throw new AppError('fetch_failed', reasonParams('server_status', { host, status }));
  const prices = readPrices(parsed(text()), await providersInUse(ctx));
  if (prices === undefined) throw new AppError('price_source_unreadable', { host });
  return prices;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Invalid JSON is not a price list.
    return undefined;
  }
}
