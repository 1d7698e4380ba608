/**
 * Reads price lists of several programs and catalogues.
 *
 * - this gateway's: `{prices: [{model, in, out}]}` or `{prices: [{model, rates}]}`, or the list alone
 * - ratio maps: `{model_ratio: {...}, completion_ratio: {...}, model_price: {...}}`, also with
 *   option names (`ModelRatio`), also under `data`: `/api/ratio_config` of another gateway
 * - a pricing page: `[{model_name, quota_type, model_ratio, completion_ratio, model_price}]`,
 *   also under `data`: `/api/pricing`
 * - the model list of an upstream that publishes prices with it, such as OpenRouter's
 * - models.dev's `api.json`
 */

import { definedFields } from '../../defined-fields.ts';
import { isFields, type JsonFields, parsedFields } from '../../json-fields.ts';
import { RATE_KINDS } from '../catalog/rate-kinds.ts';
import { RateVariantsSchema } from '../rate-schema.ts';
import { listedPrices } from './listed-prices.ts';
import { readModelsDev } from './models-dev.ts';
import { publishedModel } from './published-models.ts';
import {
  amountOf,
  type FilePrice,
  type FilePrices,
  givenRates,
  type SkippedPrice,
  sortedPrices,
} from './row.ts';

/**
 * Undefined if the document is not a price list.
 * @param providers slugs of the provider types whose own prices are wanted: those of the channels.
 */
export function readPrices(
  document: unknown,
  providers: ReadonlySet<string>,
): FilePrices | undefined {
  const value = inner(document);
  if (Array.isArray(value)) return ofRows(value.filter(isFields));
  if (!isFields(value)) return undefined;
  const maps = ofMaps(value);
  if (maps !== undefined) return maps;
  const offers = readModelsDev(value);
  return offers && listedPrices(offers, providers);
}

/** The part of a document that contains the prices. */
function inner(document: unknown): unknown {
  if (!isFields(document)) return document;
  return document.prices ?? document.data ?? document;
}

function ofRows(rows: readonly JsonFields[]): FilePrices | undefined {
  if (rows.every((row) => typeof row.model === 'string')) return sortedPrices(rows.map(ownRow));
  if (rows.every((row) => typeof row.model_name === 'string'))
    return sortedPrices(rows.map(pricingRow));
  if (!rows.every((row) => typeof row.id === 'string')) return undefined;
  const listed = rows.map(listedRow);
  return listed.some((entry) => 'rates' in entry) ? sortedPrices(listed) : undefined;
}

/** An entry of a model list. */
function listedRow(row: JsonFields): FilePrice | SkippedPrice {
  const model = String(row.id);
  const { rates } = publishedModel(row);
  return rates === undefined ? { model, reason: 'no_price' } : { model, rates };
}

/** Fields of our own list and of ratio maps, and the rate or ratio that each gives. */
const RATE_FIELDS = { in: 'input', out: 'output', perCall: 'call' } as const;
const RATIO_FIELDS = [
  'ratio',
  'completion',
  'cache',
  'cacheWrite',
  'audio',
  'audioCompletion',
] as const;

type Amounts = Readonly<Record<string, unknown>>;

/** Our own list: amounts by name, or whole prices with rates and variants. */
function ownRow(row: JsonFields): FilePrice | SkippedPrice {
  const model = String(row.model);
  const { rates = {}, variants } = row;
  const listed = isFields(rates)
    ? givenRates(Object.fromEntries(RATE_KINDS.map((kind) => [kind, amountOf(rates[kind])])))
    : {};
  const read = RateVariantsSchema.safeParse(variants ?? []);
  if (!read.success) return { model, reason: 'out_of_range', field: 'variants' };
  const price = priceOfAmounts(model, row);
  const own = { ...price, rates: { ...listed, ...price.rates } };
  return priced(variants === undefined ? own : { ...own, variants: read.data });
}

function priceOfAmounts(model: string, amounts: Amounts): FilePrice {
  const rates = Object.entries(RATE_FIELDS).map(([name, kind]) => [kind, amountOf(amounts[name])]);
  const ratios = RATIO_FIELDS.map((name) => [name, amountOf(amounts[name])]);
  return {
    model,
    rates: givenRates(Object.fromEntries(rates)),
    ratios: definedFields(Object.fromEntries(ratios)),
  };
}

/** `quota_type` 1 is a per-call price. */
function pricingRow(row: JsonFields): FilePrice | SkippedPrice {
  const model = String(row.model_name);
  if (row.quota_type === 1) return priced(priceOfAmounts(model, { perCall: row.model_price }));
  return priced(
    priceOfAmounts(model, {
      ratio: row.model_ratio,
      completion: row.completion_ratio,
      cache: row.cache_ratio,
      cacheWrite: row.create_cache_ratio,
      audio: row.audio_ratio,
      audioCompletion: row.audio_completion_ratio,
    }),
  );
}

function priced(price: FilePrice): FilePrice | SkippedPrice {
  const { model, rates, ratios = {} } = price;
  const isEmpty = Object.keys(rates).length + Object.keys(ratios).length === 0;
  return isEmpty ? { model, reason: 'no_price' } : price;
}

/** Names of a map in files, and the field each fills. */
const MAPS = {
  ratio: ['model_ratio', 'ModelRatio'],
  completion: ['completion_ratio', 'CompletionRatio'],
  cache: ['cache_ratio', 'CacheRatio'],
  cacheWrite: ['create_cache_ratio', 'cache_creation_ratio', 'CacheCreationRatio'],
  audio: ['audio_ratio', 'AudioRatio'],
  audioCompletion: ['audio_completion_ratio', 'AudioCompletionRatio'],
  perCall: ['model_price', 'ModelPrice'],
} as const;

function ofMaps(value: JsonFields): FilePrices | undefined {
  const amounts = new Map<string, Record<string, unknown>>();
  let isFound = false;
  for (const [field, names] of Object.entries(MAPS)) {
    const map = mapOf(names.map((name) => value[name]).find((found) => found !== undefined));
    isFound ||= map !== undefined;
    for (const [model, amount] of Object.entries(map ?? {}))
      amounts.set(model, { ...amounts.get(model), [field]: amount });
  }
  if (!isFound) return undefined;
  // A per-call price takes precedence over ratios, as in the options.
  const found = [...amounts].map(([model, { perCall, ...ratios }]) =>
    priced(priceOfAmounts(model, amountOf(perCall) === undefined ? ratios : { perCall })),
  );
  return sortedPrices(found);
}

/** Options store their maps as JSON text. */
function mapOf(value: unknown): JsonFields | undefined {
  if (typeof value === 'string') return parsedFields(value);
  return isFields(value) ? value : undefined;
}
