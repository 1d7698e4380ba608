/** What the upstream of a call charges the operator (docs/billing.md, "Cost and margin"). */
import { costPriceOf, costUnits } from '../../domain/pricing/channel-cost.ts';
import type { Ended } from '../call/call-stages.ts';
import type { Ports } from '../call/relay-ports.ts';
import { furtherOf } from './other-models.ts';

/** The cost at the channel that answered, in units; null if it is unknown. */
export function costOf(relay: Ports<'ctx' | 'prices'>, call: Ended): number | null {
  const { channel, price, usage, upstreamModel, calls } = call;
  if (channel?.cost === undefined || price === undefined || usage === undefined) return null;
  const further = furtherOf(relay, call);
  const costed = { price, upstreamModel, usage, calls, further };
  return costUnits(channel.cost, costed, relay.prices().quotaPerUnit);
}

/** Whether neither the charge nor the cost depends on tokens. */
export function isPricedByCallAlone({
  channel,
  price,
  upstreamModel,
}: Pick<Ended, 'channel' | 'price' | 'upstreamModel'>): boolean {
  if (price?.kind !== 'per_call') return false;
  return costPriceOf(channel?.cost, { price, upstreamModel })?.price.kind !== 'per_token';
}
