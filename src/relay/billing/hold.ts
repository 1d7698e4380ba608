/** Reserves the maximum cost of a call before it is sent. */
import { nowSec } from '../../context.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import type { OptionValue } from '../../domain/options/registry.ts';
import { groupRatioOf } from '../../domain/pricing/find-price.ts';
import { holdOf } from '../../domain/pricing/hold.ts';
import { isFree } from '../../domain/pricing/price.ts';
import { HOLD_LIFETIME_SEC } from '../../services/billing/ledger-writer.ts';
import { quotaShort } from '../../services/billing/quota-short.ts';
import type { Trust } from '../../services/cache/credit-cache.ts';
import { freeOf, type Spender } from '../../services/cache/free-quota.ts';
import { markExhausted, quotaOfToken } from '../../services/tokens/token-status.ts';
import type { HeldUnits } from '../../store/ledger/ledger-operations.ts';
import { asksForBackground } from '../call/call-facts.ts';
import { type Admitted, NOTHING_RESERVED, type Routed } from '../call/call-stages.ts';
import type { Caller } from '../call/caller.ts';
import type { Ports } from '../call/relay-ports.ts';
import { sentLimit, withLimit } from '../translate/output-limit.ts';
import { holdQuantity, type Quantity } from './billed-quantities.ts';
import { toolModelUnits } from './other-models.ts';

/** Below this limit an answer is not useful, so the call is refused instead. */
const LEAST_TOKENS = 256;
/** A call whose limit is lowered may hold the cost of this many tokens, or its share if that is more. */
const USEFUL_TOKENS = 4_096;
/** It may hold one part in so many of what is free. */
const SHARE = 4;
/** Retries, because other calls may spend the balance between reading it and making the hold. */
const MAX_FITTING_ATTEMPTS = 4;

/** What a call must reserve of its caller's balance before it is sent. */
export interface Need {
  readonly units: number;
  readonly mode: OptionValue<'MissingMaxTokens'>;
  /** The output limit that `units` covers; undefined if the output has none. */
  readonly limit: number | undefined;
  /** The call's maximum cost with this output limit. */
  readonly unitsFor: (maxTokens: number | undefined) => number;
  /** A lowered limit of this many tokens may cost more than the call's share. */
  readonly usefulTokens: number;
}

/** The most that the call can be billed for; undefined for a free call, which needs no balance. */
export function billableQuantity(relay: Ports<'ctx'>, call: Routed): Quantity | undefined {
  return isFree(call.price, call.groupRatio) ? undefined : holdQuantity(relay, call);
}

/**
 * What the call must reserve; undefined if its reservation covers that. Asked before every attempt,
 * as the next one may cost more.
 */
export function missingReservation(
  relay: Ports<'ctx' | 'prices'>,
  call: Routed,
  quantity: Quantity,
): Need | undefined {
  const need = needOf(relay, call, quantity);
  const { reservation, cappedAt } = call;
  const reserved = reservation.hold?.userUnits ?? reservation.trusted?.units ?? 0;
  // With a limit set by the gateway, the hold covers that limit.
  const needed = cappedAt === undefined ? need.units : need.unitsFor(cappedAt);
  return reserved >= needed ? undefined : need;
}

/**
 * What the call must reserve by the tokens of its text, which are fewer than its bytes; undefined if
 * they are not counted.
 */
async function countedNeed(
  relay: Ports<'counter' | 'ctx' | 'prices'>,
  call: Routed,
): Promise<Need | undefined> {
  const { source } = call.intent;
  if (typeof source !== 'string' || source === '') return undefined;
  const textTokens = await relay.counter.mostTokens(call.upstreamModel, source);
  if (textTokens === undefined) return undefined;
  return needOf(relay, call, holdQuantity(relay, call, textTokens));
}

function needOf(relay: Ports<'ctx' | 'prices'>, call: Routed, quantity: Quantity): Need {
  const { caller, price } = call;
  const tables = relay.prices();
  const options = relay.ctx.options();
  // Hold for the most expensive group that may serve the call in the end.
  const groupRatio = (caller.nextGroups ?? []).reduce(
    (highest, group) => Math.max(highest, groupRatioOf(tables, group)),
    call.groupRatio,
  );
  const unitsFor = (maxTokens: number | undefined): number => {
    const preConsumedTokens = options.get('PreConsumedQuota');
    const input = { preConsumedTokens, ...quantity, maxTokens };
    const others = toolModelUnits(relay, call, input, groupRatio);
    return holdOf(price, groupRatio, input, tables.quotaPerUnit) + others;
  };
  const mode = modeFor(quantity, options.get('MissingMaxTokens'));
  const limit = mode === 'trust' ? undefined : quantity.maxTokens;
  const usefulTokens = quantity.isRepeated ? LEAST_TOKENS : USEFUL_TOKENS;
  return { units: unitsFor(limit), mode, limit, unitsFor, usefulTokens };
}

/** Only a missing limit is trusted; one that the call has is held in full. */
function modeFor({ isOpen, mayLower }: Quantity, policy: Need['mode']): Need['mode'] {
  const applies = policy === 'trust' ? isOpen : mayLower;
  return applies ? policy : 'refuse';
}

