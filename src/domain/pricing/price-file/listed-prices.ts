/**
 * Turns what models.dev lists by provider into prices: the offer of the maker is the list price,
 * the offers of others apply to channels of their type.
 */
import { catalogEntry } from '../catalog/catalog.ts';
import { isPriced, type Offer, withTierFactors } from './offer.ts';
import {
  type FilePrice,
  type FilePrices,
  fieldOutOfRange,
  type HostPrice,
  type SkippedPrice,
  sortedPrices,
} from './row.ts';
import { HOST_PROVIDERS, MAKER_PROVIDERS } from './sellers.ts';

/**
 * @param providers slugs of the provider types whose own prices are wanted: those of the channels.
 */
export function listedPrices(offers: readonly Offer[], providers: ReadonlySet<string>): FilePrices {
  const makers = Object.keys(MAKER_PROVIDERS);
  const own = offers
    .filter(isOwn)
    .toSorted((a, b) => makers.indexOf(a.provider) - makers.indexOf(b.provider));
  const taken = new Set(own);
  const others = offers.filter((offer) => !taken.has(offer));
  const hosted = others.map((offer) => hostPriceOf(offer, providers));
  const { prices, skipped } = sortedPrices(withoutTwice(own).map(ownPriceOf));
  return {
    prices,
    hosted: exactFirst(hosted.flatMap((entry) => ('reason' in entry ? [] : entry))),
    skipped: [...skipped, ...hosted.flatMap((entry) => ('reason' in entry ? entry : []))],
  };
}

function isOwn({ provider, name }: Offer): boolean {
  const maker = MAKER_PROVIDERS[provider];
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
  const { name: model, rates } = offer;
  if (rates.input === undefined) return { model, reason: 'no_price' };
  return isPriced(rates)
    ? { model, rates, variants: withTierFactors(offer) }
    : { model, rates: { input: 0 } };
}

function hostPriceOf(
  { provider: listed, name, rates }: Offer,
  providers: ReadonlySet<string>,
): HostPrice | SkippedPrice {
  const model = `${listed}/${name}`;
  const provider = HOST_PROVIDERS[listed];
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
