/** Stage 4: determines the call's price and holds its maximum cost. */
import { nowSec } from '../../context.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import { channelTypeOf } from '../../domain/channels/channel-types.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { OptionValue } from '../../domain/options/registry.ts';
import {
  findPrice,
  groupRatioOf,
  type Leniency,
  priceHoldsUntil,
} from '../../domain/pricing/find-price.ts';
import { holdOf } from '../../domain/pricing/hold.ts';
import { isFree, type Price } from '../../domain/pricing/price.ts';
import type { PriceTables } from '../../domain/pricing/price-tables.ts';
import { HOLD_LIFETIME_SEC } from '../../services/billing/ledger-writer.ts';
import { freeOf, type Spender } from '../../services/cache/credit-cache.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import { markExhausted, remainingQuota } from '../../services/tokens/token-status.ts';
import type { HeldUnits } from '../../store/ledger/ledger-operations.ts';
import { asksForBackground, type CallRecord } from '../call/call-record.ts';
import type { Caller } from '../call/caller.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import { sentLimit, withLimit } from '../translate/output-limit.ts';
import { holdQuantity, type Quantity } from './billed-quantities.ts';

/** What the price of a call depends on, besides the moment. */
interface PricedCall {
  /** The model name of the client, without a channel prefix. */
  readonly requested: string;
  readonly upstream: string;
  readonly channel: Pick<ChannelEntry, 'type'> | undefined;
}

/** @throws AppError `price_missing`: a model without a price is refused, not served for free. */
export function priceFor(relay: Relay, { caller }: CallRecord, call: PricedCall): Price {
  const found = knownPrice(relay, caller, call);
  if (found === undefined) {
    throw new AppError('price_missing', { model: call.requested }, { param: 'model' });
  }
  return found;
}

