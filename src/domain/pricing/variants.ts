/** Selects the variants of a price that hold, and applies them to its rates. */
import type { RateCondition, Rates, RateVariant } from './catalog/model-entry.ts';
import type { PerTokenPrice } from './price.ts';
import {
  completeRates,
  INPUT_KINDS,
  mapRates,
  OUTPUT_KINDS,
  per,
  TOKEN_KINDS,
  type TokenRates,
  times,
} from './rates.ts';
import { isWithinHours } from './week-hours.ts';

/** What is known before the call is made. */
export interface PriceMoment {
  readonly atMs: number;
  /** Slug of the channel's type; undefined for the general price. */
  readonly provider?: string | undefined;
}

/** Whether the conditions other than those of the answer hold. */
export function holdsAt({ provider, from, until, hours }: RateCondition, moment: PriceMoment) {
  if (provider !== undefined && provider !== moment.provider) return false;
  const day = new Date(moment.atMs).toISOString().slice(0, 10);
  if ((from !== undefined && day < from) || (until !== undefined && day > until)) return false;
  return hours === undefined || isWithinHours(hours, moment.atMs);
}

/** Whether the condition depends on the answer: the length of its prompt, or its tier. */
export function dependsOnAnswer({ prompt_above, tier }: RateCondition): boolean {
  return prompt_above !== undefined || tier !== undefined;
}

/** Rates that a factor multiplies. */
const FACTORED = [...TOKEN_KINDS, 'second', 'character'] as const;

/**
 * The rates with a variant applied. A kind that the variant does not name moves with the input, or
 * with the output if it is one: a long prompt whose cached tokens have no price of their own costs
 * more for these too.
 */
export function withVariant(rates: Rates, { rates: given, factor }: RateVariant): Rates {
  const changed: Record<string, number> = { ...rates };
  if (given !== undefined) {
    moveWith(changed, rates, INPUT_KINDS, given.input);
    moveWith(changed, rates, OUTPUT_KINDS, given.output);
    Object.assign(changed, given);
  }
  if (factor !== undefined)
    for (const kind of FACTORED) {
      const rate = changed[kind];
      if (rate !== undefined) changed[kind] = times(rate, factor);
    }
  return changed;
}

/** The first of the kinds is the one that the others move with. */
function moveWith(
  changed: Record<string, number>,
  before: Rates,
  [main, ...others]: typeof INPUT_KINDS | typeof OUTPUT_KINDS,
  rate: number | undefined,
): void {
  if (rate === undefined) return;
  const ratio = per(rate, before[main] ?? 0);
  if (ratio === undefined) return;
  for (const kind of others) {
    const known = before[kind];
    if (known !== undefined) changed[kind] = times(known, ratio);
  }
}

/** What the answer decides. */
export interface AnswerFacts {
  /** All tokens of the prompt. */
  readonly promptTokens: number;
  readonly tier?: string | undefined;
  /** Tokens before the part of the prompt that is charged, for marginal variants. */
  readonly partAbove?: number;
}

function holdsFor({ when }: RateVariant, facts: AnswerFacts): boolean {
  const { prompt_above, is_marginal, tier } = when;
  if (tier !== undefined && tier !== facts.tier) return false;
  if (prompt_above === undefined) return true;
  return is_marginal ? (facts.partAbove ?? 0) >= prompt_above : facts.promptTokens > prompt_above;
}

/** The rates that apply to an answer, and the conditions that changed them. */
export interface AppliedRates {
  readonly rates: TokenRates;
  readonly conditions: readonly RateCondition[];
}

/** What a price yields, by which of its variants hold; the same for thousands of calls. */
interface KeptRates {
  readonly applied: Map<string, AppliedRates>;
  readonly highest: Map<string, TokenRates>;
  /** Lengths above which other rates hold for the whole prompt or the rest of it, in order. */
  readonly limits: readonly number[];
  readonly marginalLimits: readonly number[];
}

const kept = new WeakMap<PerTokenPrice, KeptRates>();

function keptRates(price: PerTokenPrice): KeptRates {
  const known = kept.get(price);
  if (known !== undefined) return known;
  const variants = price.byAnswer?.variants ?? [];
  const marginal = variants.filter(({ when }) => when.is_marginal);
  const made = {
    applied: new Map(),
    highest: new Map(),
    limits: limitsOf(variants),
    marginalLimits: limitsOf(marginal),
  };
  kept.set(price, made);
  return made;
}

/** The rates for an answer, with their conditions. */
export function appliedRates(price: PerTokenPrice, facts: AnswerFacts): AppliedRates {
  const { applied } = keptRates(price);
  const variants = price.byAnswer?.variants ?? [];
  let key = '';
  for (const variant of variants) key += holdsFor(variant, facts) ? '1' : '0';
  const known = applied.get(key);
  if (known !== undefined) return known;
  const made = applyVariants(
    price,
    variants.filter((variant) => holdsFor(variant, facts)),
  );
  applied.set(key, made);
  return made;
}

function applyVariants(price: PerTokenPrice, held: readonly RateVariant[]): AppliedRates {
  const { byAnswer, conditions = [] } = price;
  if (byAnswer === undefined) return { rates: price.rates, conditions };
  const ofAnswer = held.filter(({ when }) => dependsOnAnswer(when));
  return {
    rates: completeRates(held.reduce(withVariant, byAnswer.base), price.name),
    conditions: [...conditions, ...ofAnswer.map(({ when }) => when)],
  };
}

/** The rates for an answer. */
export function ratesFor(price: PerTokenPrice, facts: AnswerFacts): TokenRates {
  return price.byAnswer === undefined ? price.rates : appliedRates(price, facts).rates;
}

/** Lengths above which other rates hold for the rest of the prompt, in order. */
export function marginalLimits(price: PerTokenPrice): readonly number[] {
  return keptRates(price).marginalLimits;
}

function limitsOf(variants: readonly RateVariant[]): readonly number[] {
  const limits = variants.flatMap(({ when }) => when.prompt_above ?? []);
  return [...new Set(limits)].sort((a, b) => a - b);
}

/**
 * The highest rate of every kind for prompts up to `promptTokens`, at the standard tier or the
 * requested one: a cheaper tier may not be granted.
 */
export function highestRates(
  price: PerTokenPrice,
  { promptTokens, tier }: AnswerFacts,
): TokenRates {
  if (price.byAnswer === undefined) return price.rates;
  const { highest, limits: all } = keptRates(price);
  const passed = all.findLastIndex((limit) => limit < promptTokens) + 1;
  // Clients choose the name of a tier, so others than those of the price are not kept.
  const priced = tier !== undefined && hasTier(price, tier) ? tier : undefined;
  const key = `${passed} ${priced}`;
  const known = highest.get(key);
  if (known !== undefined) return known;
  const lengths = [0, ...all.slice(0, passed).map((limit) => limit + 1)];
  const possible = lengths.flatMap((length) =>
    [undefined, priced].map((tier) =>
      ratesFor(price, { promptTokens: length, tier, partAbove: length }),
    ),
  );
  const made = mapRates((kind) => Math.max(...possible.map((rates) => rates[kind])));
  highest.set(key, made);
  return made;
}

/** The variants that the answer decides. */
export function answerVariants({ byAnswer }: Pick<PerTokenPrice, 'byAnswer'>): RateVariant[] {
  return byAnswer?.variants.filter(({ when }) => dependsOnAnswer(when)) ?? [];
}

/** Whether the price has rates for a service tier. */
export function hasTier({ byAnswer }: PerTokenPrice, tier: string): boolean {
  return byAnswer?.variants.some(({ when }) => when.tier === tier) ?? false;
}
