import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import {
  type Statement as StatementReply,
  statementCalls,
} from '../../../../src/api/billing/statement.ts';
import { type TopUp, walletCalls } from '../../../../src/api/billing/wallet.ts';
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
