/** Finds the price that applies to a call. `charge.ts` computes the amount. */
import { familySearchPrice, TOOL_PRICES } from './family-rules.ts';
import { findModelName } from './model-names.ts';
import { isPerCall, type ListPrice, type Price, type PriceRule } from './price.ts';
import type { PriceTables } from './price-tables.ts';
import { completeRates } from './rates.ts';
import { dependsOnAnswer, holdsAt, type PriceMoment, withVariant } from './variants.ts';

export interface PriceNames {
  /** The model name requested by the client, without a channel prefix. */
  readonly requested: string;
  /** The upstream name, if a mapping changed it. */
  readonly mapped?: string | undefined;
}

export interface Leniency {
  /** Self-use mode: no price is needed. */
  readonly selfUse: boolean;
  /** The user accepts models without a price. */
  readonly acceptUnset: boolean;
}

/** Refuses models without a price. */
export const STRICT: Leniency = { selfUse: false, acceptUnset: false };

/** Price of a model without one, if such calls are allowed: 75 USD per million tokens. */
const UNSET_PRICE: ListPrice = { rates: { input: 75 }, variants: [] };

/**
 * The price of a call, or undefined if there is none and the call must be rejected. Uses the
 * requested name if it has a price, then the mapped name, each first as it is and then by the rules
 * of `model-names.ts`, then the fallback price.
 */
export function findPrice(
  tables: PriceTables,
  names: PriceNames,
  leniency: Leniency,
  moment: PriceMoment,
): Price | undefined {
  const listed = findListed(tables, names);
  if (listed !== undefined) return priceInForce(listed.price, listed, moment);
  const named = { name: names.requested } as const;
  if (tables.fallback !== undefined)
    return priceInForce(
      tables.withOwnRatios(named.name, tables.fallback),
      { ...named, rule: 'fallback' },
      moment,
    );
  if (!leniency.selfUse && !leniency.acceptUnset) return undefined;
  return priceInForce(
    tables.withOwnRatios(named.name, UNSET_PRICE),
    { ...named, rule: 'unset' },
    moment,
  );
}

interface Listed {
  readonly name: string;
  readonly rule: PriceRule;
  readonly price: ListPrice;
}

function findListed(
  { models }: PriceTables,
  { requested, mapped }: PriceNames,
): Listed | undefined {
  const names = [
    { name: requested, rule: 'requested' },
    ...(mapped === undefined ? [] : [{ name: mapped, rule: 'mapped' } as const]),
  ] as const;
  for (const { name, rule } of names) {
    const price = models.get(name);
    if (price !== undefined) return { name, rule, price };
  }
  for (const { name, rule } of names) {
    const found = findModelName(models, name);
    const price = found === undefined ? undefined : models.get(found);
    if (found !== undefined && price !== undefined) return { name: found, rule, price };
  }
  return undefined;
}

/** The price at a moment, with the variants left that only the answer decides. */
export function priceInForce(
  list: ListPrice,
  { name, rule }: { readonly name: string; readonly rule: PriceRule },
  moment: PriceMoment,
): Price {
  const variants = list.variants.filter(({ when }) => holdsAt(when, moment));
  const certain = variants.filter(({ when }) => !dependsOnAnswer(when));
  const rates = certain.reduce(withVariant, list.rates);
  if (isPerCall({ rates })) return { kind: 'per_call', name, rule, model_price: rates.call ?? 0 };
  const conditions = certain.map(({ when }) => when);
  return {
    kind: 'per_token',
    name,
    rule,
    rates: completeRates(rates, name),
    tools: {
      web_search: rates.web_search ?? familySearchPrice(name, moment.provider),
      file_search: rates.file_search ?? TOOL_PRICES.fileSearch,
      code_session: rates.code_session ?? TOOL_PRICES.codeSession,
    },
    ...(variants.length > certain.length && { byAnswer: { base: list.rates, variants } }),
    ...(conditions.length > 0 && { conditions }),
  };
}

const MS_PER_MINUTE = 60_000;
const MS_PER_DAY = 86_400_000;

/** How long the price found at a moment stays in force at least; undefined for ever. */
export function priceHoldsUntil(
  tables: PriceTables,
  price: Price,
  atMs: number,
): number | undefined {
  const conditions = tables.models.get(price.name)?.variants.map(({ when }) => when) ?? [];
  if (conditions.some(({ hours }) => hours !== undefined)) return periodEnd(atMs, MS_PER_MINUTE);
  const isDated = conditions.some(({ from, until }) => from !== undefined || until !== undefined);
  return isDated ? periodEnd(atMs, MS_PER_DAY) : undefined;
}

function periodEnd(atMs: number, unitMs: number): number {
  return (Math.floor(atMs / unitMs) + 1) * unitMs;
}

/** Ratio of a group; 1 for a group without one. */
export function groupRatioOf(tables: Pick<PriceTables, 'groupRatio'>, group: string): number {
  return tables.groupRatio.get(group) ?? 1;
}
