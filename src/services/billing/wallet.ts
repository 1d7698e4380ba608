/** The balance calls of users: redeem a code, pay for an order, list orders. */

import type { walletCalls } from '../../api/billing/wallet.ts';
import { type PageOf, pageWindow, type Service, toPage } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { errorText, type Language } from '../../locales/text.ts';
import {
  cancelTopUp,
  pageOfTopUps,
  type TopUpFilter,
  type TopUpRow,
  topUpByTradeNo,
} from '../../store/tables/top-ups-table.ts';
import { usernamesOf } from '../../store/tables/users-table.ts';
import { writing } from '../cluster/announced-write.ts';
import { actorName, ownId, recordAction } from '../logs/audit.ts';
import * as balanceOutlook from './balance-outlook.ts';
import { payeesOf } from './rebates.ts';
import { redeemCode } from './redeem.ts';
import {
  checkoutOf,
  handlePaymentNotification,
  moneyText,
  openOrder,
  settleOrder,
  topUpQuote,
} from './top-ups.ts';

type Calls = Service<typeof walletCalls, Context>;

export const outlook: Calls['outlook'] = balanceOutlook.outlook;

export const redeem: Calls['redeem'] = (ctx, actor, { key }) => redeemCode(ctx, ownId(actor), key);

export const amount: Calls['amount'] = (ctx, actor, input, visit) =>
  refusalsAsData(visit.language, async () => {
    const { cents } = await topUpQuote(ctx, ownId(actor), input.amount);
    return { message: 'success', data: moneyText(cents) };
  });

export const pay: Calls['pay'] = (ctx, actor, input, visit) =>
  refusalsAsData(visit.language, async () => {
    const order = { amount: input.amount, method: input.payment_method ?? '' };
    const { url, fields } = await openOrder(ctx, ownId(actor), order);
    return { message: 'success', data: { ...fields }, url };
  });

/** These two calls return a refusal in their own format, with the reason in place of the data. */
async function refusalsAsData<T>(
  language: Language,
  work: () => Promise<T>,
): Promise<T | { message: 'error'; data: string }> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return { message: 'error', data: errorText(error, language) };
  }
}

export const notify: Calls['notify'] = (ctx, _actor, { provider, ...params }) =>
  handlePaymentNotification(ctx, provider, params);

export const orders: Calls['orders'] = (ctx, actor, input) =>
  pageFor(ctx, input, { user_id: ownId(actor) });

/** @throws AppError top_up_missing, also for another user's order; top_up_settled, top_up_method. */
export const payOrder: Calls['payOrder'] = async (ctx, actor, { trade_no }) => {
  const order = await ownOrder(ctx, ownId(actor), trade_no);
  if (order.status === 'success') throw new AppError('top_up_settled', { trade_no });
  const { url, fields } = checkoutOf(ctx, order);
  return { url, fields: { ...fields } };
};

/** @throws AppError top_up_missing, also for another user's order; top_up_settled. */
export const cancelOrder: Calls['cancelOrder'] = async (ctx, actor, { trade_no }) => {
  await ownOrder(ctx, ownId(actor), trade_no);
  const isCancelled = await writing(ctx, ({ db }) => cancelTopUp(db, trade_no));
  if (!isCancelled) throw new AppError('top_up_settled', { trade_no });
};

async function ownOrder(ctx: Context, userId: number, trade_no: string): Promise<TopUpRow> {
  const order = await topUpByTradeNo(ctx.db, trade_no);
  if (order?.user_id !== userId) throw new AppError('top_up_missing', { trade_no });
  return order;
}

export const allOrders: Calls['allOrders'] = (ctx, _actor, input) =>
  pageFor(ctx, input, { user_id: input.user });

async function pageFor(
  ctx: Context,
  input: Parameters<Calls['orders']>[2],
  filter: TopUpFilter,
): Promise<PageOf<OrderView>> {
  const window = pageWindow(input);
  const orderFilter = { ...filter, status: input.status, trade_no: input.keyword };
  const { rows, total } = await pageOfTopUps(ctx.reads, orderFilter, window);
  return toPage(window, await orderViews(ctx, rows), total);
}

export const completeOrder: Calls['completeOrder'] = async (ctx, actor, { trade_no }) => {
  const order = await topUpByTradeNo(ctx.db, trade_no);
  if (order === undefined) throw new AppError('top_up_missing', { trade_no });
  const payees = await payeesOf(ctx.reads, order.user_id);
  await writing(ctx, async (ctx) => {
    if (!(await settleOrder(ctx, order, payees, actorName(actor))))
      throw new AppError('top_up_settled', { trade_no });
    const names = await usernamesOf(ctx.db, [order.user_id]);
    const user = { id: order.user_id, username: names.get(order.user_id) ?? '' };
    await recordAction(ctx, actor, {
      action: 'top_up_complete',
      event: { event: 'top_up_completed', params: { trade_no, cents: order.cents } },
      user,
      facts: { trade_no },
    });
  });
  const paid = await topUpByTradeNo(ctx.db, trade_no);
  const [shown] = await orderViews(ctx, paid === undefined ? [] : [paid]);
  if (shown === undefined) throw new AppError('top_up_missing', { trade_no });
  return shown;
};

type OrderView = Omit<TopUpRow, 'cents'> & { readonly username: string; readonly money: string };

async function orderViews(ctx: Context, rows: readonly TopUpRow[]): Promise<OrderView[]> {
  const names = await usernamesOf(
    ctx.reads,
    rows.map((row) => row.user_id),
  );
  return rows.map(({ cents, ...row }) => ({
    ...row,
    money: moneyText(cents),
    username: names.get(row.user_id) ?? '',
  }));
}
