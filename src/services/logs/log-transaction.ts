/** Changing the log and its figures where they live. */
import type { Context } from '../../context.ts';
import { inTx } from '../../store/connection/transaction.ts';
import { poolsOf } from '../../store/logs/log-database.ts';
import type { TxContext } from '../cluster/announced-write.ts';

/**
 * `inTx` on the log database: the `db` that the work gets is a transaction there. In a database of its
 * own a lease of the site is no fence, so the work must be right whoever else does the same.
 */
export function inLogTx<T>(ctx: Context, work: (ctx: TxContext) => Promise<T>): Promise<T> {
  if (!ctx.logDatabase.isApart) return inTx(ctx, work);
  const { fence: _, ...rest } = ctx;
  return inTx({ ...rest, ...poolsOf(ctx.logDatabase) }, work);
}
