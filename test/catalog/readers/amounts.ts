import type { Rates, RateVariant } from '../../../src/domain/pricing/catalog/model-entry.ts';

/** Without the float error of the conversion from one token to a million. */
export function perMillion(cost: number): number {
  return rounded(cost * 1_000_000);
}

export function rounded(amount: number): number {
  return Number(amount.toPrecision(10));
}

type RawRates = Readonly<Partial<Record<keyof Rates, number | null | undefined>>>;

/**
 * Without unknown amounts. A catalogue writes 0 also for an unknown price, so 0 counts only in the
 * price of a model that is free altogether, and as the output of a model with a paid input.
 */
export function ratesOf(raw: RawRates): Rates {
  const isPaid = Object.values(raw).some((amount) => (amount ?? 0) > 0);
  const known = Object.entries(raw).filter(
    ([kind, amount]) =>
      typeof amount === 'number' && amount >= 0 && (amount > 0 || kind === 'output' || !isPaid),
  );
  return Object.fromEntries(known.map(([kind, amount]) => [kind, rounded(amount ?? 0)]));
}

export function isPriced(rates: Rates): boolean {
  return Object.values(rates).some((amount) => amount > 0);
}

/** Variants that set at least one rate. */
export function pricedVariants(variants: readonly RateVariant[]): readonly RateVariant[] {
  return variants.filter(({ rates }) => rates !== undefined && isPriced(rates));
}

/** Undefined for an absent or meaningless number. */
export function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
