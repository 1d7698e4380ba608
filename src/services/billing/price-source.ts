/**
 * Compares prices with a price list and takes them over as the layer `SyncedRates`. Addresses go
 * through the egress guard. `apply` gets the prices that were shown, because
 * the list may have changed since.
 */

import type { priceSourceCalls } from '../../api/billing/price-source.ts';
import type { Service } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { OptionValues } from '../../domain/options/registry.ts';
import { pricesForKnownModels } from '../../domain/pricing/price-file/merge-price.ts';
import { rateChanges } from '../../domain/pricing/price-file/rate-changes.ts';
import { readPrices } from '../../domain/pricing/price-file/read.ts';
import { countByReason, type FilePrices } from '../../domain/pricing/price-file/row.ts';
import { servedModels } from '../../store/tables/abilities-table.ts';
import { guardedFetch } from '../network/egress.ts';
import { changeOptions, loadOptions } from '../site/options.ts';
import { priceEntryOf } from './prices.ts';

type Calls = Service<typeof priceSourceCalls, Context>;

/** The largest known price list has 5 MB. */
const LIMITS = { maxBytes: 16 * 1024 * 1024, timeoutMs: 20_000 } as const;

/** Lists that are known by name. */
const KNOWN_SOURCES: Readonly<Record<string, string>> = {
  'models.dev': 'https://models.dev/api.json',
  litellm:
    'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json',
};

/** @throws AppError price_source_missing, price_source_unreadable, fetch_refused, fetch_failed. */
export const changes: Calls['changes'] = async (ctx, _actor, { source, enabled }) => {
  const options = await loadOptions(ctx);
  const named = source === undefined || source === '' ? options.get('PriceSourceUrl') : source;
  if (named === '') throw new AppError('price_source_missing');
  const served = new Set(await servedModels(ctx.reads));
  const isSelected = ({ model }: { readonly model: string }) => !enabled || served.has(model);
  const list = await fetchPrices(ctx, KNOWN_SOURCES[named] ?? named);
  const selected = {
    prices: list.prices.filter(isSelected),
    skipped: list.skipped.filter(isSelected),
  };
  const known = new Map(
    selected.prices.map(({ model }) => [model, priceEntryOf(ctx, options, model, served)] as const),
  );
  const { prices, skipped } = pricesForKnownModels(selected, (model) => known.get(model));
  const differing = prices.flatMap((price) => {
    const changes = [...rateChanges(price, known.get(price.model))];
    return changes.length > 0 ? [{ price, changes }] : [];
  });
  const items = differing.filter(({ price }) => known.get(price.model)?.source !== 'override');
  const counts = countByReason(skipped);
  return {
    source: named in KNOWN_SOURCES ? named : (parsedUrl(named)?.host ?? ''),
    items,
    same: prices.length - differing.length,
    own: differing.length - items.length,
    skipped: [...counts].map(([reason, count]) => ({ reason, count })),
  };
};

/** @throws AppError option_invalid if a price has not exactly one unit. */
export const apply: Calls['apply'] = async (ctx, actor, { source, prices }) => {
  const date = new Date(ctx.now()).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const taken = prices.map(({ model, ...price }) => [model, { ...price, source, date }] as const);
  await changeOptions(ctx, actor, async (_ctx, options) => {
    const value = { ...options.get('SyncedRates'), ...Object.fromEntries(taken) };
    return [{ key: 'SyncedRates', value }];
  });
  return taken.length;
};

export const remove: Calls['remove'] = async (ctx, actor, input) => {
  let count = 0;
  const emptied = async (_ctx: Context, options: OptionValues) => {
    count = Object.keys(options.get('SyncedRates')).length;
    return [{ key: 'SyncedRates', value: {} }];
  };
  await changeOptions(ctx, actor, emptied, input);
  return count;
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
