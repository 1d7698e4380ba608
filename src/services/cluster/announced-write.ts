/** How a service writes: one transaction, then everybody who caches hears of it. */
import type { Knex } from 'knex';
import type { Context } from '../../context.ts';
import { inTx } from '../../store/connection/transaction.ts';

export type TxContext = Context & { readonly db: Knex.Transaction };

/**
 * Runs `work` in one transaction (or in the one that is open) and, after its commit, lets the caches
 * of this process and of the others follow. The work may be run more than once: see `inTx`.
 */
export async function writing<T>(ctx: Context, work: (ctx: TxContext) => Promise<T>): Promise<T> {
  const answer = await inTx(ctx, work);
  if (ctx.db.isTransaction) return answer;
  try {
    await ctx.changes.committed();
  } catch (error) {
    // What was written stays written; the caches follow at their next poll.
    ctx.log.warn({ err: error }, 'a change could not be told to the caches');
  }
  return answer;
}