/** Releases a reservation that is too small for the next attempt. */
export async function releaseReservation<T extends Admitted>(
  relay: Ports<'credit' | 'ctx'>,
  call: T,
): Promise<T> {
  const { hold, trusted } = call.reservation;
  const { requestId } = call.incoming;
  if (hold !== undefined)
    await relay.ctx.ledger.close({ kind: 'close', requestId, hold, logs: [] });
  if (trusted !== undefined) relay.credit.release(trusted, 0);
  return { ...call, reservation: NOTHING_RESERVED };
}

/**
 * Reserves the most that the call can cost on the user and, if it has a quota, on the token. Waits
 * only for a hold of the call's own. If the balance is too low for the longest answer, the gateway
 * may lower the output limit (option MissingMaxTokens).
 * @throws AppError quota_short, token_quota_short, token_drained.
 */
export function reserve(
  relay: Ports<'counter' | 'credit' | 'ctx' | 'prices'>,
  call: Routed,
  need: Need,
): Awaitable<Routed> {
  // A background answer outlives this process, so its hold must be visible to all.
  const trusted = asksForBackground(call) ? undefined : trustFor(relay, call, need.units);
  if (trusted === undefined) return reserveOwn(relay, call, need);
  return { ...call, reservation: { hold: undefined, trusted, allowedUnits: need.units } };
}

async function reserveOwn(
  relay: Ports<'counter' | 'credit' | 'ctx' | 'prices'>,
  call: Routed,
  need: Need,
): Promise<Routed> {
  const { units, mode, limit } = need;
  if (mode === 'lower' && limit !== undefined)
    return reserveFitting(relay, call, { ...need, limit });
  const request = { requestId: call.incoming.requestId, caller: call.caller };
  const reservation = await tryReserve(relay, request, units);
  if (typeof reservation !== 'string')
    return withHold(call, reservation, mode === 'trust' ? undefined : units);
  const counted = (await countedNeed(relay, call))?.units ?? units;
  if (counted >= units) return refuse(relay, request, { outcome: reservation, units });
  return withHold(call, await holdUnits(relay, request, counted), counted);
}

function withHold(call: Routed, hold: HeldUnits, allowedUnits: number | undefined): Routed {
  return { ...call, reservation: { hold, trusted: undefined, allowedUnits } };
}

interface HoldRequest {
  readonly requestId: string;
  readonly caller: Caller;
}

interface Fitting extends Need {
  /** The longest answer that the call allows; it costs `units`. */
  readonly limit: number;
}

/**
 * Reserves for the longest answer if that takes at most a share of what the account has free, else
 * for the limit that this share pays for, which then applies to the call. So calls beside it find
 * quota as well. The database decides each try.
 */
async function reserveFitting(
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
  let fitting: Fitting | undefined;
  for (let number = 1; ; number += 1) {
    const free = await relay.credit.freeOf(spenderOf(call.caller));
    let maxTokens = fittingLimit(relay, call, fitting ?? byBytes, free);
    const isTight =
      maxTokens < Math.min(limit, USEFUL_TOKENS) || byBytes.unitsFor(maxTokens) > free;
    if (fitting === undefined && isTight) {
      const counted = await countedNeed(relay, call);
      fitting = counted === undefined ? byBytes : { ...counted, limit };
      maxTokens = fittingLimit(relay, call, fitting, free);
    }
    const { unitsFor } = fitting ?? byBytes;
    const needed = unitsFor(maxTokens);
    const reservation = await tryReserve(relay, request, needed);
    if (typeof reservation !== 'string') {
      const limited = maxTokens === limit ? call : withLimit(call, maxTokens);
      return withHold(limited, reservation, needed);
    }
    const least = leastLimit(relay, call, limit);
    if (maxTokens === least || number === MAX_FITTING_ATTEMPTS)
      return refuse(relay, request, { outcome: reservation, units: unitsFor(least) });
  }
}

function freeView({ token, user }: Caller): number {
  return token.unlimited ? user.freeView : Math.min(user.freeView, token.remainView);
}

/** The longest answer that the call may have; what it needs may still exceed `free`. */
function fittingLimit(
  relay: Ports<'ctx'>,
  call: Routed,
  { limit, units, unitsFor, usefulTokens }: Fitting,
  free: number,
): number {
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

type Short = 'user_short' | 'token_short';

/**
 * Makes the hold; the database decides whether it is covered. A block that no call uses is released
 * before a call is refused.
 */
async function tryReserve(
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

async function refuse(
  relay: Ports<'ctx'>,
  { caller }: HoldRequest,
  { outcome, units }: { readonly outcome: Short; readonly units: number },
): Promise<never> {
  if (outcome === 'token_short') return refuseShortToken(relay, caller, units);
  const left = await freeOf(relay.ctx.reads, { userId: caller.user.id, tokenId: 0 });
  throw quotaShort(relay.ctx, 'quota_short', { needed: units, left });
}

/** An account far from its limits needs no hold (services/cache/credit-cache.ts). */
function trustFor(
  relay: Ports<'credit' | 'ctx'>,
  { caller }: Admitted,
  units: number,
): Trust | undefined {
  return relay.ctx.config.strictHolds ? undefined : relay.credit.trust(spenderOf(caller), units);
}

function spenderOf({ token, user }: Caller): Spender {
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
