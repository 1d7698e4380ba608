/**
 * Online top-ups: quotes, orders, and the one-time crediting of an order. An order stores the units
 * it credits and its price, so later price changes do not affect it.
 */

import { type Context, nowSec } from '../../context.ts';
import { AppError, asAppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { recordedError } from '../../domain/logs/reasons.ts';
import type { OptionValues } from '../../domain/options/registry.ts';
import {
  divide,
  multiply,
  ONE,
  type Rational,
  rationalOf,
  roundHalfUp,
} from '../../domain/pricing/decimal.ts';
import { post } from '../../store/ledger/ledger.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import {
  insertTopUp,
  markTopUpPaid,
  type TopUpRow,
  topUpByTradeNo,
} from '../../store/tables/top-ups-table.ts';
import { type UserRow, userById } from '../../store/tables/users-table.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import { recordAction } from '../logs/audit.ts';
import { type FailedPayment, notifyFailedPayment } from '../messaging/notify/events.ts';
import { randomText } from '../random/random-text.ts';
import { isTopUpOpen, paymentProviderFor, paymentProviderNamed } from './payments/all.ts';
import type { Checkout, PaymentProvider } from './payments/payment-method.ts';
import { lockPayees, payeesOf, payRebate } from './rebates.ts';

/** Beyond this many hundredths a number loses cent precision. */
const MAX_CENTS = 10 ** 13;
const TRADE_RANDOM = 6;

export interface TopUpQuote {
  /** As requested. */
  readonly requested: number;
  /** Whole dollars of quota. */
  readonly amount: number;
  /** Units the order credits. */
  readonly quota: number;
  /** Amount to pay, in hundredths. */
  readonly cents: number;
}

/** @throws AppError top_up_off, top_up_amount, top_up_too_little, user_gone. */
export async function topUpQuote(
  ctx: Context,
  userId: number,
  amount: unknown,
): Promise<TopUpQuote> {
  const options = ctx.options();
  if (!isTopUpOpen(options)) throw new AppError('top_up_off');
  const requested = requireAmount(options, amount);
  const user = await userById(ctx.reads, userId);
  if (user === undefined || user.deleted_at !== null) throw new AppError('user_gone');
  const perUnit = rationalOf(options.get('QuotaPerUnit'));
  const isCurrency = options.get('DisplayInCurrencyEnabled');
  const dollars = isCurrency ? rationalOf(requested) : divide(rationalOf(requested), perUnit);
  return {
    requested,
    amount: Number(dollars.num / dollars.den),
    quota: isCurrency ? roundHalfUp(multiply(dollars, perUnit)) : requested,
    cents: centsFor(options, user, dollars),
  };
}

/**
 * In dollars of quota, or in units if amounts are not displayed in currency; the limits use the
 * same unit.
 */
function requireAmount(options: OptionValues, amount: unknown): number {
  const isCurrency = options.get('DisplayInCurrencyEnabled');
  const unit = isCurrency ? ONE : rationalOf(options.get('QuotaPerUnit'));
  const least = Math.max(1, roundHalfUp(multiply(rationalOf(options.get('MinTopUp')), unit)));
  const most = roundHalfUp(multiply(rationalOf(options.get('MaxTopUp')), unit));
  const requested = amountOf(amount);
  if (!Number.isSafeInteger(requested) || requested < least || requested > most)
    throw new AppError('top_up_amount', { least, most }, { param: 'amount' });
  return requested;
}

/** As people write it: `1e3` and `0x10` are mistakes rather than amounts. */
function amountOf(amount: unknown): number {
  if (typeof amount === 'string' && !/^\s*\d+(\.0+)?\s*$/.test(amount)) return Number.NaN;
  return Number(amount ?? Number.NaN);
}

function centsFor(options: OptionValues, { group }: UserRow, dollars: Rational): number {
  const factor = options.get('TopupGroupRatio')[group] || 1;
  const hundred = rationalOf(100);
  const exact = multiply(dollars, rationalOf(options.get('Price')), rationalOf(factor), hundred);
  const cents = roundHalfUp(exact);
  if (exact.num < exact.den) throw new AppError('top_up_too_little');
  if (cents > MAX_CENTS) throw invalidInput('amount', 'too_expensive');
  return cents;
}

export function moneyText(cents: number): string {
  return (cents / 100).toFixed(2);
}

/**
 * Opens an order and returns the form that leads to the payment page. The order is stored before it
 * can be paid.
 * @throws AppError as `topUpQuote`, top_up_method.
 */
export async function openOrder(
  ctx: Context,
  userId: number,
  input: { readonly amount: unknown; readonly method: string },
): Promise<Checkout> {
  const options = ctx.options();
  const { requested, amount, quota, cents } = await topUpQuote(ctx, userId, input.amount);
  const provider = requireProvider(ctx, input.method);
  const create_time = nowSec(ctx);
  const trade_no = `USR${userId}NO${randomText(ctx.random, TRADE_RANDOM)}${create_time}`;
  const order = { user_id: userId, amount, quota, cents, trade_no, method: input.method };
  const isNew = await writing(ctx, (ctx) =>
    insertTopUp(ctx.db, { ...order, provider: provider.provider, create_time }),
  );
  if (!isNew) throw new AppError('internal', {}, { cause: new Error('trade number taken') });
  return provider.checkout(options, {
    tradeNo: trade_no,
    method: input.method,
    amount: requested,
    money: moneyText(cents),
  });
}

