/** Adding balance: redemption codes and online payment. */
import * as z from 'zod/mini';
import { call, PageQuery, pageSchema } from '../call.ts';
import { FilterInt, FilterText } from '../fields.ts';

/**
 * Input of an order. Deliberately loose: validation errors use the form of these two replies, which
 * clients of compatible gateways expect instead of the envelope.
 */
const OrderInput = z.object({
  /** Whole dollars of quota, or units if amounts are not displayed in currency. */
  amount: z.optional(z.union([z.number(), z.string()])),
  /** Sent by existing clients, ignored. */
  top_up_code: z.optional(z.unknown()),
});

const Outcome = z.enum(['success', 'error']);

export const TopUp = z.object({
  id: z.int(),
  user_id: z.int(),
  username: z.string(),
  trade_no: z.string(),
  /** Whole dollars of quota. */
  amount: z.int(),
  /** Quota units credited. */
  quota: z.int(),
  /** Price to pay, two decimals. */
  money: z.string(),
  provider: z.string(),
  method: z.string(),
  /** `pending`, `cancelled` or `success`; a cancelled order is still credited if it is paid. */
  status: z.string(),
  create_time: z.int(),
  /** 0 while pending. */
  complete_time: z.int(),
});

const TopUpList = z.extend(PageQuery, {
  status: FilterText,
  /** The beginning of a trade number. */
  keyword: FilterText,
});

const ByTradeNo = z.object({
  trade_no: z.string().check(z.trim(), z.minLength(1), z.maxLength(128)),
});

const BalanceOutlook = z.object({
  quota: z.int(),
  /** Net spend from this second on, about a week. */
  since: z.int(),
  spent: z.int(),
  /** Null without spending, or within less than a day of it. */
  days_left: z.nullable(z.int()),
  /** The balance is below the warning threshold, or lasts for less than three days. */
  is_low: z.boolean(),
});

export const walletCalls = {
  outlook: call.user('GET /api/user/self/outlook', {
    summary: "Shows the caller's balance, its recent net spend, and how long it lasts",
    reply: BalanceOutlook,
  }),
  redeem: call.user('POST /api/user/topup', {
    summary: 'Redeems a code',
    input: z.object({ key: z.string().check(z.trim(), z.minLength(1)) }),
    reply: z.object({ quota: z.int(), is_gift: z.boolean() }),
  }),
  amount: call.user('POST /api/user/amount', {
    summary: 'Calculates the price of a top-up',
    input: OrderInput,
    reply: z.object({ message: Outcome, data: z.string() }),
    wire: 'bare',
  }),
  pay: call.user('POST /api/user/pay', {
    summary: 'Creates an order and returns the form for the payment page',
    input: z.extend(OrderInput, { payment_method: z.optional(z.string()) }),
    reply: z.object({
      message: Outcome,
      /** The form's fields, or an error message. */
      data: z.union([z.string(), z.record(z.string(), z.string())]),
      url: z.optional(z.string()),
    }),
    wire: 'bare',
  }),
  notify: call.guest('GET /api/user/:provider/notify', {
    also: ['POST /api/user/:provider/notify'],
    summary: 'Receives the notice of a payment provider that an order was paid',
    /** Any fields of the provider, because its signature covers all of them. */
    input: z.catchall(z.object({ provider: z.string() }), z.unknown()),
    reply: z.string(),
    wire: 'text',
    changesData: true,
    isCrossSite: true,
    form: true,
  }),
  orders: call.user('GET /api/user/topups', {
    summary: "Lists the caller's top-up orders",
    input: TopUpList,
    reply: pageSchema(TopUp),
  }),
  payOrder: call.user('POST /api/user/topups/:trade_no/pay', {
    summary: 'Returns the form for the payment page of an unpaid order',
    input: ByTradeNo,
    reply: z.object({ url: z.string(), fields: z.record(z.string(), z.string()) }),
  }),
  cancelOrder: call.user('DELETE /api/user/topups/:trade_no', {
    summary: 'Cancels an unpaid order',
    input: ByTradeNo,
  }),
  allOrders: call.admin('GET /api/topup/', {
    summary: 'Lists top-up orders of all users',
    input: z.extend(TopUpList, { user: FilterInt }),
    reply: pageSchema(TopUp),
  }),
  completeOrder: call.superAdmin('POST /api/topup/:trade_no/complete', {
    summary: 'Credits an order whose payment arrived without a notice',
    input: ByTradeNo,
    reply: TopUp,
  }),
};
