/** Reserves for a call whose longest answer may be more than its share of the balance. */

import { leftIn } from '../../services/cache/budget-cache.ts';
import type { Routed } from '../call/call-stages.ts';
import type { Caller } from '../call/caller.ts';
import type { Ports } from '../call/relay-ports.ts';
import { sentLimit, withLimit } from '../translate/output-limit.ts';
import { withToolUses } from '../translate/tool-limit.ts';
import { closerNeed, countedText, LEAST_TOKENS, type Need, USEFUL_TOKENS } from './call-need.ts';
import type { Amounts } from './counted-budgets.ts';
import {
  type HoldRequest,
  isRefused,
  refuse,
  spenderOf,
  tryReserve,
  withHold,
} from './make-hold.ts';

/** A call whose limit is lowered may hold one part in so many of what is free. */
const SHARE = 4;
/** Retries, because other calls may spend the balance between reading it and making the hold. */
const MAX_FITTING_ATTEMPTS = 4;
/** Uses of the vendor's tools, tried in this order when the balance is low. */
const FEWER_USES = [5, 2, 1, 0];

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
  relay: Ports<'budgets' | 'counter' | 'credit' | 'ctx' | 'prices'>,
  call: Routed,
  request: HoldRequest,
  fitting: Fitting,
): Promise<Routed> {
  const { units, tokens } = fitting;
  const { counted } = request;
  const spender = spenderOf(call.caller);
  // What this process knows is enough where the balance is ample.
  const standings = counted.length === 0 ? [] : await relay.budgets.recentStandings(counted);
  const free = relay.credit.leftOf(spender, freeView(call.caller));
  const isAmple = units <= Math.min(free, leftIn(standings, 'units')) / SHARE;
  if (isAmple && tokens <= leftIn(standings, 'tokens') / SHARE) {
    const reservation = await relay.credit.whileReserving(spender, units, () =>
      tryReserve(relay, request, fitting),
    );
    if (!isRefused(reservation)) return withHold(call, reservation, units);
  }
  return relay.credit.inTurn(spender, () =>
    relay.budgets.inTurn(counted, () => reserveShare(relay, call, request, fitting)),
  );
}

/** What is free for the call beside other holds, in units and in tokens. */
async function freeFor(
  relay: Ports<'budgets' | 'credit'>,
  { caller, counted }: HoldRequest,
): Promise<Amounts> {
  const units = await relay.credit.freeOf(spenderOf(caller));
  if (counted.length === 0) return { units, tokens: Number.POSITIVE_INFINITY };
  const standings = await relay.budgets.standings(counted);
  return {
    units: Math.min(units, leftIn(standings, 'units')),
    tokens: leftIn(standings, 'tokens'),
  };
}

/** Calls of an account take their shares one after the other, or each would count on the same quota. */
async function reserveShare(
  relay: Ports<'budgets' | 'counter' | 'credit' | 'ctx' | 'prices'>,
  call: Routed,
  request: HoldRequest,
  byBytes: Fitting,
): Promise<Routed> {
  const { limit } = byBytes;
  let fit: Fit = { call, need: byBytes };
  for (let number = 1; ; number += 1) {
    const free = await freeFor(relay, request);
    let maxTokens = fittingLimit(relay, fit, free);
    if (fit.need === byBytes && isTight(fit, maxTokens, free)) {
      fit = await closerFit(relay, call, byBytes, free);
      maxTokens = fittingLimit(relay, fit, free);
    }
    const needed = amountsFor(fit.need, maxTokens);
    const reservation = await tryReserve(relay, request, needed);
    if (!isRefused(reservation)) {
      const limited = maxTokens === limit ? fit.call : withLimit(fit.call, maxTokens);
      return withHold(limited, reservation, needed.units);
    }
    const least = leastLimit(relay, fit.call, limit);
    if (maxTokens === least || number === MAX_FITTING_ATTEMPTS)
      return refuse(relay, request, reservation, amountsFor(fit.need, least));
  }
}

/** The call as it may be sent, and what it must reserve. */
interface Fit {
  readonly call: Routed;
  readonly need: Fitting;
}

function amountsFor({ unitsFor, tokensFor }: Need, maxTokens: number): Amounts {
  return { units: unitsFor(maxTokens), tokens: tokensFor(maxTokens) };
}

function isWithin(need: Need, maxTokens: number, { units, tokens }: Amounts): boolean {
  return need.unitsFor(maxTokens) <= units && need.tokensFor(maxTokens) <= tokens;
}

/** Whether less than a useful answer is left. */
function isTight({ need }: Fit, maxTokens: number, free: Amounts): boolean {
  return maxTokens < Math.min(need.limit, USEFUL_TOKENS) || !isWithin(need, maxTokens, free);
}

/**
 * By the tokens of the call's text, and if that leaves too little with fewer uses of the vendor's
 * tools, where the upstream keeps to a number.
 */
async function closerFit(
  relay: Ports<'counter' | 'ctx' | 'prices'>,
  call: Routed,
  { limit, usefulTokens }: Fitting,
  free: Amounts,
): Promise<Fit> {
  const textTokens = await countedText(relay, call);
  let fit: Fit = { call, need: { ...closerNeed(relay, call, textTokens), limit } };
  for (const uses of FEWER_USES) {
    if (isWithin(fit.need, Math.min(limit, usefulTokens), free)) return fit;
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
function fittingLimit(relay: Ports<'ctx'>, { call, need }: Fit, free: Amounts): number {
  const { limit, usefulTokens } = need;
  const useful = amountsFor(need, Math.min(limit, usefulTokens));
  const allowed = {
    units: allowedOf(free.units, useful.units),
    tokens: allowedOf(free.tokens, useful.tokens),
  };
  if (isWithin(need, limit, allowed)) return limit;
  const fits = largestWithin(limit, (maxTokens) => isWithin(need, maxTokens, allowed));
  return Math.max(fits, leastLimit(relay, call, limit));
}

/** A share of what is free, or what a useful answer needs if that is more. */
function allowedOf(free: number, useful: number): number {
  return Math.min(free, Math.max(free / SHARE, useful));
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
