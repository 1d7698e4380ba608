/** Work that only one process of the site runs at a time, guarded by a named lease. */
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import {
  ensureLease,
  type Lease,
  releaseLease,
  takeLease,
} from '../../store/tables/leases-table.ts';
import { underLease } from './lease-work.ts';

export interface Turn {
  /** Runs the work and then releases the lease; the signal fires when the lease is lost. */
  run<T>(work: (ctx: Context, signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Releases a lease that was not used. */
  giveBack(): Promise<void>;
}

/** Lease duration; a killed process holds its lease for this long. */
const TTL_MS = 30_000;
const NEVER = new AbortController().signal;

/** The names of the leases, which the locales word (`exclusive_work`). */
export type ExclusiveWork = 'channel-balances' | 'channel-tests' | 'site-apply';

/** @throws AppError `already_running` while another process holds the lease. */
export async function takeTurn(
  ctx: Context,
  name: ExclusiveWork,
  signal: AbortSignal = NEVER,
): Promise<Turn> {
  const lease = await takeLeaseOf(ctx, { name, holder: ctx.node, ttlMs: TTL_MS });
  return {
    async run(work) {
      try {
        return await underLease(ctx, lease, { ttlMs: TTL_MS, signal }, work);
      } finally {
        await giveBack(ctx, lease);
      }
    },
    giveBack: () => giveBack(ctx, lease),
  };
}

/** @throws AppError `already_running` while another holder has the lease. */
export async function takeLeaseOf(
  ctx: Context,
  wanted: { readonly name: ExclusiveWork; readonly holder: string; readonly ttlMs: number },
): Promise<Lease> {
  await ensureLease(ctx.db, wanted.name);
  const lease = await inTransaction(ctx, ({ db }) => takeLease(db, wanted));
  if (lease === undefined) throw new AppError('already_running', { work: wanted.name });
  return lease;
}

/** If the release fails, the lease expires by itself. */
async function giveBack(ctx: Context, lease: Lease): Promise<void> {
  try {
    await releaseLease(ctx.db, lease);
  } catch (error) {
    ctx.log.warn({ err: error, lease: lease.name }, 'a lease could not be released');
  }
}
