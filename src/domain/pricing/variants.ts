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

/** The rates of a price by which of its variants hold; the same for thousands of calls. */
const kept = new WeakMap<PerTokenPrice, Map<string, TokenRates>>();

function keptRates(price: PerTokenPrice, key: string, make: () => TokenRates): TokenRates {
  const rates = kept.get(price) ?? new Map<string, TokenRates>();
  kept.set(price, rates);
  const known = rates.get(key) ?? make();
  rates.set(key, known);
  return known;
}

/** The rates for an answer. */
export function ratesFor(price: PerTokenPrice, facts: AnswerFacts): TokenRates {
  if (price.byAnswer === undefined) return price.rates;
  const { base, variants } = price.byAnswer;
  const held = variants.filter((variant) => holdsFor(variant, facts));
  const key = variants.map((variant) => (held.includes(variant) ? 1 : 0)).join('');
  return keptRates(price, key, () => completeRates(held.reduce(withVariant, base), price.name));
}

/** The conditions of the answer that changed its rates. */
export function conditionsFor(
  { byAnswer, conditions = [] }: PerTokenPrice,
  facts: AnswerFacts,
): readonly RateCondition[] {
  if (byAnswer === undefined) return conditions;
  const held = answerVariants({ byAnswer }).filter((variant) => holdsFor(variant, facts));
  return [...conditions, ...held.map(({ when }) => when)];
}

/** Lengths above which other rates hold for the rest of the prompt, in order. */
export function marginalLimits({ byAnswer }: PerTokenPrice): readonly number[] {
  return limitsOf(byAnswer?.variants.filter(({ when }) => when.is_marginal) ?? []);
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
  const limits = limitsOf(price.byAnswer.variants).filter((limit) => limit < promptTokens);
  // Clients choose the name of a tier, so others than those of the price are not kept.
  const priced = tier !== undefined && hasTier(price, tier) ? tier : undefined;
  return keptRates(price, `highest ${limits.length} ${priced}`, () => {
    const possible = [0, ...limits.map((limit) => limit + 1)].flatMap((length) =>
      [undefined, priced].map((tier) =>
        ratesFor(price, { promptTokens: length, tier, partAbove: length }),
      ),
    );
    return mapRates((kind) => Math.max(...possible.map((rates) => rates[kind])));
  });
}

/** The variants that the answer decides. */
export function answerVariants({ byAnswer }: Pick<PerTokenPrice, 'byAnswer'>): RateVariant[] {
  return byAnswer?.variants.filter(({ when }) => dependsOnAnswer(when)) ?? [];
}

/** Whether the price has rates for a service tier. */
export function hasTier({ byAnswer }: PerTokenPrice, tier: string): boolean {
  return byAnswer?.variants.some(({ when }) => when.tier === tier) ?? false;
}
