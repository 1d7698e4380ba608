/** The share of a top-up that is paid to the user's inviter. */
import type { Knex } from 'knex';
import { nowSec } from '../../context.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { multiply, rationalOf } from '../../domain/pricing/decimal.ts';
import { lockRows } from '../../store/ledger/bulk-increments.ts';
import { post } from '../../store/ledger/ledger.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import { lockUser, type UserRow, userById } from '../../store/tables/users-table.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { recordAction } from '../logs/audit.ts';

/**
 * Users whose rows a top-up of this user may write. Never changes, so it may be read beforehand.
 */
export async function payeesOf(reads: Knex, userId: number): Promise<readonly number[]> {
  const user = await userById(reads, userId);
  return user === undefined || user.inviter_id === 0 ? [userId] : [userId, user.inviter_id];
}

/**
 * Locks the user and the inviter in the global lock order of users; otherwise two concurrent
 * top-ups, by the inviter and the invited user, could deadlock.
 */
export async function lockPayees(
  ctx: TxContext,
  [userId = 0, ...inviter]: readonly number[],
): Promise<UserRow | undefined> {
  await lockRows(ctx.db, 'users', [userId, ...inviter]);
  return lockUser(ctx.db, userId);
}

/**
 * Pays the inviter of `user` the configured share of `units`; `causeKey` is the ledger key of the
 * top-up. Both users must have been locked by `lockPayees`. Returns the units paid, 0 if none are
 * due.
 */
export async function payRebate(
  ctx: TxContext,
  user: UserRow,
  units: number,
  causeKey: string,
): Promise<number> {
  const share = rebateShare(ctx, units);
  if (share === 0 || user.inviter_id === 0 || user.inviter_id === user.id) return 0;
  const inviter = await lockUser(ctx.db, user.inviter_id);
  if (inviter === undefined || inviter.deleted_at !== null) return 0;
  if (!Number.isSafeInteger(inviter.quota + share)) return 0;
  const outcome = await post(ctx.db, {
    key: `rebate:${causeKey}`,
    cause: 'rebate',
    userId: inviter.id,
    userUnits: share,
    actor: `user:${user.id}`,
    detail: JSON.stringify({ cause: causeKey, units }),
    createdAtSec: nowSec(ctx),
  });
  if (outcome !== 'done') return 0;
  await recordRebate(ctx, user, inviter, share);
  await announceChange(ctx.db, 'users', inviter.id);
  return share;
}

/** Rounded down, so that a share never exceeds the percentage. */
function rebateShare(ctx: TxContext, units: number): number {
  const options = ctx.options();
  const isOn = options.get('RebateEnabled') && options.get('AffEnabled');
  const percentage = options.get('RebatePercentage');
  if (!isOn || percentage <= 0 || units <= 0) return 0;
  const { num, den } = multiply(rationalOf(units), rationalOf(percentage));
  return Number(num / (den * 100n));
}

async function recordRebate(
  ctx: TxContext,
  user: UserRow,
  inviter: UserRow,
  share: number,
): Promise<void> {
  const actor = { kind: 'user', id: user.id, role: 1, group: user.group } as const;
  const common = { action: 'rebate', type: LOG_TYPE.system };
  const params = { units: share };
  await recordAction(ctx, actor, {
    ...common,
    event: { event: 'rebate_received', params },
    user: inviter,
    quota: share,
  });
  await recordAction(ctx, actor, { ...common, event: { event: 'rebate_paid', params }, user });
}
