/** The transaction travels in the context: inside `inTx` the outer pools are out of reach. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isRetryable } from '../sql/sql-dialect.ts';

interface Pools {
  readonly db: Knex;
  readonly reads: Knex;
  /** The first thing a transaction does: throws when whoever writes has lost the right to. */
  readonly fence?: (trx: Knex.Transaction) => Promise<void>;
}

const TRIES = 5;
const FIRST_PAUSE_MS = 10;

/**
 * Runs `work` in one transaction and hands it a context whose `db` and `reads` are that transaction.
 * Joins the transaction that is open already; else opens one, and repeats the whole work (at most
 * five times, after a short random pause) when the database gave way to somebody else: deadlock,
 * serialization failure, busy file. So the work must be repeatable: no network, no state outside.
 * Shadow the name (`inTx(ctx, async (ctx) => ...)`): on SQLite a query on the outer pool of one would
 * wait for itself.
 */
export async function inTx<C extends Pools, T>(
  ctx: C,
  work: (ctx: C & { db: Knex.Transaction }) => Promise<T>,
): Promise<T> {
  const { db } = ctx;
  if (isTransaction(db)) return work({ ...ctx, db });
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(async (trx) => {
        await ctx.fence?.(trx);
        return work({ ...ctx, db: trx, reads: trx });
      });
    } catch (error) {
      if (attempt === TRIES || !isRetryable(error)) throw error;
      await pause(FIRST_PAUSE_MS * 2 ** attempt * Math.random());
    }
  }
}

function isTransaction(db: Knex): db is Knex.Transaction {
  return db.isTransaction === true;
}
