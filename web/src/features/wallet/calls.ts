import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import { type TopUp, walletCalls } from '../../../../src/api/billing/wallet.ts';
import { dataCalls } from '../../../../src/api/logs/data.ts';
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
  payOrder: walletCalls.payOrder,
  cancelOrder: walletCalls.cancelOrder,
});
export const ownLogs = client({ listOwn: logCalls.listOwn, statOwn: logCalls.statOwn });

const data = client({ listOwn: dataCalls.listOwn });

export const PACE_DAYS = 7;
const DAY_SEC = 86_400;
const HOUR_SEC = 3600;

export interface Pace {
  /** Net spending of the last days. */
  readonly spent: number;
  /** Hours since the first spending in this period; 0 if there was none. */
  readonly hours: number;
}

export const spendingPaceQuery = queryOptions({
  queryKey: walletKeys.part('pace'),
  queryFn: async ({ signal }): Promise<Pace> => {
    const now = Math.floor(Date.now() / 1000);
    const span = { start_timestamp: now - PACE_DAYS * DAY_SEC, end_timestamp: now };
    const [{ quota }, usage] = await Promise.all([
      ownLogs.statOwn({ start_timestamp: span.start_timestamp }, { signal }),
      data.listOwn(span, { signal }),
    ]);
    const first = Math.min(now, ...usage.map(({ created_at }) => created_at));
    return { spent: quota, hours: (now - first) / HOUR_SEC };
  },
});
