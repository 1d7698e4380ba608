import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import {
  type Statement as StatementReply,
  statementCalls,
} from '../../../../src/api/billing/statement.ts';
import { type TopUp, walletCalls } from '../../../../src/api/billing/wallet.ts';
import { dataCalls } from '../../../../src/api/logs/data.ts';
import { logCalls } from '../../../../src/api/logs/log.ts';
import { buildRemoteRequest } from '../../../../src/api/remote.ts';
import { client } from '../../lib/api/api.ts';
import { walletKeys } from '../../lib/api/query-keys.ts';

export type Statement = z.output<typeof StatementReply>;
export type Order = z.output<typeof TopUp>;

export const wallet = client({
  redeem: walletCalls.redeem,
  amount: walletCalls.amount,
  pay: walletCalls.pay,
  orders: walletCalls.orders,
  payOrder: walletCalls.payOrder,
  cancelOrder: walletCalls.cancelOrder,
});
const ownLogs = client({ statOwn: logCalls.statOwn });

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

const statements = client(statementCalls);

export interface AskedStatement {
  /** An account of others, for administrators. */
  readonly userId: number | undefined;
  /** Such as `2026-11`. */
  readonly month: string;
}

export function statementQuery({ userId, month }: AskedStatement) {
  const asked = { month, time_zone: timeZone() };
  return queryOptions({
    queryKey: walletKeys.part('statement', { userId, ...asked }),
    // Calls change it at any time.
    staleTime: 0,
    queryFn: ({ signal }): Promise<Statement> =>
      userId === undefined
        ? statements.own(asked, { signal })
        : statements.ofUser({ ...asked, id: userId }, { signal }),
  });
}

/** Where the browser downloads the statement as CSV. */
export function statementAddress({ userId, month }: AskedStatement): string {
  const asked = { month, time_zone: timeZone() };
  return userId === undefined
    ? buildRemoteRequest(statementCalls.ownCsv, asked).path
    : buildRemoteRequest(statementCalls.ofUserCsv, { ...asked, id: userId }).path;
}

function timeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
