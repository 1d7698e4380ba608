/**
 * Redeems codes. The checks produce a specific error for the user; the conditional update of the
 * code, the unique use of a gift code and the unique ledger row make it safe, all in one
 * transaction.
 */
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { REDEMPTION_STATUS, USER_STATUS } from '../../domain/statuses.ts';
import { requireRateLimit } from '../../store/kv/rate-limit.ts';
import { post } from '../../store/ledger/ledger.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import {
  lockRedemption,
  type RedemptionRow,
  recordGiftUse,
  redeemGiftCode,
  redeemPlainCode,
} from '../../store/tables/redemptions-table.ts';
import type { UserRow } from '../../store/tables/users-table.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import { recordAction } from '../logs/audit.ts';
import { lockPayees, payeesOf, payRebate } from './rebates.ts';

/** Limits guessing of keys: attempts per user and minute, including successful ones. */
const ATTEMPTS = 10;
const ATTEMPTS_WINDOW_MS = 60_000;

/**
 * @throws AppError rate_limited, redeem_unknown (also for a disabled code), redeem_early,
 * redeem_expired, redeem_used, redeem_used_up, redeem_repeated,
 * balance_too_large.
 */
export async function redeemCode(
  ctx: Context,
  userId: number,
  key: string,
): Promise<{ quota: number; is_gift: boolean }> {
  await requireRateLimit(ctx.kv, {
    key: `redeem:${userId}`,
    limit: ATTEMPTS,
    windowMs: ATTEMPTS_WINDOW_MS,
  });
  const payees = await payeesOf(ctx.reads, userId);
  return writing(ctx, async (ctx) => {
    const user = await lockPayees(ctx, payees);
    if (user === undefined || user.deleted_at !== null) throw new AppError('user_gone');
    if (user.status !== USER_STATUS.enabled) throw new AppError('user_banned');
    const code = await lockRedemption(ctx.db, { key });
    const { id, quota, is_gift } = requireRedeemable(code, nowSec(ctx));
    await markUsed(ctx, { id, is_gift }, user);
    await credit(ctx, { id, quota, is_gift }, user);
    return { quota, is_gift };
  });
}

function requireRedeemable(code: RedemptionRow | undefined, nowSec: number): RedemptionRow {
  if (code === undefined || code.status === REDEMPTION_STATUS.disabled)
    throw new AppError('redeem_unknown');
  if (code.valid_from > nowSec) throw new AppError('redeem_early');
  if (code.valid_until > 0 && code.valid_until < nowSec) throw new AppError('redeem_expired');
  const isUsedUp = code.max_uses > 0 && code.used_count >= code.max_uses;
  if (code.is_gift && (code.status === REDEMPTION_STATUS.used || isUsedUp))
    throw new AppError('redeem_used_up');
  if (code.status !== REDEMPTION_STATUS.unused) throw new AppError('redeem_used');
  return code;
}

type RedeemedCode = Pick<RedemptionRow, 'id' | 'is_gift'>;

async function markUsed(
  ctx: TxContext,
  { id, is_gift }: RedeemedCode,
  user: UserRow,
): Promise<void> {
  const use = { id, userId: user.id, atSec: nowSec(ctx) };
  if (!is_gift) {
    if (!(await redeemPlainCode(ctx.db, use))) throw new AppError('redeem_used');
    return;
  }
  if (!(await recordGiftUse(ctx.db, use))) throw new AppError('redeem_repeated');
  if (!(await redeemGiftCode(ctx.db, use))) throw new AppError('redeem_used_up');
}

async function credit(
  ctx: TxContext,
  { id, quota, is_gift }: RedeemedCode & Pick<RedemptionRow, 'quota'>,
  user: UserRow,
): Promise<void> {
  // Thrown inside the transaction, so that the code stays unused.
  if (!Number.isSafeInteger(user.quota + quota)) throw new AppError('balance_too_large');
  const key = `redeem:${id}:${user.id}`;
  const outcome = await post(ctx.db, {
    key,
    cause: 'redemption',
    userId: user.id,
    userUnits: quota,
    actor: `user:${user.id}`,
    detail: JSON.stringify({ redemption_id: id, is_gift }),
    createdAtSec: nowSec(ctx),
  });
  if (outcome !== 'done') throw new AppError('redeem_repeated');
  const actor = { kind: 'user', id: user.id, role: 1, group: user.group } as const;
  await recordAction(ctx, actor, {
    action: 'redeem',
    event: { event: 'code_redeemed', params: { units: quota } },
    user,
    type: LOG_TYPE.top_up,
    quota,
    facts: { redemption_id: id, is_gift },
  });
  if (!is_gift || ctx.options().get('RebateOnGiftCodes')) await payRebate(ctx, user, quota, key);
  await announceChange(ctx.db, 'users', user.id);
}
