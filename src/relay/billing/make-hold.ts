/** Makes the hold of a call; the database decides whether the balance covers it. */
import { nowSec } from '../../context.ts';
import { HOLD_LIFETIME_SEC } from '../../services/billing/ledger-writer.ts';
import { quotaShort } from '../../services/billing/quota-short.ts';
import { freeOf, type Spender } from '../../services/cache/free-quota.ts';
import { markExhausted, quotaOfToken } from '../../services/tokens/token-status.ts';
import type { HeldUnits } from '../../store/ledger/ledger-operations.ts';
import type { Routed } from '../call/call-stages.ts';
import type { Caller } from '../call/caller.ts';
import type { Ports } from '../call/relay-ports.ts';

export interface HoldRequest {
  readonly requestId: string;
  readonly caller: Caller;
}

export type Short = 'user_short' | 'token_short';

/**
 * Makes the hold; the database decides whether it is covered. A block that no call uses is released
 * before a call is refused.
 */
export async function tryReserve(
  relay: Ports<'credit' | 'ctx'>,
  request: HoldRequest,
  units: number,
): Promise<HeldUnits | Short> {
  const reservation = await tryHold(relay, request, units);
  if (typeof reservation !== 'string') return reservation;
  const hasReleased = await relay.credit.releaseIdle(spenderOf(request.caller));
  return hasReleased ? tryHold(relay, request, units) : reservation;
}

async function tryHold(
  relay: Ports<'ctx'>,
  { requestId, caller }: HoldRequest,
  units: number,
): Promise<HeldUnits | Short> {
  const hold = {
    userId: caller.user.id,
    tokenId: caller.token.id,
    userUnits: units,
    tokenUnits: caller.token.unlimited ? 0 : units,
  };
  const outcome = await relay.ctx.ledger.hold({
    kind: 'hold',
    requestId,
    ...hold,
    node: relay.ctx.node,
    createdAtSec: nowSec(relay.ctx),
    lifetimeSec: HOLD_LIFETIME_SEC,
  });
  return outcome === 'user_short' || outcome === 'token_short' ? outcome : hold;
}

/** @throws AppError quota_short, token_quota_short. */
export async function holdUnits(
  relay: Ports<'credit' | 'ctx'>,
  request: HoldRequest,
  units: number,
): Promise<HeldUnits> {
  const reservation = await tryReserve(relay, request, units);
  if (typeof reservation !== 'string') return reservation;
  return refuse(relay, request, { outcome: reservation, units });
}

export async function refuse(
  relay: Ports<'ctx'>,
  { caller }: HoldRequest,
  { outcome, units }: { readonly outcome: Short; readonly units: number },
): Promise<never> {
  if (outcome === 'token_short') return refuseShortToken(relay, caller, units);
  const left = await freeOf(relay.ctx.reads, { userId: caller.user.id, tokenId: 0 });
  throw quotaShort(relay.ctx, 'quota_short', { needed: units, left });
}

export function spenderOf({ token, user }: Caller): Spender {
  return { userId: user.id, tokenId: token.unlimited ? 0 : token.id };
}

async function refuseShortToken(
  relay: Ports<'ctx'>,
  { token }: Pick<Caller, 'token'>,
  needed: number,
): Promise<never> {
  const { remain, free } = await quotaOfToken(relay.ctx, token.id);
  token.remainView = remain;
  if (remain <= 0) await markExhausted(relay.ctx, token.id);
  throw quotaShort(relay.ctx, 'token_quota_short', { needed, left: free });
}

export function withHold(call: Routed, hold: HeldUnits, allowedUnits: number | undefined): Routed {
  return { ...call, reservation: { hold, trusted: undefined, allowedUnits } };
}
