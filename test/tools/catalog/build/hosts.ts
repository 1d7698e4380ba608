/** Open models: anyone may host them, so each host has its own price. */
import type { Rates, RateVariant } from '../../../../src/domain/pricing/catalog/model-entry.ts';
import { hostRates, isOtherPrice } from '../../../../src/domain/pricing/price-file/host-rates.ts';
import { isPriced } from '../../../../src/domain/pricing/price-file/offer.ts';
import { HOST_PROVIDERS, MAKER_PROVIDERS, makerOfName } from '../makers.ts';
import type { CatalogueModels } from '../readers/all.ts';
import type { SourceModel } from '../source-model.ts';
import type { MergedPrice } from './merge.ts';
import { hostedName, lastPart } from './names.ts';

export interface Hosts {
  /** Slug of the host to its newest entry. */
  readonly prices: ReadonlyMap<string, SourceModel>;
  /** What hosts call the model. */
  readonly ids: readonly string[];
}

/** Open models by the name without what hosts add. */
export function hostsByName(catalogues: readonly CatalogueModels[]): ReadonlyMap<string, Hosts> {
  const open = new Set(
    catalogues.flatMap(({ models }) =>
      models.filter(({ is_open }) => is_open).map(({ name }) => hostedName(name)),
    ),
  );
  const hosts = new Map<string, { prices: Map<string, SourceModel>; ids: string[] }>();
  for (const { catalogue, models } of catalogues)
    for (const model of exactFirst(models)) {
      const slug = HOST_PROVIDERS[catalogue][model.provider];
      const name = hostedName(model.name);
      const isMaker = makerOfName(name) === MAKER_PROVIDERS[catalogue][model.provider];
      if (slug === undefined || isMaker || !open.has(name)) continue;
      const known = hosts.get(name) ?? { prices: new Map<string, SourceModel>(), ids: [] };
      hosts.set(name, known);
      known.ids.push(model.name);
      const isSold = isPriced(model.rates) && model.rates.input !== undefined;
      if (isSold && !known.prices.has(slug)) known.prices.set(slug, model);
    }
  return hosts;
}

/** An id without a packaging comes before `-turbo` and the like. */
function exactFirst(models: readonly SourceModel[]): readonly SourceModel[] {
  const isPackaged = ({ name }: SourceModel) => (lastPart(name) === hostedName(name) ? 0 : 1);
  return models.toSorted((a, b) => isPackaged(a) - isPackaged(b));
}

/** The upper median: of two middle hosts, the dearer. */
export function medianPrice({ prices }: Hosts): MergedPrice | undefined {
  const byInput = [...prices.values()].sort(
    (a, b) => (a.rates.input ?? 0) - (b.rates.input ?? 0) || a.source.localeCompare(b.source),
  );
  const middle = byInput[Math.floor(byInput.length / 2)];
  if (middle === undefined) return undefined;
  const date = middle.source.slice(middle.source.lastIndexOf(' ') + 1);
  return {
    rates: middle.rates,
    variants: [],
    source: `${prices.size === 1 ? 'one host' : `median of ${prices.size} hosts`} ${date}`,
    is_estimated: true,
  };
}

/** The prices of hosts that differ from the base. */
export function hostVariants({ prices }: Hosts, base: Rates): readonly RateVariant[] {
  return [...prices]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([provider, { rates }]) => ({ when: { provider }, rates: hostRates(rates, base) }))
    .filter(({ rates }) => isOtherPrice(rates, base));
}
