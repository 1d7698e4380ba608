/** What the relay writes back to a token: that its time or its quota has run out. */
import type { Context } from '../../context.ts';
import { nowSec } from '../../context.ts';
import { TOKEN_STATUS } from '../../domain/statuses.ts';
import { inTx } from '../../store/connection/transaction.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import type { TxContext } from '../cluster/announced-write.ts';

/** Status 3, once: only an enabled token whose time has passed changes. */
export async function markExpired(ctx: Context, tokenId: number): Promise<void> {
  await mark(ctx, tokenId, TOKEN_STATUS.expired, 'expired_time <> -1 and expired_time <= ?', [
    nowSec(ctx),
  ]);
}

/** Status 4, once: only an enabled, limited token with nothing left changes. True if it did. */
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
  const changed = await inTx(ctx, async (ctx) => {
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

/** Status 1 for one that was exhausted and got something back; caches hear of it either way. */
export async function reviveToken({ db }: TxContext, tokenId: number): Promise<void> {
  await db('tokens')
    .where({ id: tokenId, status: TOKEN_STATUS.exhausted })
    .where('remain_quota', '>', 0)
    .update({ status: TOKEN_STATUS.enabled });
  await announceChange(db, 'tokens', tokenId);
}

/** What the token has left, from the database. Undefined when it is gone. */
export async function remainingQuota(ctx: Context, tokenId: number): Promise<number | undefined> {
  const row = await ctx.reads('tokens').where({ id: tokenId }).first(['remain_quota']);
  return row === undefined ? undefined : Number(row.remain_quota);
}
