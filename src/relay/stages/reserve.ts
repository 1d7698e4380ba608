/** Reserves the highest cost of an attempt, unless what the call has reserved covers it. */
import { billableQuantity, missingReservation } from '../billing/call-need.ts';
import { releaseReservation, reserve } from '../billing/hold.ts';
import type { Routed } from '../call/admitted.ts';
import type { Relay } from '../call/relay-ports.ts';
import { NOTHING_RESERVED } from '../call/reservation.ts';

/**
 * The call with its reservation. `released` receives the call once the database has released a
 * former reservation, which was too small.
 * @throws AppError quota_short, token_quota_short, token_drained.
 */
export async function reserveFor(
  relay: Relay,
  routed: Routed,
  released: (call: Routed) => void,
): Promise<Routed> {
  const quantity = billableQuantity(relay, routed);
  if (quantity === undefined) return routed;
  const need = missingReservation(relay, routed, quantity);
  let call = quantity.calls === undefined ? routed : { ...routed, calls: quantity.calls };
  if (need === undefined) return call;
  if (call.reservation !== NOTHING_RESERVED) {
    call = await releaseReservation(relay, call);
    released(call);
  }
  return reserve(relay, call, need);
}
