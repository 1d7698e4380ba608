/** Builds the lookup tables of `findPrice` from the price book and the operator's options. */
import type { FallbackPrice, PriceTables } from '../pricing.ts';
import { PRICE_BOOK } from './book.ts';
import { ratiosOfUsd, type UsdRatios } from './usd.ts';

/** The tables keyed by model name; `modelPrice` in USD per call. */
export type ModelTables = Pick<
  PriceTables,
  | 'modelPrice'
  | 'modelRatio'
  | 'completionRatio'
  | 'cacheRatio'
  | 'cacheCreationRatio'
  | 'audioRatio'
  | 'audioCompletionRatio'
  | 'webSearchPrice'
  | 'fileSearchPrice'
  | 'codeSessionPrice'
>;

let built: ModelTables | undefined;

/** The built-in prices as tables; built once. */
export function priceBookTables(): ModelTables {
  built ??= buildTables();
  return built;
}

function buildTables(): ModelTables {
  const modelPrice = new Map<string, number>();
  const ratios = new Map<string, UsdRatios>();
  for (const row of PRICE_BOOK) {
    const rowRatios = 'perCall' in row ? undefined : ratiosOfUsd(row);
    for (const name of row.names) {
      if ('perCall' in row) modelPrice.set(name, row.perCall);
      if (rowRatios) ratios.set(name, rowRatios);
    }
  }
  return {
    modelPrice,
    modelRatio: column(ratios, 'modelRatio'),
    completionRatio: column(ratios, 'completionRatio'),
    cacheRatio: column(ratios, 'cacheRatio'),
    cacheCreationRatio: column(ratios, 'cacheCreationRatio'),
    audioRatio: column(ratios, 'audioRatio'),
    audioCompletionRatio: column(ratios, 'audioCompletionRatio'),
    // Set per family (`family-rules.ts`).
    webSearchPrice: new Map(),
    // The same for all models (`TOOL_PRICES`).
    fileSearchPrice: new Map(),
    codeSessionPrice: new Map(),
  };
}

function column(rows: ReadonlyMap<string, UsdRatios>, key: keyof UsdRatios): Map<string, number> {
  const values = new Map<string, number>();
  for (const [name, row] of rows) {
    const value = row[key];
    if (value !== undefined) values.set(name, value);
  }
  return values;
}

/** Overrides as stored in the ratio options: model name to number. */
export type ModelOverrides = {
  readonly [K in keyof ModelTables]?:
    | Readonly<Record<string, number>>
    | ReadonlyMap<string, number>;
};

/**
 * Merges overrides into the price book. A model with a ratio override loses the book's per-call
 * price, which would otherwise take precedence over the override.
 */
export function mergeTables(book: ModelTables, overrides: ModelOverrides): ModelTables {
  const modelPrice = new Map(book.modelPrice);
  for (const [name] of entriesOf(overrides.modelRatio)) modelPrice.delete(name);
  return {
    modelPrice: merged(modelPrice, overrides.modelPrice),
    modelRatio: merged(book.modelRatio, overrides.modelRatio),
    completionRatio: merged(book.completionRatio, overrides.completionRatio),
    cacheRatio: merged(book.cacheRatio, overrides.cacheRatio),
    cacheCreationRatio: merged(book.cacheCreationRatio, overrides.cacheCreationRatio),
    audioRatio: merged(book.audioRatio, overrides.audioRatio),
    audioCompletionRatio: merged(book.audioCompletionRatio, overrides.audioCompletionRatio),
    webSearchPrice: merged(book.webSearchPrice, overrides.webSearchPrice),
    fileSearchPrice: merged(book.fileSearchPrice, overrides.fileSearchPrice),
    codeSessionPrice: merged(book.codeSessionPrice, overrides.codeSessionPrice),
  };
}

function merged(book: ReadonlyMap<string, number>, overrides: ModelOverrides[keyof ModelTables]) {
  return new Map([...book, ...entriesOf(overrides)]);
}

function entriesOf(
  overrides: ModelOverrides[keyof ModelTables],
): Iterable<readonly [string, number]> {
  if (overrides === undefined) return [];
  return overrides instanceof Map ? overrides : Object.entries(overrides);
}

let estimatedNames: ReadonlySet<string> | undefined;

/** Whether the book's price of a model is an estimate that the operator should confirm. */
export function isEstimatedPrice(model: string): boolean {
  estimatedNames ??= new Set(PRICE_BOOK.filter((row) => row.estimated).flatMap((row) => row.names));
  return estimatedNames.has(model);
}

/** The options `fallback_*` as a price; undefined if disabled or unset. */
export function fallbackPriceOf(options: {
  readonly enabled: boolean;
  readonly singlePrice: number | undefined;
  readonly inputRatio: number | undefined;
  readonly completionRatio: number | undefined;
}): FallbackPrice | undefined {
  const { singlePrice = 0, inputRatio = 0, completionRatio = 0 } = options;
  if (!options.enabled) return undefined;
  if (singlePrice > 0) return { kind: 'per_call', model_price: singlePrice };
  return inputRatio > 0 && completionRatio > 0
    ? { kind: 'per_token', model_ratio: inputRatio, completion_ratio: completionRatio }
    : undefined;
}
