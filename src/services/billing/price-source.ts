/**
 * Compares prices with a price list at a URL set by an admin. The URL goes through the egress
 * guard. Nothing is changed here: an admin reviews the differences and sets the prices.
 */

import type { priceSourceCalls } from '../../api/billing/price-source.ts';
import type { Service } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { pricesForKnownModels, rateChanges } from '../../domain/pricing/price-file/known-models.ts';
import { readPrices } from '../../domain/pricing/price-file/read.ts';
import { countByReason, type FilePrices } from '../../domain/pricing/price-file/row.ts';
import { servedModels } from '../../store/tables/abilities-table.ts';
import { guardedFetch } from '../network/egress.ts';
import { loadOptions } from '../site/options.ts';
import { priceEntryOf } from './prices.ts';

type Calls = Service<typeof priceSourceCalls, Context>;

/** The largest known price list has 5 MB. */
const LIMITS = { maxBytes: 16 * 1024 * 1024, timeoutMs: 20_000 } as const;

/** @throws AppError price_source_missing, price_source_unreadable, fetch_refused, fetch_failed. */
export const changes: Calls['changes'] = async (ctx, _actor, { enabled }) => {
  const options = await loadOptions(ctx);
  const url = options.get('PriceSourceUrl');
  if (url === '') throw new AppError('price_source_missing');
  const served = new Set(await servedModels(ctx.reads));
  const isSelected = ({ model }: { readonly model: string }) => !enabled || served.has(model);
  const list = await fetchPrices(ctx, url);
  const selected = {
    prices: list.prices.filter(isSelected),
    skipped: list.skipped.filter(isSelected),
  };
  const known = new Map(
    selected.prices.map(({ model }) => [model, priceEntryOf(ctx, options, model, served)] as const),
  );
  const { prices, skipped } = pricesForKnownModels(selected, (model) => known.get(model));
  const items = prices.flatMap((price) => {
    const changes = [...rateChanges(price, known.get(price.model))];
    return changes.length > 0 ? [{ price, changes }] : [];
  });
  const counts = countByReason(skipped);
  return {
    url,
    items,
    same: prices.length - items.length,
    skipped: [...counts].map(([reason, count]) => ({ reason, count })),
  };
};

async function fetchPrices(ctx: Context, url: string): Promise<FilePrices> {
  const { status, text } = await guardedFetch(ctx, url, LIMITS);
  const host = parsedUrl(url)?.host ?? '';
  if (status !== 200) throw new AppError('fetch_failed', { host, problem: `status ${status}` });
  const prices = readPrices(parsed(text()));
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
