/** What one catalogue says about one model of one provider. */
import type { ModelEntry } from '../../../src/domain/pricing/catalog/model-entry.ts';
import type { Offer } from '../../../src/domain/pricing/price-file/offer.ts';

export type Facts = Pick<
  ModelEntry,
  'context' | 'output_limit' | 'takes' | 'gives' | 'released' | 'retired'
>;

export interface CatalogueOffer extends Offer, Facts {
  /** Anyone may host the model, so its price is the host's. */
  readonly is_open?: true;
}

export interface SourceModel extends CatalogueOffer {
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
