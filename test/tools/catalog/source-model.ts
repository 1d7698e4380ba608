/** What one catalogue says about one model of one provider. */
import type { Offer, OfferFacts } from '../../../src/domain/pricing/price-file/offer.ts';

export type Facts = OfferFacts;

export interface SourceModel extends Omit<Offer, 'has_other_unit'> {
  /** Catalogue and date: `pi-ai 2026-11-10`. */
  readonly source: string;
  readonly is_estimated?: true;
}

/** The provider of prices that are kept by hand. */
export const KEPT = 'kept';

/** The difference relative to the larger amount. */
export function differenceOf(one: number, other: number): number {
  return one === other ? 0 : Math.abs(one - other) / Math.max(one, other);
}

/** The same amount, apart from rounding in a catalogue. */
export function isSameAmount(one: number | undefined, other: number | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return differenceOf(one, other) < 0.05;
}
