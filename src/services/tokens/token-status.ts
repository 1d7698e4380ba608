/** Status changes of tokens made by the relay: expired or exhausted. */
import type { Context } from '../../context.ts';
import { nowSec } from '../../context.ts';
import { TOKEN_STATUS } from '../../domain/statuses.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import type { TxContext } from '../cluster/announced-write.ts';

/** Sets status 3 once: changes only an enabled token whose time has passed. */
export async function markExpired(ctx: Context, tokenId: number): Promise<void> {
  await mark(ctx, tokenId, TOKEN_STATUS.expired, 'expired_time <> -1 and expired_time <= ?', [
    nowSec(ctx),
  ]);
}

/** Sets status 4 once: changes only an enabled, limited token without quota. True if changed. */
export async function markExhausted(ctx: Context, tokenId: number): Promise<boolean> {
  return mark(ctx, tokenId, TOKEN_STATUS.exhausted, 'unlimited_quota = ? and remain_quota <= 0', [
    false,
  ]);
}

async function mark(
  ctx: Context,
  tokenId: number,
  status: number,
  condition: string,
  bindings: readonly (number | boolean)[],
): Promise<boolean> {
  const changed = await inTransaction(ctx, async (ctx) => {
    const rows = await ctx
      .db('tokens')
      .where({ id: tokenId, status: TOKEN_STATUS.enabled })
      .whereRaw(condition, [...bindings])
      .update({ status });
    if (rows > 0) await announceChange(ctx.db, 'tokens', tokenId);
    return rows > 0;
  });
  if (changed) await ctx.changes.committed();
  return changed;
}

/** Sets an exhausted token that got quota back to status 1; caches are notified in any case. */
export async function reenableToken({ db }: TxContext, tokenId: number): Promise<void> {
  await db('tokens')
    .where({ id: tokenId, status: TOKEN_STATUS.exhausted })
    .where('remain_quota', '>', 0)
    .update({ status: TOKEN_STATUS.enabled });
  await announceChange(db, 'tokens', tokenId);
}

/** A token's quota in the database, with and without its holds; 0 if the token does not exist. */
export async function quotaOfToken(
  ctx: Context,
  tokenId: number,
): Promise<{ readonly remain: number; readonly free: number }> {
  const row = await ctx.reads('tokens').where({ id: tokenId }).first(['remain_quota', 'held']);
  const remain = Number(row?.remain_quota ?? 0);
  return { remain, free: remain - Number(row?.held ?? 0) };
}
