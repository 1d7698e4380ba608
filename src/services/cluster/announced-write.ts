/** The write pattern of services: one transaction, then a notification to all caches. */
import type { Knex } from 'knex';
import type { Context } from '../../context.ts';
import { inTransaction } from '../../store/connection/transaction.ts';

export type TxContext = Context & { readonly db: Knex.Transaction };

/**
 * Runs `work` in one transaction (or in the current one) and updates the caches of all processes
 * after the commit. The work may run more than once: see `inTransaction`.
 */
export async function writing<T>(ctx: Context, work: (ctx: TxContext) => Promise<T>): Promise<T> {
  const answer = await inTransaction(ctx, work);
  if (ctx.db.isTransaction) return answer;
  try {
    await ctx.changes.committed();
  } catch (error) {
    // The write is committed; caches catch up at their next poll.
    ctx.log.warn({ err: error }, 'the caches could not be informed of a change');
  }
  return answer;
}
