/** Adds the prices of hosts to the prices of models, as rates under the condition `provider`. */
import type { RateVariant } from '../catalog/model-entry.ts';
import { findModelName } from '../model-names.ts';
import type { ListPrice } from '../price.ts';
import { hostRates, isOtherPrice } from './host-rates.ts';
import { type KnownPrice, ownPrice } from './rate-changes.ts';
import type { HostPrice, ImportedRates, SkippedPrice } from './row.ts';

interface Priced {
  readonly prices: readonly ImportedRates[];
  readonly skipped: readonly SkippedPrice[];
}

/** A model that has a price neither in the list nor here gets that of its first host. */
export function withHostPrices(
  listed: readonly ImportedRates[],
  hosted: readonly HostPrice[],
  knownOf: (model: string) => KnownPrice | undefined,
): Priced {
  const models = new Map(listed.map((price) => [price.model, price]));
  const names = new Map(models);
  const skipped: SkippedPrice[] = [];
  const taken = new Set<string>();
  for (const host of hosted) {
    const { name, price } = priceOf(host, models, names, knownOf);
    const key = `${host.provider} ${name}`;
    if (taken.has(key)) skipped.push({ model: host.model, reason: 'listed_twice' });
    else models.set(name, withHost(name, price, host));
    taken.add(key);
  }
  return { prices: [...models.values()], skipped };
}

/** @param names those that the list prices, which do not change while hosts are added. */
function priceOf(
  { model }: HostPrice,
  models: ReadonlyMap<string, ListPrice>,
  names: ReadonlyMap<string, unknown>,
  knownOf: (model: string) => KnownPrice | undefined,
): { readonly name: string; readonly price: ListPrice | undefined } {
  const known = knownOf(model);
  const found = ownPrice(known);
  const name = (found && known?.price_name) ?? findModelName(names, model) ?? model;
  return { name, price: models.get(name) ?? found };
}

function withHost(
  model: string,
  price: ListPrice | undefined,
  { provider, rates }: HostPrice,
): ImportedRates {
  if (price === undefined) return { model, rates, variants: [] };
  if (price.rates.input === undefined) return { model, ...price, variants: [...price.variants] };
  const own = hostRates(rates, price.rates);
  const isHost = ({ when }: RateVariant) =>
    when.provider === provider && Object.keys(when).length === 1;
  const others = price.variants.filter((variant) => !isHost(variant));
  const isNeeded = others.length < price.variants.length || isOtherPrice(own, price.rates);
  const variants = isNeeded ? [...others, { when: { provider }, rates: own }] : others;
  return { model, rates: price.rates, variants };
}
