/**
 * Turns what a catalogue of providers offers into prices: the offer of the maker is the list price,
 * the offers of others apply to channels of their type.
 */
import { catalogEntry } from '../catalog/catalog.ts';
import { isDescription } from './litellm.ts';
import { isCharged, isPriced, type Offer, UNITS, withTierFactors } from './offer.ts';
import {
  type FilePrice,
  type FilePrices,
  fieldOutOfRange,
  type HostPrice,
  type SkippedPrice,
  sortedPrices,
} from './row.ts';
import { HOST_PROVIDERS, MAKER_PROVIDERS, type PriceList } from './sellers.ts';

/**
 * @param providers slugs of the provider types whose own prices are wanted: those of the channels.
 */
export function listedPrices(
  list: PriceList,
  offers: readonly Offer[],
  providers: ReadonlySet<string>,
): FilePrices {
  const makers = Object.keys(MAKER_PROVIDERS[list]);
  const own = offers
    .filter((offer) => isOwn(list, offer))
    .toSorted((a, b) => makers.indexOf(a.provider) - makers.indexOf(b.provider));
  const taken = new Set(own);
  const others = offers.filter((offer) => !taken.has(offer));
  const hosted = others.map((offer) => hostPriceOf(list, offer, providers));
  const { prices, skipped } = sortedPrices(withoutTwice(own).map(ownPriceOf));
  return {
    prices,
    hosted: exactFirst(hosted.flatMap((entry) => ('reason' in entry ? [] : entry))),
    skipped: [...skipped, ...hosted.flatMap((entry) => ('reason' in entry ? entry : []))],
  };
}

/** A catalogue without providers lists the prices of makers. */
function isOwn(list: PriceList, { provider, name }: Offer): boolean {
  if (provider === '') return true;
  const maker = MAKER_PROVIDERS[list][provider];
  if (maker === undefined || /[/:]/.test(name)) return false;
  return (catalogEntry(name)?.maker ?? maker) === maker;
}

/** Of the price lists of one maker, such as that for China, the first. */
function withoutTwice(offers: readonly Offer[]): readonly (Offer | SkippedPrice)[] {
  const names = new Set<string>();
  return offers.map((offer) => {
    const isTwice = names.has(offer.name);
    names.add(offer.name);
    return isTwice ? { model: offer.name, reason: 'listed_twice' } : offer;
  });
}

function ownPriceOf(offer: Offer | SkippedPrice): FilePrice | SkippedPrice {
  if ('reason' in offer) return offer;
  const { name: model, has_other_unit } = offer;
  if (isDescription(model)) return { model, reason: 'not_a_model' };
  const rates = chargedRates(offer);
  if (rates === undefined) return { model, reason: has_other_unit ? 'other_unit' : 'no_price' };
  if (has_other_unit) return { model, reason: 'other_unit' };
  return isPriced(rates)
    ? { model, rates, variants: withTierFactors({ ...offer, rates }) }
    : { model, rates: { input: 0 } };
}

/** The rates with one unit; undefined without any. */
function chargedRates({ rates }: Offer): FilePrice['rates'] | undefined {
  if (!isCharged(rates)) return undefined;
  const [, ...others] = UNITS.filter((unit) => rates[unit] !== undefined);
  const kept = Object.entries(rates).filter(([kind]) => !others.some((unit) => unit === kind));
  return Object.fromEntries(kept);
}

function hostPriceOf(
  list: PriceList,
  { provider: listed, name, rates }: Offer,
  providers: ReadonlySet<string>,
): HostPrice | SkippedPrice {
  const model = `${listed}/${name}`;
  const provider = HOST_PROVIDERS[list][listed];
  if (provider === undefined) return { model, reason: 'reseller' };
  if (!providers.has(provider)) return { model, reason: 'no_channel' };
  if (rates.input === undefined || !isPriced(rates)) return { model, reason: 'no_price' };
  const field = fieldOutOfRange({ rates });
  if (field !== undefined) return { model, reason: 'out_of_range', field };
  return { model: name, provider, rates };
}

/** Names without a packaging such as `-turbo` are shorter, and come before those with one. */
function exactFirst(prices: readonly HostPrice[]): readonly HostPrice[] {
  return prices.toSorted((a, b) => a.model.length - b.model.length);
}
