/** Transactions on the log and its aggregates, in the database that stores them. */
import type { Context } from '../../context.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import { poolsWithoutFence } from '../../store/logs/log-database.ts';
import type { TxContext } from '../cluster/announced-write.ts';

/**
 * `inTransaction` on the log database: the work's `db` is a transaction there. A lease of the site does not
 * fence a separate log database, so the work must be safe to run concurrently.
 */
export function inLogTransaction<T>(
  ctx: Context,
  work: (ctx: TxContext) => Promise<T>,
): Promise<T> {
  if (!ctx.logDatabase.isSeparate) return inTransaction(ctx, work);
  const { fence: _, ...rest } = ctx;
  return inTransaction({ ...rest, ...poolsWithoutFence(ctx.logDatabase) }, work);
}
