/** The rates that an imported price would change. */
import type { RateCondition, Rates, RateVariant, WeekHours } from '../catalog/model-entry.ts';
import { RATE_KINDS } from '../catalog/rate-kinds.ts';
import type { ListPrice } from '../price.ts';
import { withVariant } from '../variants.ts';

/** The current price, as the management API shows it. */
export interface KnownPrice {
  readonly source: 'override' | 'synced' | 'catalog' | 'fallback' | 'unset';
  readonly rates: Rates;
  readonly variants: readonly RateVariant[];
  /** The name under which the price is stored. */
  readonly price_name?: string;
}

const REPLACEMENTS: ReadonlySet<string> = new Set(['fallback', 'unset']);

/** Undefined for a price that only replaces a missing one. */
export function ownPrice(known: KnownPrice | undefined): ListPrice | undefined {
  return known === undefined || REPLACEMENTS.has(known.source) ? undefined : known;
}

export function isSameCondition(one: RateCondition, other: RateCondition): boolean {
  const text = (when: RateCondition) => JSON.stringify(Object.entries(when).sort());
  return text(one) === text(other);
}

/** A rate that an import would change; null is no rate of its own. */
export interface RateChange {
  readonly field: (typeof RATE_KINDS)[number];
  /** Absent for the general rate. */
  readonly when?: RateCondition;
  readonly from: number | null;
  readonly to: number | null;
}

/**
 * The rate and its condition by their names in the API, for readers of any language:
 * `input`, `output (tier flex, hours 09:00-12:00 Asia/Shanghai)`.
 */
export function rateName({ field, when }: Pick<RateChange, 'field' | 'when'>): string {
  if (when === undefined) return field;
  const conditions = Object.entries({ ...when, hours: when.hours && hoursText(when.hours) })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => (value === true ? name : `${name} ${value}`));
  return `${field} (${conditions.join(', ')})`;
}

function hoursText({ from, until, zone, days = [] }: WeekHours): string {
  const on = days.length === 0 ? '' : ` on days ${days.join(' ')}`;
  return `${from}-${until} ${zone}${on}`;
}

export function rateChanges(
  price: ListPrice,
  known: KnownPrice | undefined,
): readonly RateChange[] {
  const before = ownPrice(known) ?? { rates: {}, variants: [] };
  const conditions = [...before.variants, ...price.variants].map(({ when }) => when);
  const unique = conditions.filter(
    (when, index) => conditions.findIndex((other) => isSameCondition(other, when)) === index,
  );
  return [
    ...changesIn(before.rates, price.rates),
    ...unique.flatMap((when) =>
      changesIn(ratesUnder(before, when), ratesUnder(price, when)).map((change) => ({
        ...change,
        when,
      })),
    ),
  ];
}

/** What a variant sets; a factor sets every rate that the price names. */
function ratesUnder({ rates, variants }: ListPrice, when: RateCondition): Rates {
  const variant = variants.find((one) => isSameCondition(one.when, when));
  if (variant === undefined) return {};
  return variant.factor === undefined ? (variant.rates ?? {}) : withVariant(rates, variant);
}

function changesIn(before: Rates, after: Rates): readonly RateChange[] {
  return RATE_KINDS.flatMap((field) => {
    const [from, to] = [before[field] ?? null, after[field] ?? null];
    return from === to ? [] : [{ field, from, to }];
  });
}
