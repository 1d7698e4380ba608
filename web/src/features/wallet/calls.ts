import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import { accountCalls } from '../../../../src/api/accounts/account.ts';
import { type TopUp, walletCalls } from '../../../../src/api/billing/wallet.ts';
import { type Log as LogReply, logCalls } from '../../../../src/api/logs/log.ts';
import { client } from '../../lib/api/api.ts';
import { entityKeys } from '../../lib/api/query-keys.ts';

export type Log = z.output<typeof LogReply>;
export type Order = z.output<typeof TopUp>;

export const wallet = client({
  redeem: walletCalls.redeem,
  amount: walletCalls.amount,
  pay: walletCalls.pay,
  orders: walletCalls.orders,
});
export const logs = client({ listOwn: logCalls.listOwn, statOwn: logCalls.statOwn });
const account = client({ self: accountCalls.self });

export const selfKeys = entityKeys('self');
export const walletKeys = entityKeys('wallet');

export const selfReading = (id: number) =>
  queryOptions({
    queryKey: selfKeys.one(id),
    queryFn: ({ signal }) => account.self({}, { signal }),
  });

export const PACE_DAYS = 7;

/** Net spending of the last days. */
export const paceReading = queryOptions({
  queryKey: walletKeys.part('pace'),
  queryFn: async ({ signal }) => {
    const start_timestamp = Math.floor(Date.now() / 1000) - PACE_DAYS * 86_400;
    const { quota } = await logs.statOwn({ start_timestamp }, { signal });
    return quota;
  },
});
