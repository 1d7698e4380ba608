/** Edits of the visual price editor, and the option values they produce. */

import { per } from '../../../../../src/domain/pricing/rates.ts';
import { isObject, parseJson } from '../../../../../src/json/read-json.ts';

export const PRICE_MAPS = ['ModelPrice', 'ModelRatio', 'CompletionRatio'] as const;
export type PriceMap = (typeof PRICE_MAPS)[number];

/** An absent field is unchanged; `null` removes the custom value in favour of the built-in one. */
export interface PriceEdit {
  /** A model that is in no price list. */
  readonly isNew?: boolean;
  readonly price?: number | null;
  readonly ratio?: number | null;
  readonly completion?: number | null;
}

/** The values of a table row; null is a blank cell. */
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

/** One changed cell: a fixed price and ratios exclude each other. */
export function cellEdit(edit: PriceEdit, cell: keyof ShownPrice, value: number | null): PriceEdit {
  if (cell === 'price')
    return value === null
      ? { ...edit, price: null }
      : { ...edit, price: value, ratio: null, completion: null };
  if (value === null) return { ...edit, [cell]: null };
  return { ...edit, price: null, [cell]: value };
}

/** Parses a cell: a number of 0 or more, `null` if blank, or the error. */
export function cellValue(text: string): number | null | 'notNumber' | 'negative' {
  if (text.trim() === '') return null;
  const number = Number(text);
  if (!Number.isFinite(number)) return 'notNumber';
  return number < 0 ? 'negative' : number;
}

/** Ratios for prices per million tokens; 'zero' if an output price has no input to relate to. */
export function editOfUsd(input: number, output: number | null): PriceEdit | 'zero' {
  if (output !== null && input === 0) return 'zero';
  return {
    price: null,
    ratio: per(input, 2) ?? 0,
    ...(output !== null && { completion: per(output, input) ?? 0 }),
  };
}

/** The options' texts with the edits applied; undefined if one of them is not a JSON map. */
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
  const value = text.trim() === '' ? {} : parseJson(text);
  return isObject(value) ? new Map(Object.entries(value)) : undefined;
}

function print(map: ReadonlyMap<string, unknown>): string {
  return JSON.stringify(Object.fromEntries(map), null, 2);
}
