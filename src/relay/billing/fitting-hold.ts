/** Reserves for a call whose longest answer may be more than its share of the balance. */
import type { CallAmounts } from '../../domain/budgets/budget.ts';
import { type BudgetStanding, leftIn } from '../../services/cache/budget-cache.ts';
import type { Standing } from '../../services/cache/free-quota.ts';
import type { Routed } from '../call/admitted.ts';
import type { Caller } from '../call/caller.ts';
import type { Ports } from '../call/relay-ports.ts';
import { sentLimit, withLimit } from '../translate/output-limit.ts';
import { withToolUses } from '../translate/tool-limit.ts';
import { closerNeed, countedText, LEAST_TOKENS, type Need, USEFUL_TOKENS } from './call-need.ts';
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
/** And one in so many of what is free and held, while others run: ten at once find quota. */
const SHARE_BESIDE = 12;
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
  const free = relay.credit.pending.leftOf(spender, freeView(call.caller));
  const isAmple = units <= Math.min(free, leftIn(standings, 'units')) / SHARE_BESIDE;
  if (isAmple && tokens <= leftIn(standings, 'tokens') / SHARE_BESIDE) {
    const reservation = await relay.credit.pending.whileReserving(spender, units, () =>
      tryReserve(relay, request, fitting),
    );
    if (!isRefused(reservation)) return withHold(call, reservation, units);
  }
  return relay.credit.pending.inTurn(spender, () =>
    relay.budgets.inTurn(counted, () => reserveShare(relay, call, request, fitting)),
  );
}

/** What is left for a call beside other holds. */
interface Room {
  readonly free: CallAmounts;
  /** What a call whose limit is lowered may hold of it, if that pays for a useful answer. */
  readonly share: CallAmounts;
}

async function roomFor(
  relay: Ports<'budgets' | 'credit'>,
  { caller, counted }: HoldRequest,
): Promise<Room> {
  const account = await relay.credit.pending.standingOf(spenderOf(caller));
  const budgets = counted.length === 0 ? [] : await relay.budgets.standings(counted);
  const units = leastFree([account, ...standingsIn(budgets, 'units')]);
  const tokens = leastFree(standingsIn(budgets, 'tokens'));
  return {
    free: { units: units.free, tokens: tokens.free },
    share: { units: units.share, tokens: tokens.share },
  };
}

function standingsIn(budgets: readonly BudgetStanding[], measure: keyof CallAmounts): Standing[] {
  return budgets
    .filter(({ budget }) => budget.measure === measure && !budget.shadow)
    .map(({ limit, spent, held }) => ({ free: limit - spent - held, held }));
}

function leastFree(standings: readonly Standing[]): { free: number; share: number } {
  let [free, share] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const standing of standings) {
    free = Math.min(free, standing.free);
    share = Math.min(share, shareOf(standing));
  }
  return { free, share };
}

function shareOf({ free, held }: Standing): number {
  const alone = free / SHARE;
  return held > 0 ? Math.min(alone, (free + held) / SHARE_BESIDE) : alone;
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
    const room = await roomFor(relay, request);
    if (fit.need === byBytes && isTight(byBytes, room))
      fit = await closerFit(relay, call, byBytes, room);
    const maxTokens = fittingLimit(relay, fit, room);
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

function amountsFor({ unitsFor, tokensFor }: Need, maxTokens: number): CallAmounts {
  return { units: unitsFor(maxTokens), tokens: tokensFor(maxTokens) };
}

function isWithin(need: Need, maxTokens: number, { units, tokens }: CallAmounts): boolean {
  return need.unitsFor(maxTokens) <= units && need.tokensFor(maxTokens) <= tokens;
}

/** Whether a useful answer takes more than the share of the call. */
function isTight(need: Fitting, { share }: Room): boolean {
  return !isWithin(need, Math.min(need.limit, USEFUL_TOKENS), share);
}

/**
 * By the tokens of the call's text, and if that leaves too little with fewer uses of the vendor's
 * tools, where the upstream keeps to a number.
 */
async function closerFit(
  relay: Ports<'counter' | 'ctx' | 'prices'>,
  call: Routed,
  { limit, usefulTokens }: Fitting,
  { free }: Room,
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
function fittingLimit(relay: Ports<'ctx'>, { call, need }: Fit, { free, share }: Room): number {
  const { limit, usefulTokens } = need;
  const useful = amountsFor(need, Math.min(limit, usefulTokens));
  const allowed = {
    units: Math.min(free.units, Math.max(share.units, useful.units)),
    tokens: Math.min(free.tokens, Math.max(share.tokens, useful.tokens)),
  };
  if (isWithin(need, limit, allowed)) return limit;
  const fits = largestWithin(limit, (maxTokens) => isWithin(need, maxTokens, allowed));
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
