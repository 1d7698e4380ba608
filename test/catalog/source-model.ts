/** What one catalogue says about one model of one provider. */
import type {
  ModelEntry,
  Rates,
  RateVariant,
} from '../../src/domain/pricing/catalog/model-entry.ts';

export type Facts = Pick<
  ModelEntry,
  'context' | 'output_limit' | 'takes' | 'gives' | 'released' | 'retired'
>;

export interface SourceModel extends Facts {
  /** Catalogue and date: `pi-ai 2026-11-10`. */
  readonly source: string;
  /** The catalogue's name of the provider. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly name: string;
  readonly rates: Rates;
  readonly variants: readonly RateVariant[];
  /** Anyone may host the model, so its price is the host's. */
  readonly is_open?: true;
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
