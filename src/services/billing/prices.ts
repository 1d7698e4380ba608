/**
 * Model prices: the built-in catalogue, overridden by the admin's options ModelRatio, ModelPrice
 * and related ones.
 */

import type * as z from 'zod/mini';
import type { PriceEntry, PriceSet, priceCalls } from '../../api/billing/price.ts';
import { pageWindow, type Service, toPage } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { lookupName, mapModel } from '../../domain/channels/model-names.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import type { OptionValues } from '../../domain/options/registry.ts';
import { PRICE_OPTIONS, type PriceOption } from '../../domain/options/rows/pricing.ts';
import { catalogEntry } from '../../domain/pricing/catalog/catalog.ts';
import { chargeOf, usedRates } from '../../domain/pricing/charge.ts';
import { findPrice, groupRatioOf, STRICT } from '../../domain/pricing/find-price.ts';
import type { ListPrice, Price } from '../../domain/pricing/price.ts';
import { MAX_RATIO } from '../../domain/pricing/price-bounds.ts';
import { usdOf } from '../../domain/pricing/quota-text.ts';
import { ModelRatesSchema } from '../../domain/pricing/rate-schema.ts';
import { per, ratiosOf } from '../../domain/pricing/rates.ts';
import { syncedPrice } from '../../domain/pricing/synced-prices.ts';
import { emptyUsage } from '../../domain/pricing/usage.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import { parsedStrings } from '../../json/parse-json-object.ts';
import { servedModels } from '../../store/tables/abilities-table.ts';
import { enabledChannels } from '../../store/tables/channels-table.ts';
import { requireGroup } from '../accounts/require-group.ts';
import { changeOptions, loadOptions, resetPrices } from '../site/options.ts';
import { priceTables } from './effective-prices.ts';

type Calls = Service<typeof priceCalls, Context>;
type Entry = z.input<typeof PriceEntry>;

export const list: Calls['list'] = async (ctx, _actor, input) => {
  const window = pageWindow(input);
  const options = await loadOptions(ctx);
  const served = new Set(await servedModels(ctx.reads));
  const { models } = priceTables(options);
  const onlyServed = input.enabled || input.unset;
  const all = onlyServed ? served : new Set([...served, ...models.keys()]);
  const words = (input.q ?? '').toLowerCase();
  const entries = [...all]
    .filter((model) => model.toLowerCase().includes(words))
    .sort()
    .map((model) => priceEntryOf(ctx, options, model, served))
    .filter((entry) => !input.unset || entry.source === 'unset' || entry.source === 'fallback');
  const items = entries.slice(window.offset, window.offset + window.limit);
  return toPage(window, items, entries.length);
};

export const get: Calls['get'] = async (ctx, _actor, { model }) => {
  const served = new Set(await servedModels(ctx.reads));
  return priceEntryOf(ctx, await loadOptions(ctx), model, served);
};

/** @throws AppError input_invalid when the amounts contradict each other or give no input price. */
export const set: Calls['set'] = async (ctx, actor, input) => {
  await setMany(ctx, actor, { prices: [input] });
  return get(ctx, actor, { model: input.model });
};

/** @throws AppError as `set`, also for a model listed twice; then nothing is saved. */
export const setMany: Calls['setMany'] = async (ctx, actor, { prices }) => {
  const models = prices.map(({ model }) => model);
  const twice = models.find((model, index) => models.indexOf(model) !== index);
  if (twice !== undefined) throw invalidInput('prices', 'named_twice', { name: twice });
  await changeOptions(ctx, actor, async (_ctx, options) => {
    const entries = prices.map(
      (input): PriceInput => ({
        model: input.model,
        numbers: numbersOf(ctx, options, input),
      }),
    );
    return PRICE_OPTIONS.map((key) => ({ key, value: withEntries(options, key, entries) }));
  });
};

/** @throws AppError price_unknown without a custom price, prices_in_use unless `force`. */
export const unset: Calls['unset'] = async (ctx, actor, { model, force }) => {
  const removed = async (_ctx: Context, options: OptionValues) => {
    if (!hasOwnPrice(options, model)) throw new AppError('price_unknown', { model });
    const entries = [{ model, numbers: NO_ENTRIES }];
    return PRICE_OPTIONS.map((key) => ({ key, value: withEntries(options, key, entries) }));
  };
  await changeOptions(ctx, actor, removed, { force });
};

/** @throws AppError prices_in_use unless `force`. */
export const reset: Calls['reset'] = resetPrices;

/** A model counts as priced if every channel that serves it maps it to a priced model. */
export const unpriced: Calls['unpriced'] = async (ctx) => {
  const options = await loadOptions(ctx);
  const names = new Set<string>();
  for (const channel of await enabledChannels(ctx.reads)) {
    const mapping = parsedStrings(channel.model_mapping);
    for (const model of splitList(channel.models))
      if (!hasPrice(ctx, options, model, mapModel(mapping, channel.model_prefix + model, model)))
        names.add(model);
  }
  return [...names].sort();
};

/** Whether a model has a price by its name or that at the upstream; the fallback is none. */
export function hasPrice(
  ctx: Context,
  options: OptionValues,
  requested: string,
  mapped: string | undefined,
): boolean {
  const moment = { atMs: ctx.now() };
  const price = findPrice(priceTables(options), { requested, mapped }, STRICT, moment);
  return price !== undefined && price.rule !== 'fallback';
}

