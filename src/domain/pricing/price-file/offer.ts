/** What a public catalogue lists as the price of one model of one provider. */
import type { Rates, RateVariant } from '../catalog/model-entry.ts';
import { RATE_KINDS } from '../catalog/rate-kinds.ts';
import { per } from '../rates.ts';

export interface Offer {
  /** The catalogue's name of the provider. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly name: string;
  /** Amounts out of range stay, so that a reader can refuse the entry. */
  readonly rates: Rates;
  /** Explicit rates only: no factors. */
  readonly variants: readonly RateVariant[];
}

type RawRates = Readonly<Partial<Record<keyof Rates, number | undefined>>>;

/**
 * The amounts that are known. Catalogues write 0 also for an unknown price, so 0 counts only in the
 * price of a model that is free altogether, and as the output of a model with a paid input.
 */
export function knownRates(raw: RawRates): Rates {
  const isPaid = Object.values(raw).some((amount) => (amount ?? 0) !== 0);
  const known = Object.entries(raw).filter(
    ([kind, amount]) => amount !== undefined && (amount !== 0 || kind === 'output' || !isPaid),
  );
  return Object.fromEntries(known);
}

export function isPriced(rates: Rates): boolean {
  return Object.values(rates).some((amount) => amount !== 0);
}

/** What a model can be charged by; a price has exactly one of these. */
export const UNITS = ['input', 'second', 'character', 'call'] as const;

/** Variants that set at least one rate. */
export function pricedVariants(variants: readonly RateVariant[]): readonly RateVariant[] {
  return variants.filter(({ rates }) => rates !== undefined && isPriced(rates));
}

/** Undefined for an absent or meaningless number. */
export function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

/** Catalogues round, so factors of the rates may differ by this part. */
const ROUNDING = 0.06;

/**
 * The variants with one factor instead of the rates of a service tier whose rates all move alike:
 * it applies to long prompts too, which then need no rates of their own.
 */
export function withTierFactors({ rates, variants }: Pick<Offer, 'rates' | 'variants'>) {
  const factors = new Map<string, number>();
  for (const { when, rates: own = {} } of variants) {
    const factor = isPlainTier(when) ? commonFactor(rates, own) : undefined;
    if (when.tier !== undefined && factor !== undefined) factors.set(when.tier, factor);
  }
  return variants.flatMap((variant): RateVariant[] => {
    const factor = factors.get(variant.when.tier ?? '');
    if (factor === undefined) return [variant];
    return isPlainTier(variant.when) ? [{ when: variant.when, factor }] : [];
  });
}

function isPlainTier({ tier, prompt_above }: RateVariant['when']): boolean {
  return tier !== undefined && prompt_above === undefined;
}

function commonFactor(base: Rates, rates: Rates): number | undefined {
  const factors = RATE_KINDS.flatMap((kind) => per(rates[kind] ?? 0, base[kind] ?? 0) || []);
  const [factor] = factors;
  const isCommon =
    factor !== undefined && factors.every((other) => Math.abs(other - factor) <= ROUNDING * factor);
  return isCommon ? factor : undefined;
}
