/**
 * Runs work under a lease: the lease is renewed while the work runs, and each transaction first
 * verifies that it is still held. So a process that stalled and was replaced writes nothing.
 */
import type { Context } from '../../context.ts';
import { type Lease, lockLease, renewLease } from '../../store/tables/leases-table.ts';

/** The lease is held by another process or could not be verified: the work must end. */
export class LeaseLost extends Error {
  constructor(name: string) {
    super(`the lease ${name} was lost`);
    this.name = 'LeaseLost';
  }
}

/**
 * Runs `work` with a context whose transactions fail with `LeaseLost` once another process holds
 * the lease, and a signal that fires then, or with `signal`. Does not release the lease.
 */
export async function underLease<T>(
  ctx: Context,
  lease: Lease,
  { ttlMs, signal }: { readonly ttlMs: number; readonly signal: AbortSignal },
  work: (ctx: Context, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const fence: Context['fence'] = async (trx) => {
    // Work under a lease may take another lease: then both must be held.
    await ctx.fence?.(trx);
    if (!(await lockLease(trx, lease))) throw new LeaseLost(lease.name);
  };
  const stopKeeping = keep(ctx, lease, ttlMs, () => lost.abort(new LeaseLost(lease.name)));
  try {
    return await work({ ...ctx, fence }, AbortSignal.any([lost.signal, signal]));
  } finally {
    stopKeeping();
  }
}

/**
 * Renews three times per lifetime; if the database is unreachable for a whole lifetime, the lease
 * counts as lost.
 */
function keep(ctx: Context, lease: Lease, ttlMs: number, onLost: () => void): () => void {
  let renewedAt = performance.now();
  let isAsking = false;
  const renew = async (): Promise<void> => {
    const askedAt = performance.now();
    try {
      if (await renewLease(ctx.db, lease, ttlMs)) renewedAt = askedAt;
      else onLost();
    } catch (error) {
      ctx.log.warn({ err: error, lease: lease.name }, 'a lease could not be renewed');
    }
  };
  const timer = setInterval(
    () => {
      if (performance.now() - renewedAt > ttlMs) onLost();
      if (isAsking) return;
      isAsking = true;
      void renew().finally(() => {
        isAsking = false;
      });
    },
    Math.max(1, ttlMs / 3),
  );
  timer.unref();
  return () => clearInterval(timer);
}