/** The cost of a call at the effective prices; `cached` is part of `prompt`. */
export const calc: Calls['calc'] = async (ctx, _actor, input) => {
  if (input.cached > input.prompt) throw invalidInput('cached', 'cached_over_prompt');
  requireGroup(ctx, input.group);
  const options = await loadOptions(ctx);
  const tables = priceTables(options);
  const price = priceOf(ctx, options, input.model);
  if (price === undefined) throw new AppError('price_missing', { model: input.model });
  const groupRatio = groupRatioOf(tables, input.group);
  const usage = {
    ...emptyUsage(),
    input: input.prompt - input.cached,
    cacheRead: input.cached,
    output: input.completion,
    ...(input.tier !== undefined && { tier: input.tier }),
  };
  const charge = chargeOf(price, groupRatio, usage, tables.quotaPerUnit);
  return {
    model: input.model,
    price_name: price.name,
    billing: price.kind,
    rule: price.rule,
    group: input.group,
    group_ratio: groupRatio,
    rate_conditions: price.kind === 'per_token' ? [...usedRates(price, usage).conditions] : [],
    units: charge.units,
    usd: usdOf(charge.units, tables.quotaPerUnit),
    lines: charge.lines.map(({ usdEach, ...line }) => ({ ...line, usd_each: usdEach })),
  };
};

/** The value to write per option; undefined removes the entry, an absent key leaves it. */
type PriceNumbers = Readonly<Partial<Record<PriceOption, number | ListPrice | undefined>>>;

const NO_ENTRIES = Object.fromEntries(PRICE_OPTIONS.map((key) => [key, undefined]));

function numbersOf(
  ctx: Context,
  options: OptionValues,
  input: z.output<typeof PriceSet>,
): PriceNumbers {
  if (input.rates !== undefined) return wholePrice(input);
  if (input.variants !== undefined) throw invalidInput('rates', 'missing');
  return input.perCall === undefined ? perToken(ctx, options, input) : perCall(input);
}

function wholePrice(input: z.output<typeof PriceSet>): PriceNumbers {
  const { model: _model, rates, variants = [], ...others } = input;
  if (Object.values(others).some((amount) => amount !== undefined))
    throw invalidInput('rates', 'price_mixed');
  const price = ModelRatesSchema.safeParse({ rates, variants });
  if (!price.success) throw invalidInput('rates', 'one_unit');
  return { ...NO_ENTRIES, ModelRates: price.data };
}

function perCall(input: z.output<typeof PriceSet>): PriceNumbers {
  const { model: _model, perCall, ...others } = input;
  if (Object.values(others).some((amount) => amount !== undefined))
    throw invalidInput('perCall', 'price_mixed');
  return { ...NO_ENTRIES, ModelPrice: perCall };
}

function perToken(
  ctx: Context,
  options: OptionValues,
  input: z.output<typeof PriceSet>,
): PriceNumbers {
  if (input.in !== undefined && input.ratio !== undefined)
    throw invalidInput('ratio', 'price_twice', { name: 'in' });
  if (input.out !== undefined && input.completion !== undefined)
    throw invalidInput('completion', 'price_twice', { name: 'out' });
  const ratio = input.in === undefined ? input.ratio : per(input.in, 2);
  if (ratio === undefined && usdInput(ctx, options, input.model) === undefined)
    throw invalidInput('ratio', 'ratio_missing');
  const numbers = {
    ModelRatio: ratio,
    CompletionRatio: input.completion ?? completionOf(ctx, options, input),
    CacheRatio: input.cache,
    CacheCreationRatio: input.cacheWrite,
    AudioRatio: input.audio,
    AudioCompletionRatio: input.audioCompletion,
  };
  const given = Object.entries(numbers).filter(([, number]) => number !== undefined);
  if (given.length === 0) throw invalidInput('ratio', 'amount_missing');
  return { ...Object.fromEntries(given), ModelPrice: undefined };
}

function completionOf(
  ctx: Context,
  options: OptionValues,
  { out, model, in: given, ratio }: z.output<typeof PriceSet>,
): number | undefined {
  if (out === undefined) return undefined;
  const own = given ?? (ratio === undefined ? undefined : 2 * ratio);
  const usdIn = own ?? usdInput(ctx, options, model) ?? 0;
  if (usdIn === 0 && out > 0) throw invalidInput('out', 'no_ratio_to_zero');
  const completion = per(out, usdIn);
  if (completion !== undefined && !(completion <= MAX_RATIO))
    throw invalidInput('out', 'too_large', { most: MAX_RATIO * usdIn });
  return completion;
}

interface PriceInput {
  readonly model: string;
  readonly numbers: PriceNumbers;
}

function withEntries(
  options: OptionValues,
  key: PriceOption,
  entries: readonly PriceInput[],
): Readonly<Record<string, unknown>> {
  const map = new Map<string, unknown>(Object.entries(options.get(key)));
  for (const { model, numbers } of entries) {
    if (!Object.hasOwn(numbers, key)) continue;
    const number = numbers[key];
    map.delete(model);
    if (number !== undefined) map.set(model, number);
  }
  return Object.fromEntries(map);
}

function priceOf(ctx: Context, options: OptionValues, model: string): Price | undefined {
  return findPrice(priceTables(options), { requested: model }, STRICT, { atMs: ctx.now() });
}

/** USD per million input tokens, for a model with a price of its own per token. */
function usdInput(ctx: Context, options: OptionValues, model: string): number | undefined {
  const price = priceOf(ctx, options, model);
  return price?.kind === 'per_token' && price.rule === 'requested' ? price.rates.input : undefined;
}

function hasOwnPrice(options: OptionValues, model: string): boolean {
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
  const price = priceOf(ctx, options, model);
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
