/** Reserves for a call whose longest answer may be more than its share of the balance. */
import type { Routed } from '../call/call-stages.ts';
import type { Caller } from '../call/caller.ts';
import type { Ports } from '../call/relay-ports.ts';
import { sentLimit, withLimit } from '../translate/output-limit.ts';
import { withToolUses } from '../translate/tool-limit.ts';
import { closerNeed, countedText, LEAST_TOKENS, type Need, USEFUL_TOKENS } from './call-need.ts';
import { type HoldRequest, refuse, spenderOf, tryReserve, withHold } from './make-hold.ts';

/** A call whose limit is lowered may hold one part in so many of what is free. */
const SHARE = 4;
/** Retries, because other calls may spend the balance between reading it and making the hold. */
const MAX_FITTING_ATTEMPTS = 4;
/** Uses of the vendor's tools, tried in this order when the balance is low. */
const FEWER_USES = [5, 2, 1];

interface Fitting extends Need {
  /** The longest answer that the call allows; it costs `units`. */
  readonly limit: number;
}

/**
 * Reserves for the longest answer if that takes at most a share of what the account has free, else
 * for the limit that this share pays for, which then applies to the call. So calls beside it find
 * quota as well. The database decides each try.
 */
export async function reserveFitting(
  relay: Ports<'counter' | 'credit' | 'ctx' | 'prices'>,
  call: Routed,
  fitting: Fitting,
): Promise<Routed> {
  const { units } = fitting;
  const request = { requestId: call.incoming.requestId, caller: call.caller };
  const spender = spenderOf(call.caller);
  // What this process knows is enough where the balance is ample.
  const free = relay.credit.leftOf(spender, freeView(call.caller));
  if (units <= free / SHARE) {
    const reservation = await relay.credit.whileReserving(spender, units, () =>
      tryReserve(relay, request, units),
    );
    if (typeof reservation !== 'string') return withHold(call, reservation, units);
  }
  return relay.credit.inTurn(spender, () => reserveShare(relay, call, request, fitting));
}

/** Calls of an account take their shares one after the other, or each would count on the same quota. */
async function reserveShare(
  relay: Ports<'counter' | 'credit' | 'ctx' | 'prices'>,
  call: Routed,
  request: HoldRequest,
  byBytes: Fitting,
): Promise<Routed> {
  const { limit } = byBytes;
  let fit: Fit = { call, need: byBytes };
  for (let number = 1; ; number += 1) {
    const free = await relay.credit.freeOf(spenderOf(call.caller));
    let maxTokens = fittingLimit(relay, fit, free);
    if (fit.need === byBytes && isTight(fit, maxTokens, free)) {
      fit = await closerFit(relay, call, byBytes, free);
      maxTokens = fittingLimit(relay, fit, free);
    }
    const needed = fit.need.unitsFor(maxTokens);
    const reservation = await tryReserve(relay, request, needed);
    if (typeof reservation !== 'string') {
      const limited = maxTokens === limit ? fit.call : withLimit(fit.call, maxTokens);
      return withHold(limited, reservation, needed);
    }
    const least = leastLimit(relay, fit.call, limit);
    if (maxTokens === least || number === MAX_FITTING_ATTEMPTS)
      return refuse(relay, request, { outcome: reservation, units: fit.need.unitsFor(least) });
  }
}

/** The call as it may be sent, and what it must reserve. */
interface Fit {
  readonly call: Routed;
  readonly need: Fitting;
}

/** Whether less than a useful answer is left. */
function isTight({ need: { limit, unitsFor } }: Fit, maxTokens: number, free: number): boolean {
  return maxTokens < Math.min(limit, USEFUL_TOKENS) || unitsFor(maxTokens) > free;
}

/**
 * By the tokens of the call's text, and if that leaves too little with fewer uses of the vendor's
 * tools, where the upstream keeps to a number.
 */
async function closerFit(
  relay: Ports<'counter' | 'ctx' | 'prices'>,
  call: Routed,
  { limit, usefulTokens }: Fitting,
  free: number,
): Promise<Fit> {
  const textTokens = await countedText(relay, call);
  let fit: Fit = { call, need: { ...closerNeed(relay, call, textTokens), limit } };
  for (const uses of FEWER_USES) {
    if (fit.need.unitsFor(Math.min(limit, usefulTokens)) <= free) return fit;
    const fewer = withToolUses(call, uses);
    if (fewer === undefined) return fit;
    const need = { ...closerNeed(relay, fewer, textTokens), limit };
    if (need.unitsFor(limit) < fit.need.unitsFor(limit)) fit = { call: fewer, need };
  }
  return fit;
}

function freeView({ token, user }: Caller): number {
  return token.unlimited ? user.freeView : Math.min(user.freeView, token.remainView);
}

/** The longest answer that the call may have; what it needs may still exceed `free`. */
function fittingLimit(relay: Ports<'ctx'>, { call, need }: Fit, free: number): number {
  const { limit, units, unitsFor, usefulTokens } = need;
  if (units <= free / SHARE) return limit;
  const useful = unitsFor(Math.min(limit, usefulTokens));
  const allowed = Math.min(free, Math.max(free / SHARE, useful));
  if (units <= allowed) return limit;
  const fits = largestWithin(limit, (tokens) => unitsFor(tokens) <= allowed);
  return Math.max(fits, leastLimit(relay, call, limit));
}

/** The shortest limit that is useful, and that the upstream accepts for this call. */
function leastLimit(relay: Ports<'ctx'>, call: Routed, limit: number): number {
  const sent = sentLimit(relay, withLimit(call, LEAST_TOKENS), LEAST_TOKENS);
  return Math.min(limit, Math.max(LEAST_TOKENS, sent));
}

/** The largest whole number below `limit` that fits; 0 if none does. */
function largestWithin(limit: number, fits: (value: number) => boolean): number {
  let low = 0;
  let high = limit;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
