/** Manual balance changes: one ledger entry and one log entry each. */

import { randomUUID } from 'node:crypto';
import type { Actor } from '../../api/call.ts';
import { nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { post } from '../../store/ledger/ledger.ts';
import { lockUser, type UserRow } from '../../store/tables/users-table.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { actorName, recordAction } from '../logs/audit.ts';
import { quotaShort } from './quota-short.ts';

export interface BalanceChange {
  readonly mode: 'add' | 'set';
  readonly units: number;
  /** Idempotency key: repeating a change with the same key has no effect. */
  readonly key?: string | undefined;
}

export interface BalanceChangeResult {
  readonly before: number;
  readonly after: number;
  readonly repeated: boolean;
}

/**
 * Locks the user, so that the balance cannot change before the units are added.
 * @throws AppError balance_too_large if the sum exceeds the safe integer range.
 */
export async function requireBalanceInRange(
  ctx: TxContext,
  userId: number,
  units: number,
): Promise<void> {
  const user = await lockUser(ctx.db, userId);
  if (!Number.isSafeInteger((user?.quota ?? 0) + units)) throw new AppError('balance_too_large');
}

/**
 * Adds to or sets the balance of `user`, which this transaction must have locked. Units can only be
 * removed from the free balance: neither spent nor held by calls in flight.
 * @throws AppError quota_short, input_invalid.
 */
export async function changeBalance(
  ctx: TxContext,
  actor: Actor,
  user: UserRow,
  change: BalanceChange,
): Promise<BalanceChangeResult> {
  const before = user.quota;
  const after = change.mode === 'add' ? before + change.units : change.units;
  if (change.mode === 'set' && after < 0) throw invalidInput('units', 'is_negative');
  if (!Number.isSafeInteger(after) || !Number.isSafeInteger(after - before))
    throw invalidInput('units', 'is_too_large');
  if (after === before) return { before, after, repeated: false };
  const outcome = await post(
    ctx.db,
    {
      key: `user-edit:${user.id}:${change.key ?? randomUUID()}`,
      cause: 'admin_edit',
      userId: user.id,
      userUnits: after - before,
      actor: actorName(actor),
      detail: JSON.stringify({ mode: change.mode, before, after }),
      createdAtSec: nowSec(ctx),
    },
    change.mode === 'add' && change.units < 0 ? 0 : null,
  );
  if (outcome === 'repeat') return { before, after: before, repeated: true };
  if (outcome === 'short')
    throw quotaShort(ctx, 'quota_short', { needed: -change.units, left: before - user.held });
  await recordAction(ctx, actor, {
    action: 'user_quota',
    event: { event: 'quota_changed', params: { before, after } },
    user,
    quota: after - before,
    facts: { before, after },
  });
  return { before, after, repeated: false };
}
