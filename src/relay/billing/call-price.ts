/** The price of a call, cached per set of price tables. */
import { channelTypeOf } from '../../domain/channels/channel-types.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { memoizePerObject } from '../../domain/memoize-per-object.ts';
import { findPrice, type Leniency, priceHoldsUntil } from '../../domain/pricing/find-price.ts';
import type { Price } from '../../domain/pricing/price.ts';
import type { PriceTables } from '../../domain/pricing/price-tables.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { Caller } from '../call/caller.ts';
import type { Ports } from '../call/relay-ports.ts';

/** What the price of a call depends on, besides the moment. */
interface PricedCall {
  /** The model name of the client, without a channel prefix. */
  readonly requested: string;
  readonly upstream: string;
  readonly channel: Pick<ChannelEntry, 'type'> | undefined;
}

/** @throws AppError `price_missing`: a model without a price is refused, not served for free. */
export function priceFor(
  relay: Ports<'ctx' | 'prices'>,
  caller: Pick<Caller, 'user'>,
  call: PricedCall,
): Price {
  const found = knownPrice(relay, caller, call);
  if (found === undefined) {
    throw new AppError('price_missing', { model: call.requested }, { param: 'model' });
  }
  return found;
}

/** Undefined for a model that this caller's calls would be refused for. */
export function knownPrice(
  relay: Ports<'ctx' | 'prices'>,
  { user }: Pick<Caller, 'user'>,
  call: PricedCall,
): Price | undefined {
  const leniency = {
    selfUse: relay.ctx.options().get('SelfUseModeEnabled'),
    acceptUnset: user.acceptsUnsetPrice,
  };
  return keptPrice(relay.prices(), call, leniency, relay.ctx.now());
}

interface KeptPrice {
  readonly price: Price | undefined;
  /** When another price may come into force. */
  readonly untilMs: number;
}

/** Cache of prices per set of tables; changed options create new tables. */
const pricesOf = memoizePerObject((_tables: PriceTables) => new Map<string, KeptPrice>());
const MAX_KEPT = 5_000;

function keptPrice(
  tables: PriceTables,
  { requested, upstream, channel }: PricedCall,
  leniency: Leniency,
  nowMs: number,
): Price | undefined {
  const prices = pricesOf(tables);
  const isLenient = leniency.selfUse || leniency.acceptUnset;
  const key = `${isLenient} ${channel?.type} ${requested} ${upstream}`;
  const known = prices.get(key);
  if (known !== undefined && nowMs < known.untilMs) return known.price;
  const mapped = upstream === requested ? undefined : upstream;
  const provider = channel && channelTypeOf(channel.type)?.slug;
  const price = findPrice(tables, { requested, mapped }, leniency, { atMs: nowMs, provider });
  const untilMs = price && priceHoldsUntil(tables, price, nowMs);
  if (prices.size >= MAX_KEPT) prices.clear();
  prices.set(key, { price, untilMs: untilMs ?? Number.POSITIVE_INFINITY });
  return price;
}
