/** Rows of `top_ups`: orders of online top-ups. A conditional update pays an order only once. */
import type { Knex } from 'knex';
import { whereGiven } from '../sql/filters.ts';
import { insertOnce } from '../sql/inserts.ts';
import { fromColumn, numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';
import { likePrefix } from '../sql/sql-dialect.ts';

const TOP_UPS = rowReader({
  id: numberValue,
  user_id: numberValue,
  /** Whole dollars of quota, the unit used by clients of the one-api family. */
  amount: numberValue,
  /** Quota units to credit. */
  quota: numberValue,
  /** Hundredths of the payment currency. */
  cents: fromColumn('money', (value) => Math.round(numberValue(value) * 100)),
  trade_no: textValue,
  provider: textValue,
  method: textValue,
  status: textValue,
  create_time: numberValue,
  /** Epoch seconds; 0 while pending. */
  complete_time: numberValue,
});

export type TopUpRow = RowOf<typeof TOP_UPS>;
export type NewTopUpRow = Omit<TopUpRow, 'id' | 'status' | 'complete_time'>;

/** False if the trade number exists. */
export function insertTopUp(
  trx: Knex.Transaction,
  { cents, ...row }: NewTopUpRow,
): Promise<boolean> {
  const money = (cents / 100).toFixed(2);
  return insertOnce(trx, 'top_ups', { ...row, money, status: 'pending' }, 'trade_no');
}

export function topUpByTradeNo(db: Knex, tradeNo: string): Promise<TopUpRow | undefined> {
  return TOP_UPS.first(db('top_ups').where({ trade_no: tradeNo }));
}

/** Cancels a pending order; false if it was not pending. */
export async function cancelTopUp(trx: Knex.Transaction, tradeNo: string): Promise<boolean> {
  const pending = trx('top_ups').where({ trade_no: tradeNo, status: 'pending' });
  return (await pending.update({ status: 'cancelled' })) === 1;
}

/** Marks an order as paid, also a cancelled one; false if it was already paid. */
export async function markTopUpPaid(
  trx: Knex.Transaction,
  tradeNo: string,
  atSec: number,
): Promise<boolean> {
  const unpaid = trx('top_ups').where({ trade_no: tradeNo }).whereNot({ status: 'success' });
  return (await unpaid.update({ status: 'success', complete_time: atSec })) === 1;
}

export interface TopUpFilter {
  readonly user_id?: number | undefined;
  readonly status?: string | undefined;
  /** The beginning of a trade number. */
  readonly trade_no?: string | undefined;
}

export const pageOfTopUps = TOP_UPS.pages((reads, { trade_no, ...columns }: TopUpFilter) => {
  const query = whereGiven(reads('top_ups'), columns);
  if (trade_no) query.whereRaw(...likePrefix('trade_no', trade_no));
  return query;
});
