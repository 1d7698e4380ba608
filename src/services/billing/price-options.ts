/** A price that an administrator gives, as entries of the options that hold own prices. */
import type * as z from 'zod/mini';
import type { PriceSet } from '../../api/billing/price.ts';
import type { Context } from '../../context.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import type { OptionValues } from '../../domain/options/registry.ts';
import { PRICE_OPTIONS, type PriceOption } from '../../domain/options/rows/pricing.ts';
import type { ListPrice } from '../../domain/pricing/price.ts';
import { MAX_RATIO } from '../../domain/pricing/price-bounds.ts';
import { ModelRatesSchema } from '../../domain/pricing/rate-schema.ts';
import { per } from '../../domain/pricing/rates.ts';
import { currentPrice } from './price-entry.ts';

/** The value to write per option; undefined removes the entry, an absent key leaves it. */
type PriceNumbers = Readonly<Partial<Record<PriceOption, number | ListPrice | undefined>>>;

/** Removes the model from every option. */
export const NO_ENTRIES = Object.fromEntries(PRICE_OPTIONS.map((key) => [key, undefined]));

/**
 * The entries that a given price writes.
 * @throws AppError input_invalid when the amounts contradict each other or give no input price.
 */
export function numbersOf(
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

export interface PriceInput {
  readonly model: string;
  readonly numbers: PriceNumbers;
}

/** The value of an option with these entries. */
export function withEntries(
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

/** USD per million input tokens, for a model with a price of its own per token. */
function usdInput(ctx: Context, options: OptionValues, model: string): number | undefined {
  const price = currentPrice(ctx, options, model);
  return price?.kind === 'per_token' && price.rule === 'requested' ? price.rates.input : undefined;
}
