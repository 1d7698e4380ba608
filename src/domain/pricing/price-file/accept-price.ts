/** Puts single rates into a price, and takes single rates out of one. */
import type { RateCondition, Rates, RateVariant } from '../catalog/model-entry.ts';
import type { ListPrice } from '../price.ts';
import { withVariant } from '../variants.ts';
import { UNITS } from './offer.ts';
import { isSameCondition, type RateChange } from './rate-changes.ts';

/** Whether both are charged by the same unit; a price without one only changes others. */
export function isSameUnit(given: Rates, before: Rates): boolean {
  const unitIn = (rates: Rates) => UNITS.find((unit) => rates[unit] !== undefined);
  return unitIn(given) === undefined || unitIn(given) === unitIn(before);
}

/**
 * The price with the given rates instead of its own. Rates that are not given keep their amount,
 * also those under a condition. A price with another unit replaces the whole price.
 */
export function acceptedPrice(given: ListPrice, before: ListPrice | undefined): ListPrice {
  if (before === undefined || !isSameUnit(given.rates, before.rates)) return given;
  return {
    rates: { ...before.rates, ...given.rates },
    variants: withVariants(before, given.variants),
  };
}

/** The variants of a price with the given ones; those of hosts come last, because they replace others. */
export function withVariants(
  before: ListPrice,
  given: readonly RateVariant[],
): readonly RateVariant[] {
  const changed = before.variants.map((variant) => {
    const own = given.find(({ when }) => isSameCondition(when, variant.when));
    return own === undefined ? variant : mergedVariant(before.rates, variant, own);
  });
  const added = given.filter(
    ({ when }) => !before.variants.some((variant) => isSameCondition(when, variant.when)),
  );
  const isHost = ({ when }: RateVariant) => when.provider !== undefined;
  const all = [...changed, ...added];
  return [...all.filter((variant) => !isHost(variant)), ...all.filter(isHost)];
}

/** A factor becomes the rates that it led to when single rates replace it. */
function mergedVariant(base: Rates, before: RateVariant, given: RateVariant): RateVariant {
  if (given.factor !== undefined) return given;
  const rates = before.factor === undefined ? before.rates : withVariant(base, before);
  return { when: given.when, rates: { ...rates, ...given.rates } };
}

/** The part of a new price that the chosen changes stand for. */
export function partOfPrice(
  price: ListPrice,
  chosen: readonly Pick<RateChange, 'field' | 'when' | 'to'>[],
): ListPrice {
  const conditions = chosen.flatMap(({ when }) => when ?? []);
  const unique = conditions.filter(
    (when, index) => conditions.findIndex((other) => isSameCondition(when, other)) === index,
  );
  return {
    rates: ratesOf(chosen.filter(({ when }) => when === undefined)),
    variants: unique.flatMap((condition) => partOfVariant(price, condition, chosen)),
  };
}

function partOfVariant(
  { rates, variants }: ListPrice,
  condition: RateCondition,
  chosen: readonly Pick<RateChange, 'field' | 'when' | 'to'>[],
): readonly RateVariant[] {
  const isOf = ({ when }: { readonly when?: RateCondition }) =>
    when !== undefined && isSameCondition(when, condition);
  const part = ratesOf(chosen.filter(isOf));
  const whole = variants.find(isOf);
  // A factor stays one if all of the rates that it leads to are chosen.
  if (whole?.factor !== undefined && isCovered(withVariant(rates, whole), part)) return [whole];
  return Object.keys(part).length === 0 ? [] : [{ when: condition, rates: part }];
}

function isCovered(all: Rates, part: Rates): boolean {
  return Object.entries(all).every(([kind]) => kind in part);
}

function ratesOf(changes: readonly Pick<RateChange, 'field' | 'to'>[]): Rates {
  return Object.fromEntries(changes.flatMap(({ field, to }) => (to === null ? [] : [[field, to]])));
}
