import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import { type TopUp, walletCalls } from '../../../../src/api/billing/wallet.ts';
import { type Log as LogReply, logCalls } from '../../../../src/api/logs/log.ts';
import { client } from '../../lib/api/api.ts';
import { walletKeys } from '../../lib/api/query-keys.ts';

export type Log = z.output<typeof LogReply>;
export type Order = z.output<typeof TopUp>;

export const wallet = client({
  redeem: walletCalls.redeem,
  amount: walletCalls.amount,
  pay: walletCalls.pay,
  orders: walletCalls.orders,
});
export const ownLogs = client({ listOwn: logCalls.listOwn, statOwn: logCalls.statOwn });

export const PACE_DAYS = 7;

/** Net spending of the last days. */
export const spendingPaceQuery = queryOptions({
  queryKey: walletKeys.part('pace'),
  queryFn: async ({ signal }) => {
    const start_timestamp = Math.floor(Date.now() / 1000) - PACE_DAYS * 86_400;
    const { quota } = await ownLogs.statOwn({ start_timestamp }, { signal });
    return quota;
  },
});
