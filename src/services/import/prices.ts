/**
 * Imports prices built into the source's program: compares them with the prices here for each model
 * that its channels serve, and imports them unless the operator prefers those here.
 */

import { builtInPrice, type ImportedPrice } from '../../domain/import/built-in-prices.ts';
import type { PriceLine } from '../../domain/import/report.ts';
import { columnObject } from '../../domain/import/values.ts';
import type { OptionChange } from '../../domain/options/parse.ts';
import type { OptionKey, OptionValues } from '../../domain/options/registry.ts';
import { catalogPrices } from '../../domain/pricing/catalog/catalog.ts';
import { collapsedName } from '../../domain/pricing/model-names.ts';
import { isPerCall, type ListPrice } from '../../domain/pricing/price.ts';
import { mergedPrices } from '../../domain/pricing/price-tables.ts';
import { completeRates, ratiosOf } from '../../domain/pricing/rates.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import type { ImportRun } from './import-run.ts';

const MAPS = ['ModelRatio', 'ModelPrice', 'CompletionRatio'] as const;
type PriceMap = (typeof MAPS)[number];
type Numbers = Readonly<Record<string, number>>;

/** Models that the source's channels serve; one-api charges for the mapped name. */
export async function modelsServedBySource({
  source,
  schema,
  family,
}: ImportRun): Promise<string[]> {
  const columns = schema.get('channels');
  const names = new Set<string>();
  if (columns?.has('models'))
    for (const text of await source.valuesOf('channels', 'models'))
      for (const model of splitList(text)) names.add(model);
  if (family === 'one-api' && columns?.has('model_mapping'))
    for (const text of await source.valuesOf('channels', 'model_mapping'))
      for (const mapped of Object.values(columnObject(text) ?? {}))
        if (typeof mapped === 'string' && mapped !== '') names.add(mapped);
  return [...names].sort();
}

interface Prices {
  readonly models: readonly string[];
  /** As saved in the source. */
  readonly saved: ReadonlyMap<OptionKey, string>;
  readonly current: OptionValues;
}

/** Adds the prices to import to the changes, and all differences to the report. */
export function addBuiltInPrices(
  run: ImportRun,
  changes: Map<string, OptionChange>,
  { models, saved, current }: Prices,
): void {
  const savedMap = (key: PriceMap) => (saved.get(key) ? columnObject(saved.get(key)) : undefined);
  const theirSaved = {
    ModelRatio: savedMap('ModelRatio'),
    ModelPrice: savedMap('ModelPrice'),
    CompletionRatio: savedMap('CompletionRatio'),
  };
  const after = afterChanges(changes, current);
  const prices = mergedPrices(catalogPrices(), {
    modelRatio: after.ModelRatio,
    modelPrice: after.ModelPrice,
    completionRatio: after.CompletionRatio,
  });
  const taken: Record<PriceMap, Record<string, number>> = {
    ModelRatio: {},
    ModelPrice: {},
    CompletionRatio: {},
  };
  const lines: PriceLine[] = [];
  for (const model of models) {
    const theirs = builtInPrice(run.family, model, theirSaved);
    if (theirs === undefined) continue;
    const ours = priceHere(prices, model);
    if (ours !== undefined && isSame(theirs, ours)) continue;
    const isTheirs = run.options.prices === 'theirs' && !hasOwn(current, model);
    lines.push({ model, theirs, ours: ours ?? null, taken: isTheirs ? 'theirs' : 'ours' });
    if (isTheirs) takeOver(taken, model, theirs);
  }
  run.report.comparePrices(lines);
  for (const key of MAPS)
    if (Object.keys(taken[key]).length > 0)
      changes.set(key, { key, value: JSON.stringify({ ...after[key], ...taken[key] }) });
}

function takeOver(
  taken: Readonly<Record<PriceMap, Record<string, number>>>,
  model: string,
  price: ImportedPrice,
): void {
  if ('model_price' in price) {
    taken.ModelPrice[model] = price.model_price;
    return;
  }
  taken.ModelRatio[model] = price.model_ratio;
  taken.CompletionRatio[model] = price.completion_ratio;
}

/** The price maps after the changes so far. */
function afterChanges(
  changes: ReadonlyMap<string, OptionChange>,
  current: OptionValues,
): Readonly<Record<PriceMap, Numbers>> {
  const mapOf = (key: PriceMap): Numbers => {
    const change = changes.get(key);
    const entries = Object.entries(
      change === undefined ? current.get(key) : (columnObject(change.value) ?? {}),
    );
    return Object.fromEntries(
      entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
    );
  };
  return {
    ModelRatio: mapOf('ModelRatio'),
    ModelPrice: mapOf('ModelPrice'),
    CompletionRatio: mapOf('CompletionRatio'),
  };
}

/** The price of exactly this name, because the source's program knows no other names. */
function priceHere(
  prices: ReadonlyMap<string, ListPrice>,
  model: string,
): ImportedPrice | undefined {
  const price = prices.get(model) ?? prices.get(collapsedName(model) ?? '');
  if (price === undefined) return undefined;
  if (isPerCall(price)) return { model_price: price.rates.call ?? 0 };
  const { model_ratio, completion_ratio } = ratiosOf(completeRates(price.rates, model));
  return { model_ratio, completion_ratio };
}

/** Whether the operator has set a price for the model here; such a price is kept. */
function hasOwn(current: OptionValues, model: string): boolean {
  return MAPS.some((key) => Object.hasOwn(current.get(key), model));
}

/** Output of a free model is free, whatever its ratio. */
function isSame(a: ImportedPrice, b: ImportedPrice): boolean {
  if ('model_price' in a || 'model_price' in b)
    return 'model_price' in a && 'model_price' in b && isNear(a.model_price, b.model_price);
  if (!isNear(a.model_ratio, b.model_ratio)) return false;
  return a.model_ratio === 0 || isNear(a.completion_ratio, b.completion_ratio);
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b));
}
