/**
 * Model prices: the model catalogue and synced prices, and the own prices of the site in the options
 * ModelRates, ModelPrice, ModelRatio and related ones.
 */
import type { priceCalls } from '../../api/billing/price.ts';
import { pageWindow, type Service, toPage } from '../../api/call.ts';
import type { optionCalls } from '../../api/site/option.ts';
import type { Context } from '../../context.ts';
import { mapModel } from '../../domain/channels/model-names.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import type { OptionValues } from '../../domain/options/registry.ts';
import { PRICE_OPTIONS } from '../../domain/options/rows/pricing.ts';
import { chargeLines, chargeOf, usedRates } from '../../domain/pricing/charge.ts';
import { findPrice, groupRatioOf, STRICT } from '../../domain/pricing/find-price.ts';
import { usdOf } from '../../domain/pricing/quota-text.ts';
import { emptyUsage } from '../../domain/pricing/usage.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import { parsedStrings } from '../../json/parse-json-object.ts';
import { servedModels } from '../../store/tables/abilities-table.ts';
import { enabledChannels } from '../../store/tables/channels-table.ts';
import { priceTables } from '../cache/effective-prices.ts';
import { changeOptions, loadOptions } from '../options/options.ts';
import { requireGroup } from '../options/require-group.ts';
import { ratiosInForce } from './listed-models.ts';
import { currentPrice, hasOwnPrice, priceEntryOf } from './price-entry.ts';
import { NO_ENTRIES, numbersOf, type PriceInput, withEntries } from './price-options.ts';

type Calls = Service<typeof priceCalls, Context>;

export const list: Calls['list'] = async (ctx, _actor, input) => {
  const window = pageWindow(input);
  const options = await loadOptions(ctx);
  const served = new Set(await servedModels(ctx.reads));
  const { models } = priceTables(options);
  const onlyServed = input.enabled || input.unset;
  const all = onlyServed ? served : new Set([...served, ...models.keys()]);
  const words = (input.q ?? '').toLowerCase();
  const found = [...all]
    .filter((model) => model.toLowerCase().includes(words))
    .filter((model) => !input.unset || !hasPrice(ctx, options, model, undefined))
    .sort();
  const items = found
    .slice(window.offset, window.offset + window.limit)
    .map((model) => priceEntryOf(ctx, options, model, served));
  return toPage(window, items, found.length);
};

export const get: Calls['get'] = async (ctx, _actor, { model }) => {
  const served = new Set(await servedModels(ctx.reads));
  return priceEntryOf(ctx, await loadOptions(ctx), model, served);
};

/** @throws AppError input_invalid when the amounts contradict each other or give no input price. */
export const set: Calls['set'] = async (ctx, actor, input, visit) => {
  await setMany(ctx, actor, { prices: [input] }, visit);
  return get(ctx, actor, { model: input.model }, visit);
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

/** @throws AppError price_unknown without a custom price. */
export const unset: Calls['unset'] = async (ctx, actor, { model }, visit) => {
  const removed = async (_ctx: Context, options: OptionValues) => {
    if (!hasOwnPrice(options, model)) throw new AppError('price_unknown', { model });
    const entries = [{ model, numbers: NO_ENTRIES }];
    return PRICE_OPTIONS.map((key) => ({ key, value: withEntries(options, key, entries) }));
  };
  await changeOptions(ctx, actor, removed, visit);
};

/**
 * Removes all parts of all custom prices at once: a remaining ratio would apply to a built-in price
 * that it was not meant for. Returns how many models had a custom price.
 */
export const reset: Calls['reset'] = async (ctx, actor, _input, visit) => {
  let models = new Set<string>();
  const removed = async (_ctx: Context, current: OptionValues) => {
    models = new Set(PRICE_OPTIONS.flatMap((key) => Object.keys(current.get(key))));
    return PRICE_OPTIONS.map((key) => ({ key, value: {} }));
  };
  await changeOptions(ctx, actor, removed, visit);
  return models.size;
};

/** As `reset`, with the ratios then in force. */
export const resetModelRatio: Service<typeof optionCalls, Context>['resetModelRatio'] = async (
  ctx,
  actor,
  input,
  visit,
) => {
  await reset(ctx, actor, input, visit);
  await ctx.changes.latest();
  return ratiosInForce(ctx, actor);
};

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
  const price = currentPrice(ctx, options, input.model);
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
  const lines = chargeLines(price, groupRatio, usage, tables.quotaPerUnit);
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
    lines: lines.map(({ usdEach, ...line }) => ({ ...line, usd_each: usdEach })),
  };
};
