/**
 * Reads price lists of several programs and catalogues.
 *
 * - this gateway's: `{prices: [{model, in, out}]}`, or the list alone
 * - ratio maps: `{model_ratio: {...}, completion_ratio: {...}, model_price: {...}}`, also with
 *   option names (`ModelRatio`), also under `data`: `/api/ratio_config` of another gateway
 * - a pricing page: `[{model_name, quota_type, model_ratio, completion_ratio, model_price}]`,
 *   also under `data`: `/api/pricing`
 * - LiteLLM's `model_prices_and_context_window.json`
 * - models.dev's `api.json`
 */

import { definedFields } from '../../defined-fields.ts';
import { isFields, type JsonFields, parsedFields } from '../../json-fields.ts';
import { readTokenCosts } from './litellm.ts';
import { readCatalogue } from './models-dev.ts';
import {
  amountOf,
  type FilePrice,
  type FilePrices,
  type SkippedPrice,
  sortedPrices,
} from './row.ts';

/** Undefined if the document is not a price list. */
export function readPrices(document: unknown): FilePrices | undefined {
  const value = inner(document);
  if (Array.isArray(value)) return ofRows(value.filter(isFields));
  if (!isFields(value)) return undefined;
  return ofMaps(value) ?? readTokenCosts(value) ?? readCatalogue(value);
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
  return undefined;
}

const OWN_FIELDS = [
  'in',
  'out',
  'ratio',
  'completion',
  'cache',
  'cacheWrite',
  'audio',
  'audioCompletion',
  'perCall',
] as const;

function ownRow(row: JsonFields): FilePrice | SkippedPrice {
  const amounts = OWN_FIELDS.map((name) => [name, amountOf(row[name])]);
  return priced({ model: String(row.model), ...definedFields(Object.fromEntries(amounts)) });
}

/** `quota_type` 1 is a per-call price. */
function pricingRow(row: JsonFields): FilePrice | SkippedPrice {
  const model = String(row.model_name);
  const perCall = amountOf(row.model_price);
  if (row.quota_type === 1) return priced({ model, ...definedFields({ perCall }) });
  const ratios = {
    ratio: amountOf(row.model_ratio),
    completion: amountOf(row.completion_ratio),
    cache: amountOf(row.cache_ratio),
    cacheWrite: amountOf(row.create_cache_ratio),
    audio: amountOf(row.audio_ratio),
    audioCompletion: amountOf(row.audio_completion_ratio),
  };
  return priced({ model, ...definedFields(ratios) });
}

function priced(price: FilePrice): FilePrice | SkippedPrice {
  const { model, ...amounts } = price;
  return Object.keys(amounts).length > 0 ? price : { model, reason: 'no_price' };
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
  const prices = new Map<string, Record<string, number>>();
  const broken = new Set<string>();
  let isFound = false;
  for (const [field, names] of Object.entries(MAPS)) {
    const map = mapOf(names.map((name) => value[name]).find((found) => found !== undefined));
    isFound ||= map !== undefined;
    for (const [model, amount] of Object.entries(map ?? {})) {
      const number = amountOf(amount);
      if (number === undefined) broken.add(model);
      else prices.set(model, { ...prices.get(model), [field]: number });
    }
  }
  if (!isFound) return undefined;
  // A per-call price takes precedence over ratios, as in the options.
  const found = [...prices].map(([model, { perCall, ...ratios }]) =>
    perCall === undefined ? { model, ...ratios } : { model, perCall },
  );
  const skipped = [...broken]
    .filter((model) => !prices.has(model))
    .map((model) => ({ model, reason: 'no_price' }) as const);
  return sortedPrices([...found, ...skipped]);
}

/** Options store their maps as JSON text. */
function mapOf(value: unknown): JsonFields | undefined {
  if (typeof value === 'string') return parsedFields(value);
  return isFields(value) ? value : undefined;
}
