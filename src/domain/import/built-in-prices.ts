/**
 * The price of a model in an installation of the one-api family: the saved price, otherwise the one
 * built into its program. The database alone does not contain the latter.
 */
import { collapsedName } from '../pricing/model-names.ts';
import { COMPLETION_RULES } from './completion-rules.ts';
import type { SourceFamily } from './family.ts';
import {
  NEW_API_CNY,
  NEW_API_PRICES,
  NEW_API_RATIOS,
  VELOERA_PRICES,
  VELOERA_RATIOS,
} from './ratios-new-api.ts';
import { ONE_API_CNY, ONE_API_PICTURES, ONE_API_RATIOS } from './ratios-one-api.ts';

type Numbers = Readonly<Record<string, unknown>>;

/** The saved maps; undefined for a map that was never saved. */
export interface SavedPrices {
  readonly ModelRatio: Numbers | undefined;
  readonly ModelPrice: Numbers | undefined;
  readonly CompletionRatio: Numbers | undefined;
}

export type ImportedPrice =
  | { readonly model_ratio: number; readonly completion_ratio: number }
  /** USD per call. */
  | { readonly model_price: number };

interface BuiltIn {
  readonly prices: ReadonlyMap<string, number>;
  readonly ratios: ReadonlyMap<string, number>;
  /** Whether a saved map replaces the built-in one; otherwise its entries are merged over it. */
  readonly isReplaced: boolean;
}

const builtIns = new Map<SourceFamily, BuiltIn>();

function builtInOf(family: SourceFamily): BuiltIn {
  const known = builtIns.get(family) ?? readBuiltIn(family);
  builtIns.set(family, known);
  return known;
}

function readBuiltIn(family: SourceFamily): BuiltIn {
  if (family === 'one-api')
    return {
      prices: figuresOf([ONE_API_PICTURES], ONE_API_CNY),
      ratios: figuresOf([ONE_API_RATIOS], ONE_API_CNY),
      isReplaced: false,
    };
  const isNewApi = family === 'new-api';
  return {
    prices: figuresOf([VELOERA_PRICES, isNewApi ? NEW_API_PRICES : ''], NEW_API_CNY),
    ratios: figuresOf([VELOERA_RATIOS, isNewApi ? NEW_API_RATIOS : ''], NEW_API_CNY),
    isReplaced: true,
  };
}

/** Parses lines that each hold a number and the models it applies to. */
function figuresOf(texts: readonly string[], perYuan: number): Map<string, number> {
  const figures = new Map<string, number>();
  for (const line of texts.join('\n').split('\n')) {
    const [figure = '', ...models] = line.split(' ').filter((word) => word !== '');
    const isYuan = figure.endsWith('¥');
    const amount = Number(isYuan ? figure.slice(0, -1) : figure);
    const number = isYuan ? Number((amount * perYuan).toPrecision(12)) : amount;
    for (const model of models) figures.set(model, number);
  }
  return figures;
}

/**
 * The source's price of a model if its program contributes any part of it; undefined if the price
 * is entirely saved or does not exist.
 */
export function builtInPrice(
  family: SourceFamily,
  model: string,
  saved: SavedPrices,
): ImportedPrice | undefined {
  const name = nameIn(family, model);
  const { prices, ratios, isReplaced } = builtInOf(family);
  if (numberIn(saved.ModelPrice, name) !== undefined) return undefined;
  const ratio = numberIn(saved.ModelRatio, name);
  const price = saved.ModelPrice !== undefined && isReplaced ? undefined : prices.get(name);
  // A per-call price wins over a ratio; one-api has ratios only, and uses them for images too.
  if (price !== undefined && (isReplaced || ratio === undefined)) return { model_price: price };
  const isOverruled = saved.ModelRatio !== undefined && isReplaced;
  const model_ratio = ratio ?? (isOverruled ? undefined : ratios.get(name));
  if (model_ratio === undefined) return undefined;
  const completion = completionOf(family, name, saved);
  if (ratio !== undefined && completion.isSaved) return undefined;
  return { model_ratio, completion_ratio: completion.ratio };
}

function completionOf(family: SourceFamily, name: string, { CompletionRatio }: SavedPrices) {
  const own = numberIn(CompletionRatio, name);
  const rule = COMPLETION_RULES[family].find((one) => one.name.test(name));
  const isSaved = own !== undefined && (family === 'one-api' || rule?.isFixed !== true);
  return { ratio: isSaved ? own : (rule?.ratio ?? 1), isSaved };
}

function nameIn(family: SourceFamily, model: string): string {
  if (family !== 'one-api') return collapsedName(model) ?? model;
  return /^(qwen|command)-/.test(model) ? model.replace(/-internet$/, '') : model;
}

function numberIn(map: Numbers | undefined, name: string): number | undefined {
  const value = map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
  return typeof value === 'number' ? value : undefined;
}
