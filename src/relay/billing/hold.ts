/** Reserves the maximum cost of a call before it is sent. */
import type { Awaitable } from '../../domain/awaitable.ts';
import type { Budget } from '../../domain/budgets/budget.ts';
import type { CountedBudget } from '../../services/cache/budget-cache.ts';
import type { Admitted, Routed } from '../call/admitted.ts';
import { asksForBackground } from '../call/call-facts.ts';
import type { Ports } from '../call/relay-ports.ts';
import { NOTHING_RESERVED } from '../call/reservation.ts';
import { closerNeed, countedText, type Need } from './call-need.ts';
import { budgetsOf, refuseFull } from './counted-budgets.ts';
import { reserveFitting } from './fitting-hold.ts';
import {
  holdAmounts,
  holdRequest,
  isRefused,
  refuse,
  spenderOf,
  tryReserve,
  withHold,
} from './make-hold.ts';

/** Releases a reservation that is too small for the next attempt. */
export async function releaseReservation<T extends Admitted>(
  relay: Ports<'credit' | 'ctx'>,
  call: T,
): Promise<T> {
  const { hold, trusted } = call.reservation;
  const { requestId } = call.incoming;
  if (hold !== undefined)
    await relay.ctx.ledger.close({ kind: 'close', requestId, hold, logs: [] });
  if (trusted !== undefined) relay.credit.release(trusted, undefined);
  return { ...call, reservation: NOTHING_RESERVED };
}

/**
 * Reserves the most that the call can cost on the user and, if it has a quota, on the token. Waits
 * only for a hold of the call's own. If the balance is too low for the longest answer, the gateway
 * may lower the output limit (option MissingMaxTokens).
 * @throws AppError quota_short, token_quota_short, token_drained, budget_exhausted, budget_busy,
 * channels_full.
 */
export function reserve(
  relay: Ports<'budgets' | 'counter' | 'credit' | 'ctx' | 'prices'>,
  call: Routed,
  need: Need,
): Awaitable<Routed> {
  // A background answer outlives this process, so its hold must be visible to all.
  if (asksForBackground(call) || relay.ctx.config.strictHolds) return reserveOwn(relay, call, need);
  const budgets = budgetsOf(relay, call);
  if (budgets.length === 0) return reserveFrom(relay, call, need);
  return reserveCounted(relay, call, need, budgets);
}

/** Of a call that budgets count, with the windows that run now. */
async function reserveCounted(
  relay: Ports<'budgets' | 'counter' | 'credit' | 'ctx' | 'prices'>,
  call: Routed,
  need: Need,
  budgets: readonly Budget[],
): Promise<Routed> {
  const counted = await relay.budgets.windowsOf(budgets);
  // The headers of the answer say what is left.
  await relay.budgets.recentStandings(counted);
  return reserveFrom(relay, call, need, counted);
}

/** From a block, for an account far from its limits (services/cache/credit-cache.ts). */
function reserveFrom(
  relay: Ports<'budgets' | 'counter' | 'credit' | 'ctx' | 'prices'>,
  call: Routed,
  need: Need,
  counted?: readonly CountedBudget[],
): Awaitable<Routed> {
  const { units, tokens } = need;
  const trusted = relay.credit.trust(spenderOf(call.caller), { units, tokens }, counted);
  if (trusted === undefined) return reserveOwn(relay, call, need);
  return { ...call, reservation: { hold: undefined, trusted, allowedUnits: units } };
}

async function reserveOwn(
  relay: Ports<'budgets' | 'counter' | 'credit' | 'ctx' | 'prices'>,
  call: Routed,
  need: Need,
): Promise<Routed> {
  const { units, mode, limit } = need;
  const request = await holdRequest(relay, call);
  if (request.counted.length > 0) await refuseFull(relay, request.counted, need, call);
  if (mode === 'lower' && limit !== undefined)
    return reserveFitting(relay, call, request, { ...need, limit });
  const reservation = await tryReserve(relay, request, need);
  if (!isRefused(reservation))
    return withHold(call, reservation, mode === 'trust' ? undefined : units);
  const closer = closerNeed(relay, call, await countedText(relay, call));
  if (closer.units >= units && closer.tokens >= need.tokens)
    return refuse(relay, request, reservation, need);
  return withHold(call, await holdAmounts(relay, request, closer), closer.units);
}
