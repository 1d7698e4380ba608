/**
 * Price lists as they are found in the world, read as prices of ours. Pure.
 *
 * - our own: `{prices: [{model, in, out}]}`, or the list alone
 * - ratio maps: `{model_ratio: {...}, completion_ratio: {...}, model_price: {...}}`, also in the
 *   spelling of options (`ModelRatio`), also under `data`
 * - a pricing page: `[{model_name, quota_type, model_ratio, completion_ratio, model_price}]`, also
 *   under `data`
 * - LiteLLM's `model_prices_and_context_window.json`: USD per token by model
 */
import type { Api } from './session.ts';

export type PriceInput = Parameters<Api['price']['set']>[0];

type Fields = Readonly<Record<string, unknown>>;

/** Undefined for what is no price list. */
export function pricesIn(document: unknown): readonly PriceInput[] | undefined {
  const value = inner(document);
  if (Array.isArray(value)) return ofRows(value.filter(isFields));
  if (!isFields(value)) return undefined;
  return ofMaps(value) ?? ofTokenCosts(value);
}

/** The part of a document that holds the prices. */
function inner(document: unknown): unknown {
  if (!isFields(document)) return document;
  return document.prices ?? document.data ?? document;
}

function ofRows(rows: readonly Fields[]): readonly PriceInput[] | undefined {
  if (rows.every((row) => typeof row.model === 'string')) return rows.map(ownRow);
  if (rows.every((row) => typeof row.model_name === 'string')) return rows.map(pricingRow);
  return undefined;
}

const OWN_FIELDS = ['in', 'out', 'ratio', 'completion', 'cache', 'cacheWrite', 'perCall'] as const;

function ownRow(row: Fields): PriceInput {
  const amounts = OWN_FIELDS.map((name) => [name, amountOf(row[name])]);
  return { model: String(row.model), ...withoutAbsent(Object.fromEntries(amounts)) };
}

/** `quota_type` 1 is a price per call. */
function pricingRow(row: Fields): PriceInput {
  const model = String(row.model_name);
  if (row.quota_type === 1) return { model, perCall: amountOf(row.model_price) };
  const ratio = amountOf(row.model_ratio);
  return { model, ...withoutAbsent({ ratio, completion: amountOf(row.completion_ratio) }) };
}

/** Names of a map in files, and the field it fills. */
const MAPS = {
  ratio: ['model_ratio', 'ModelRatio'],
  completion: ['completion_ratio', 'CompletionRatio'],
  cache: ['cache_ratio', 'CacheRatio'],
  cacheWrite: ['create_cache_ratio', 'cache_creation_ratio', 'CacheCreationRatio'],
  perCall: ['model_price', 'ModelPrice'],
} as const;

function ofMaps(value: Fields): readonly PriceInput[] | undefined {
  const prices = new Map<string, Record<string, number>>();
  let isFound = false;
  for (const [field, names] of Object.entries(MAPS)) {
    const map = mapOf(names.map((name) => value[name]).find((found) => found !== undefined));
    isFound ||= map !== undefined;
    for (const [model, amount] of Object.entries(map ?? {})) {
      const number = amountOf(amount);
      if (number !== undefined) prices.set(model, { ...prices.get(model), [field]: number });
    }
  }
  if (!isFound) return undefined;
  // A price per call beats ratios, as it does in the options themselves.
  return [...prices].map(([model, { perCall, ...ratios }]) =>
    perCall === undefined ? { model, ...ratios } : { model, perCall },
  );
}

/** Options hold their maps as JSON text. */
function mapOf(value: unknown): Fields | undefined {
  if (typeof value !== 'string') return isFields(value) ? value : undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isFields(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const PER_MILLION = 1_000_000;

function ofTokenCosts(value: Fields): readonly PriceInput[] | undefined {
  const rows = Object.entries(value).flatMap(([model, facts]) => {
    const input = isFields(facts) ? amountOf(facts.input_cost_per_token) : undefined;
    return input === undefined || !isFields(facts) ? [] : [costRow(model, input, facts)];
  });
  return rows.length === 0 ? undefined : rows;
}

function costRow(model: string, input: number, facts: Fields): PriceInput {
  const output = amountOf(facts.output_cost_per_token);
  const relative = (cost: number | undefined) =>
    cost === undefined || input === 0 ? undefined : rounded(cost / input);
  return {
    model,
    in: rounded(input * PER_MILLION),
    ...withoutAbsent({
      out: output === undefined || input === 0 ? undefined : rounded(output * PER_MILLION),
      cache: relative(amountOf(facts.cache_read_input_token_cost)),
      cacheWrite: relative(amountOf(facts.cache_creation_input_token_cost)),
    }),
  };
}

function amountOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** What a float adds on the way from a token to a million is no part of the price. */
function rounded(amount: number): number {
  return Number(amount.toPrecision(12));
}

function withoutAbsent<T extends object>(fields: T): Partial<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>; // fewer of the same fields
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
