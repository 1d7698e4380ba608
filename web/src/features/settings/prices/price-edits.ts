/** Prices as the visual editor changes them, and what that makes of the options. */
import { ratiosOfUsd } from '../../../../../src/domain/pricing/price-book/usd.ts';

export const PRICE_MAPS = ['ModelPrice', 'ModelRatio', 'CompletionRatio'] as const;
export type PriceMap = (typeof PRICE_MAPS)[number];

/** An absent field stays as it is; `null` takes the own value away, so that the built-in one counts. */
export interface PriceEdit {
  /** A model that no list knows yet. */
  readonly isNew?: boolean;
  readonly price?: number | null;
  readonly ratio?: number | null;
  readonly completion?: number | null;
}

/** What a line of the table shows; null is a blank cell. */
export interface ShownPrice {
  readonly price: number | null;
  readonly ratio: number | null;
  readonly completion: number | null;
}

interface Entry {
  readonly billing: 'per_token' | 'per_call' | 'none';
  readonly model_price: number;
  readonly model_ratio: number;
  readonly completion_ratio: number;
}

export function shownPrice(entry: Entry | undefined, edit: PriceEdit = {}): ShownPrice {
  const isTokens = entry?.billing === 'per_token';
  return {
    price: edit.price ?? (edit.price === null || !isCall(entry) ? null : entry.model_price),
    ratio: edit.ratio ?? (edit.ratio === null || !isTokens ? null : entry.model_ratio),
    completion:
      edit.completion ?? (edit.completion === null || !isTokens ? null : entry.completion_ratio),
  };
}

function isCall(entry: Entry | undefined): entry is Entry {
  return entry?.billing === 'per_call';
}

/** One cell changed: a fixed price excludes ratios, and a ratio the fixed price. */
export function cellEdit(edit: PriceEdit, cell: keyof ShownPrice, value: number | null): PriceEdit {
  if (cell === 'price')
    return value === null
      ? { ...edit, price: null }
      : { ...edit, price: value, ratio: null, completion: null };
  if (value === null) return { ...edit, [cell]: null };
  return { ...edit, price: null, [cell]: value };
}

/** A cell's text: a number of 0 or more, `null` when blank, or what is wrong with it. */
export function cellValue(text: string): number | null | 'notNumber' | 'negative' {
  if (text.trim() === '') return null;
  const number = Number(text);
  if (!Number.isFinite(number)) return 'notNumber';
  return number < 0 ? 'negative' : number;
}

/** Ratios of prices per million tokens; 'zero' where an output price has nothing to relate to. */
export function editOfUsd(input: number, output: number | null): PriceEdit | 'zero' {
  if (output !== null && input === 0) return 'zero';
  const { modelRatio, completionRatio } = ratiosOfUsd({ in: input, out: output ?? undefined });
  return {
    price: null,
    ratio: modelRatio,
    ...(output !== null && { completion: completionRatio ?? 0 }),
  };
}

/** The options' texts with the edits in them; undefined when one of them is no JSON map. */
export function withEdits(
  texts: Readonly<Record<PriceMap, string>>,
  edits: ReadonlyMap<string, PriceEdit>,
): Record<PriceMap, string> | undefined {
  const maps = {
    ModelPrice: mapOf(texts.ModelPrice),
    ModelRatio: mapOf(texts.ModelRatio),
    CompletionRatio: mapOf(texts.CompletionRatio),
  };
  const { ModelPrice, ModelRatio, CompletionRatio } = maps;
  if (!ModelPrice || !ModelRatio || !CompletionRatio) return undefined;
  for (const [model, { price, ratio, completion }] of edits) {
    put(ModelPrice, model, price);
    put(ModelRatio, model, ratio);
    put(CompletionRatio, model, completion);
  }
  return {
    ModelPrice: print(ModelPrice),
    ModelRatio: print(ModelRatio),
    CompletionRatio: print(CompletionRatio),
  };
}

function put(map: Map<string, unknown>, model: string, value: number | null | undefined): void {
  if (value === null) map.delete(model);
  else if (value !== undefined) map.set(model, value);
}

function mapOf(text: string): Map<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isMap ? new Map(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}

function print(map: ReadonlyMap<string, unknown>): string {
  return JSON.stringify(Object.fromEntries(map), null, 2);
}