/**
 * The form that leads to the payment page of an order that was opened before.
 * @throws AppError top_up_off, top_up_method.
 */
export function checkoutOf(ctx: Context, order: TopUpRow): Checkout {
  const options = ctx.options();
  if (!isTopUpOpen(options)) throw new AppError('top_up_off');
  const { method, trade_no: tradeNo, amount, quota, cents } = order;
  return requireProvider(ctx, method).checkout(options, {
    tradeNo,
    method,
    amount: options.get('DisplayInCurrencyEnabled') ? amount : quota,
    money: moneyText(cents),
  });
}

function requireProvider({ options }: Context, method: string): PaymentProvider {
  const provider = paymentProviderFor(options(), method);
  if (provider === undefined) throw new AppError('top_up_method', {}, { param: 'payment_method' });
  return provider;
}

/**
 * Handles a provider's payment notification and returns the response body. Acknowledges it only
 * after the ledger entry is written.
 */
export async function handlePaymentNotification(
  ctx: Context,
  providerName: string,
  params: Readonly<Record<string, unknown>>,
): Promise<string> {
  const provider = paymentProviderNamed(providerName);
  if (provider === undefined) throw new AppError('not_found');
  const { accepted, rejected } = provider.responses;
  const notice = provider.readNotification(ctx.options(), params);
  if (notice === undefined) {
    ctx.log.warn({ provider: providerName }, 'a payment notice was not authentic');
    return rejected;
  }
  if (!notice.isPaid) return accepted;
  const order = await topUpByTradeNo(ctx.db, notice.tradeNo);
  const report = (reason: FailedPayment['reason']) =>
    notifyFailedPayment(ctx, { provider: providerName, tradeNo: notice.tradeNo, reason });
  if (order?.provider !== providerName || order.cents !== notice.cents) {
    ctx.log.warn({ tradeNo: notice.tradeNo }, 'a payment notice matches no order');
    report(mismatchOf(notice, order?.provider === providerName ? order : undefined));
    return rejected;
  }
  const payees = await payeesOf(ctx.reads, order.user_id);
  try {
    await writing(ctx, (ctx) => settleOrder(ctx, order, payees, `payment:${providerName}`));
  } catch (error) {
    report(recordedError(asAppError(error)));
    throw error;
  }
  return accepted;
}

/** Why a payment belongs to no order: there is none, or the amount that was paid is another one. */
function mismatchOf(
  { tradeNo, cents }: { readonly tradeNo: string; readonly cents: number | undefined },
  order: TopUpRow | undefined,
): FailedPayment['reason'] {
  if (order === undefined) return { error: 'top_up_missing', params: { trade_no: tradeNo } };
  return `${cents === undefined ? '-' : moneyText(cents)} / ${moneyText(order.cents)}`;
}

/** Credits an unpaid order and its rebate; false when it was already credited. */
export async function settleOrder(
  ctx: TxContext,
  order: TopUpRow,
  payees: readonly number[],
  by: string,
): Promise<boolean> {
  const user = await lockPayees(ctx, payees);
  if (user === undefined) throw new AppError('user_missing', { user: String(order.user_id) });
  const atSec = nowSec(ctx);
  if (!(await markTopUpPaid(ctx.db, order.trade_no, atSec))) return false;
  const key = `topup:${order.trade_no}`;
  const units = creditedUnits(ctx, order);
  // The order stays pending, and its provider sends the notification again.
  if (!Number.isSafeInteger(user.quota + units)) throw new AppError('balance_too_large');
  const outcome = await post(ctx.db, {
    key,
    cause: 'topup',
    userId: user.id,
    userUnits: units,
    actor: by,
    detail: JSON.stringify({ trade_no: order.trade_no, money: moneyText(order.cents) }),
    createdAtSec: atSec,
  });
  if (outcome !== 'done') throw new Error(`order ${order.trade_no} already has a ledger entry`);
  const actor = { kind: 'user', id: user.id, role: 1, group: user.group } as const;
  await recordAction(ctx, actor, {
    action: 'top_up',
    event: { event: 'top_up_paid', params: { units, cents: order.cents } },
    user,
    type: LOG_TYPE.top_up,
    quota: units,
    facts: { trade_no: order.trade_no, method: order.method },
  });
  await payRebate(ctx, user, units, key);
  await announceChange(ctx.db, 'users', user.id);
  return true;
}

/** Orders from before the gateway stored the units credit their amount. */
function creditedUnits(ctx: Context, { quota, amount }: TopUpRow): number {
  if (quota > 0) return quota;
  return roundHalfUp(multiply(rationalOf(amount), rationalOf(ctx.options().get('QuotaPerUnit'))));
}
