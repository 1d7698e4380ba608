/** Stage 4: the price of the call and the reservation of what it may cost. */
import { nowSec } from '../context.ts';
import { holdOf } from '../domain/charge.ts';
import { AppError } from '../domain/errors.ts';
import {
  findPrice,
  groupRatioOf,
  isFree,
  type Leniency,
  type Price,
  type PriceTables,
} from '../domain/pricing.ts';
import { HOLD_LIFETIME_SEC } from '../services/books.ts';
import { markExhausted, remainingQuota } from '../services/token-status.ts';
import type { Caller } from './authenticate.ts';
import { holdQuantity, type Quantity } from './quantities.ts';
import { asksForBackground, type CallRecord, type Hold } from './record.ts';
import type { Relay } from './relay-context.ts';

/** @throws AppError `price_missing`: a model without a price is refused, never given away. */
export function priceFor(
  relay: Relay,
  record: CallRecord,
  bareModel: string,
  upstreamModel: string,
): Price {
  const found = knownPrice(relay, record.caller, bareModel, upstreamModel);
  if (found === undefined) {
    throw new AppError('price_missing', { model: bareModel }, { param: 'model' });
  }
  return found;
}

/** Undefined for a model that a call of this caller would be refused for. */
export function knownPrice(
  relay: Relay,
  { user }: Pick<Caller, 'user'>,
  bareModel: string,
  upstreamModel: string,
): Price | undefined {
  const leniency = {
    selfUse: relay.ctx.options().get('SelfUseModeEnabled'),
    acceptUnset: user.acceptsUnsetPrice,
  };
  return keptPrice(relay.prices(), bareModel, upstreamModel, leniency);
}

/** Prices already looked up, per set of tables as it stands: changed options are new tables. */
const kept = new WeakMap<PriceTables, Map<string, Price | undefined>>();
const MAX_KEPT = 5_000;

function keptPrice(
  tables: PriceTables,
  requested: string,
  upstream: string,
  leniency: Leniency,
): Price | undefined {
  const prices = kept.get(tables) ?? new Map<string, Price | undefined>();
  kept.set(tables, prices);
  const isLenient = leniency.selfUse || leniency.acceptUnset;
  const name = `${isLenient} ${requested} ${upstream}`;
  if (prices.has(name)) return prices.get(name);
  const mapped = upstream === requested ? undefined : upstream;
  const price = findPrice(tables, { requested, mapped }, leniency);
  if (prices.size >= MAX_KEPT) prices.clear();
  prices.set(name, price);
  return price;
}

/**
 * Reserves the estimate on the user and, where it has a limit, on the token. A free call needs no
 * balance, and one that is small beside the balance no reservation.
 * @throws AppError quota_short, token_quota_short, token_drained.
 */
export async function holdQuota(
  relay: Relay,
  record: CallRecord,
  price: Price,
  quantity: Quantity = holdQuantity(record),
): Promise<void> {
  const { caller, incoming } = record;
  const tables = relay.prices();
  record.price = price;
  record.groupRatio = groupRatioOf(tables, caller.group);
  if (isFree(price, record.groupRatio)) return;
  record.calls = quantity.calls ?? 1;
  // Another group that may serve the call in the end is not to cost more than was held.
  const groups = [caller.group, ...(caller.nextGroups ?? [])];
  const units = holdOf(
    price,
    Math.max(...groups.map((group) => groupRatioOf(tables, group))),
    { ...quantity, preConsumedTokens: relay.ctx.options().get('PreConsumedQuota') },
    tables.quotaPerUnit,
  );
  // What outlives this process must be reserved where all see it.
  if (!asksForBackground(record) && mayTrust(relay, record, units)) return;
  record.hold = await reserve(relay, { requestId: incoming.requestId, caller }, units);
}

/**
 * The reservation itself, decided by the database.
 * @throws AppError quota_short, token_quota_short.
 */
export async function reserve(
  relay: Relay,
  { requestId, caller }: { readonly requestId: string; readonly caller: Caller },
  units: number,
): Promise<Hold> {
  const hold = { userUnits: units, tokenUnits: caller.token.unlimited ? 0 : units };
  const outcome = await relay.ctx.books.hold({
    kind: 'hold',
    requestId,
    userId: caller.user.id,
    tokenId: caller.token.id,
    ...hold,
    node: relay.ctx.node,
    createdAtSec: nowSec(relay.ctx),
    lifetimeSec: HOLD_LIFETIME_SEC,
  });
  if (outcome === 'user_short') throw new AppError('quota_short', { needed: units });
  if (outcome === 'token_short') await refuseShortToken(relay, caller, units);
  return hold;
}

/** Far from its limits an account needs no reservation (services/views/credit.ts). */
function mayTrust(relay: Relay, record: CallRecord, units: number): boolean {
  const { token, user } = record.caller;
  const spender = { userId: user.id, tokenId: token.unlimited ? 0 : token.id };
  if (relay.ctx.config.strictHolds || !relay.credit.trust(spender, units)) return false;
  record.trusted = { spender, units };
  return true;
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
