/** Runs work in a transaction, passed in the context: inside `inTransaction` it shadows the outer pools. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isRetryable } from '../sql/sql-dialect.ts';
import type { Databases } from './database.ts';

interface Pools {
  readonly db: Knex;
  readonly reads: Knex;
  /** Runs first in the transaction; throws if the writer has lost its right to write. */
  readonly fence?: (trx: Knex.Transaction) => Promise<void>;
}

const MAX_ATTEMPTS = 5;
const FIRST_DELAY_MS = 10;

/**
 * Runs `work` in one transaction, with a context whose `db` and `reads` are that transaction. Joins
 * the open transaction, if any; otherwise opens one and repeats the whole work (at most five times,
 * after a short random pause) after a conflict: deadlock, serialization failure, busy file. The
 * work must therefore be repeatable: no network calls, no outside state. Shadow the name
 * (`inTransaction(ctx, async (ctx) => ...)`): on SQLite a query on the outer pool of one would wait for
 * itself.
 */
export async function inTransaction<C extends Pools, T>(
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
      if (attempt === MAX_ATTEMPTS || !isRetryable(error)) throw error;
      await pause(FIRST_DELAY_MS * 2 ** attempt * Math.random());
    }
  }
}

/**
 * Runs reads that all see the database as of the first one. On SQLite a reader in WAL mode keeps its
 * snapshot; the others need an isolation level.
 */
export function inSnapshot<T>(
  { engine, reads }: Pick<Databases, 'engine' | 'reads'>,
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  if (engine === 'sqlite') return reads.transaction(work);
  const withoutTimeout = async (trx: Knex.Transaction) => {
    // A slow disk may delay the next query.
    if (engine === 'postgres') await trx.raw('set local idle_in_transaction_session_timeout = 0');
    return work(trx);
  };
  return reads.transaction(withoutTimeout, { isolationLevel: 'repeatable read' });
}

function isTransaction(db: Knex): db is Knex.Transaction {
  return db.isTransaction === true;
}
