/** Decisions that differ from the rule "the newest own price of the maker", with their reasons. */
import { readFileSync } from 'node:fs';
import { definedFields } from '../../../src/domain/defined-fields.ts';
import type {
  RateKind,
  Rates,
  RateVariant,
} from '../../../src/domain/pricing/catalog/model-entry.ts';
import { type Draft, hasBase } from './build/draft.ts';
import { makerOfName } from './makers.ts';
import type { Facts } from './source-model.ts';

export interface Correction {
  readonly names: readonly string[];
  /** Replaces single rates; null removes one. */
  readonly rates?: Readonly<Partial<Record<RateKind, number | null>>>;
  /** Replaces all variants. */
  readonly variants?: readonly RateVariant[];
  readonly facts?: Facts;
  /** Further names of the model. */
  readonly also?: readonly string[];
  readonly no_price?: string;
  readonly is_estimated?: boolean;
  /** Leaves the names out: they are not models, or the models are retired. */
  readonly omit?: true;
  /** The sources disagree about these kinds, and the newest one is right. */
  readonly newest?: readonly RateKind[];
  readonly source: string;
  readonly date: string;
  readonly reason: string;
}

export function readCorrections(): readonly Correction[] {
  return JSON.parse(readFileSync(new URL('corrections.json', import.meta.url), 'utf8'));
}

export function correctionsOf(
  corrections: readonly Correction[],
  name: string,
): readonly Correction[] {
  return corrections.filter(({ names }) => names.includes(name));
}

/** The draft with all corrections of its name; undefined if it still has neither price nor reason. */
export function correctedDraft(
  name: string,
  draft: Draft | undefined,
  corrections: readonly Correction[],
): Draft | undefined {
  const own = correctionsOf(corrections, name);
  if (own.some(({ omit }) => omit)) return undefined;
  const start = draft ?? { name, maker: makerOfName(name) ?? '', variants: [], source: '', age: 0 };
  const corrected = own.reduce(withRow, start);
  const isKnown = hasBase(corrected.rates) || corrected.no_price !== undefined;
  return isKnown ? corrected : undefined;
}

function withRow(draft: Draft, row: Correction): Draft {
  const { no_price, is_estimated } = row;
  const rates = row.rates ? withoutNull({ ...draft.rates, ...row.rates }) : draft.rates;
  const { is_estimated: wasEstimated, ...rest } = draft;
  const isEstimated = is_estimated ?? wasEstimated;
  const isNewPrice = hasBase(definedRates(row)) || no_price !== undefined;
  return {
    ...rest,
    ...row.facts,
    ...definedFields({ rates, no_price }),
    variants: row.variants ?? withoutRemoved(draft.variants, row.rates ?? {}),
    ...(isEstimated && { is_estimated: true }),
    source: isNewPrice ? `${row.source} ${row.date}` : draft.source,
  };
}

function withoutRemoved(
  variants: readonly RateVariant[],
  changed: NonNullable<Correction['rates']>,
): readonly RateVariant[] {
  return variants.map((variant) => {
    const kept = Object.entries(variant.rates ?? {}).filter(
      ([kind]) => !Object.entries(changed).some(([one, rate]) => one === kind && rate === null),
    );
    return variant.rates ? { ...variant, rates: Object.fromEntries(kept) } : variant;
  });
}

function definedRates({ rates }: Correction): Rates {
  return rates === undefined ? {} : withoutNull(rates);
}

function withoutNull(rates: NonNullable<Correction['rates']>): Rates {
  return Object.fromEntries(Object.entries(rates).filter(([, amount]) => amount !== null));
}