/** Undefined for a model that this caller's calls would be refused for. */
export function knownPrice(
  relay: Relay,
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
const kept = new WeakMap<PriceTables, Map<string, KeptPrice>>();
const MAX_KEPT = 5_000;

function keptPrice(
  tables: PriceTables,
  { requested, upstream, channel }: PricedCall,
  leniency: Leniency,
  nowMs: number,
): Price | undefined {
  const prices = kept.get(tables) ?? new Map<string, KeptPrice>();
  kept.set(tables, prices);
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

/** Below this limit an answer is not useful, so the call is refused instead. */
const MIN_CAP = 256;
/** Retries, because other calls may spend the balance between reading it and making the hold. */
const MAX_CAP_ATTEMPTS = 4;

/**
 * Holds the most that the call can cost on the user and, if it has a quota, on the token. A free
 * call needs no balance. If the balance is too low for a call without an output limit, the gateway
 * may set one (option MissingMaxTokens). Called before every attempt, as the next one may cost
 * more.
 * @throws AppError quota_short, token_quota_short, token_drained.
 */
export function holdQuota(
  relay: Relay,
  record: CallRecord,
  price: Price,
  given?: Quantity,
): Awaitable<void> {
  const { caller } = record;
  const tables = relay.prices();
  const options = relay.ctx.options();
  record.price = price;
  record.groupRatio = groupRatioOf(tables, caller.group);
  if (isFree(price, record.groupRatio)) return;
  const quantity = given ?? holdQuantity(relay, record);
  record.calls = quantity.calls ?? 1;
  // Hold for the most expensive group that may serve the call in the end.
  const groupRatio = (caller.nextGroups ?? []).reduce(
    (highest, group) => Math.max(highest, groupRatioOf(tables, group)),
    record.groupRatio,
  );
  const unitsFor = (maxTokens: number | undefined): number => {
    const preConsumedTokens = options.get('PreConsumedQuota');
    const input = { ...quantity, maxTokens, preConsumedTokens };
    return holdOf(price, groupRatio, input, tables.quotaPerUnit);
  };
  const mode = quantity.isOpen ? options.get('MissingMaxTokens') : 'refuse';
  const limit = mode === 'trust' ? undefined : quantity.maxTokens;
  const units = unitsFor(limit);
  const reserved = record.hold?.userUnits ?? record.trusted?.units ?? 0;
  // With a limit set by the gateway, the hold covers that limit.
  const needed = record.cappedAt === undefined ? units : unitsFor(record.cappedAt);
  if (reserved >= needed) return;
  const need = { units, mode, limit, unitsFor };
  return record.hold === undefined && record.trusted === undefined
    ? reserveFor(relay, record, need)
    : releasePreviousHold(relay, record).then(() => reserveFor(relay, record, need));
}

interface Need {
  readonly units: number;
  readonly mode: OptionValue<'MissingMaxTokens'>;
  /** The output limit that `units` covers; undefined if the output has none. */
  readonly limit: number | undefined;
  /** The call's maximum cost with this output limit. */
  readonly unitsFor: (maxTokens: number) => number;
}

/** Waits only for a hold of the call's own. */
function reserveFor(relay: Relay, record: CallRecord, need: Need): Awaitable<void> {
  // A background answer outlives this process, so its hold must be visible to all.
  if (asksForBackground(record) || !isTrusted(relay, record, need.units))
    return reserveOwn(relay, record, need);
  record.allowedUnits = need.units;
}

async function reserveOwn(
  relay: Relay,
  record: CallRecord,
  { units, mode, limit, unitsFor }: Need,
): Promise<void> {
  if (mode === 'cap' && limit !== undefined) {
    record.hold = await reserveCapped(relay, record, { limit, unitsFor });
    record.allowedUnits = record.hold.userUnits;
    return;
  }
  const request = { requestId: record.incoming.requestId, caller: record.caller };
  record.hold = await reserve(relay, request, units);
  record.allowedUnits = mode === 'trust' ? undefined : units;
}

interface HoldRequest {
  readonly requestId: string;
  readonly caller: Caller;
}

interface Capping {
  /** The model's output limit. */
  readonly limit: number;
  /** The call's maximum cost with this limit. */
  readonly unitsFor: (maxTokens: number) => number;
}

/**
 * Uses the model's limit if the balance covers it, else the largest limit that the balance covers,
 * which then applies to the call. The database decides each try.
 */
async function reserveCapped(
  relay: Relay,
  record: CallRecord,
  { limit, unitsFor }: Capping,
): Promise<HeldUnits> {
  const request = { requestId: record.incoming.requestId, caller: record.caller };
  let maxTokens = limit;
  for (let number = 1; ; number += 1) {
    const units = unitsFor(maxTokens);
    const reservation = await tryReserve(relay, request, units);
    if (typeof reservation !== 'string') {
      if (maxTokens < limit) setLimit(record, maxTokens);
      return reservation;
    }
    const free = await freeOf(relay.ctx.db, spenderOf(record.caller));
    maxTokens = largestWithin(maxTokens, (tokens) => unitsFor(tokens) <= free);
    const isTooShort = maxTokens < MIN_CAP || sentLimit(relay, record, maxTokens) > maxTokens;
    if (isTooShort || number === MAX_CAP_ATTEMPTS)
      await refuse(relay, request, {
        outcome: reservation,
        units: unitsFor(Math.min(limit, MIN_CAP)),
      });
  }
}

function setLimit(record: CallRecord, maxTokens: number): void {
  record.intent = withLimit(record, maxTokens);
  record.cappedAt = maxTokens;
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

/** Releases the hold of the previous attempt, which is too small for a more expensive one. */
async function releasePreviousHold(relay: Relay, record: CallRecord): Promise<void> {
  const { hold, trusted } = record;
  const { requestId } = record.incoming;
  if (hold !== undefined)
    await relay.ctx.ledger.close({ kind: 'close', requestId, hold, logs: [] });
  if (trusted !== undefined) relay.credit.release(trusted, 0);
  record.hold = undefined;
  record.trusted = undefined;
}

type Short = 'user_short' | 'token_short';

/** Makes the hold; the database decides whether it is covered. */
async function tryReserve(
  relay: Relay,
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
export async function reserve(
  relay: Relay,
  request: HoldRequest,
  units: number,
): Promise<HeldUnits> {
  const reservation = await tryReserve(relay, request, units);
  if (typeof reservation !== 'string') return reservation;
  return refuse(relay, request, { outcome: reservation, units });
}

async function refuse(
  relay: Relay,
  { caller }: HoldRequest,
  { outcome, units }: { readonly outcome: Short; readonly units: number },
): Promise<never> {
  if (outcome === 'token_short') return refuseShortToken(relay, caller, units);
  throw new AppError('quota_short', { needed: units });
}

/** An account far from its limits needs no hold (services/cache/credit-cache.ts). */
function isTrusted(relay: Relay, record: CallRecord, units: number): boolean {
  if (relay.ctx.config.strictHolds) return false;
  record.trusted = relay.credit.trust(spenderOf(record.caller), units);
  return record.trusted !== undefined;
}

function spenderOf({ token, user }: Caller): Spender {
  return { userId: user.id, tokenId: token.unlimited ? 0 : token.id };
}

async function refuseShortToken(
  relay: Relay,
  { token }: Pick<Caller, 'token'>,
  needed: number,
): Promise<never> {
  const remain = (await remainingQuota(relay.ctx, token.id)) ?? 0;
  token.remainView = remain;
  if (remain <= 0) await markExhausted(relay.ctx, token.id);
  throw new AppError('token_quota_short', { needed, remain });
}
