import type { Rates } from '../../../../src/domain/pricing/catalog/model-entry.ts';
import { knownRates } from '../../../../src/domain/pricing/price-file/offer.ts';

export function rounded(amount: number): number {
  return Number(amount.toPrecision(10));
}

type RawRates = Readonly<Partial<Record<keyof Rates, number | null | undefined>>>;

/** The known amounts, without those out of range. */
export function ratesOf(raw: RawRates): Rates {
  const valid = Object.entries(raw).filter(
    ([, amount]) => typeof amount === 'number' && amount >= 0,
  );
  return knownRates(
    Object.fromEntries(valid.map(([kind, amount]) => [kind, rounded(amount ?? 0)])),
  );
}
