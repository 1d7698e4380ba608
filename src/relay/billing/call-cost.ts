/** What the upstream of a call charges the operator (docs/billing.md, "Cost and margin"). */
import { costPriceOf, costUnits } from '../../domain/pricing/channel-cost.ts';
import type { Admitted } from '../call/admitted.ts';
import type { Ended } from '../call/call-end.ts';
import type { Ports } from '../call/relay-ports.ts';
import { furtherOf } from './other-models.ts';

/** The cost at the channel that answered, in units; null if it is unknown. */
export function costOf(relay: Ports<'ctx' | 'prices'>, end: Ended): number | null {
  const { usage, calls, call } = end;
  const { channel, price, upstreamModel } = call.route;
  if (channel?.cost === undefined || price === undefined || usage === undefined) return null;
  const further = furtherOf(relay, end);
  const costed = { price, upstreamModel, usage, calls, further };
  return costUnits(channel.cost, costed, relay.prices().quotaPerUnit);
}

/** Whether neither the charge nor the cost depends on tokens. */
export function isPricedByCallAlone({
  route: { channel, price, upstreamModel },
}: Pick<Admitted, 'route'>): boolean {
  if (price?.kind !== 'per_call') return false;
  return costPriceOf(channel?.cost, { price, upstreamModel })?.price.kind !== 'per_token';
}
