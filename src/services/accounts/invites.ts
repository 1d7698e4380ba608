/** Invitations: the user's invite code, and the transfer of invitation rewards to the balance. */
import { randomUUID } from 'node:crypto';
import type { accountCalls } from '../../api/accounts/account.ts';
import type { Service } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { post } from '../../store/ledger/ledger.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import { subtractAffQuota } from '../../store/tables/user-rewards-table.ts';
import { updateUser, userById } from '../../store/tables/users-table.ts';
import { requireBalanceInRange } from '../billing/balance-changes.ts';
import { writing } from '../cluster/announced-write.ts';
import { actorName, ownId, quotaAmountText, recordAction } from '../logs/audit.ts';
import { unusedAffCode } from './new-account.ts';
import { changeUser } from './user-changes.ts';

type Calls = Service<typeof accountCalls, Context>;

/** Imported accounts may lack a code; they get one on their first request. */
export const affCode: Calls['affCode'] = async (ctx, actor) => {
  const id = ownId(actor);
  const code = (await userById(ctx.reads, id))?.aff_code ?? '';
  if (code !== '') return code;
  const user = await changeUser(ctx, id, async (ctx, user) => {
    if (user.aff_code === '')
      await updateUser(ctx.db, user.id, { aff_code: await unusedAffCode(ctx) });
  });
  return user.aff_code;
};

/** @throws AppError aff_off, aff_transfer_small, aff_quota_short, balance_too_large. */
export const transferAff: Calls['transferAff'] = async (ctx, actor, { quota }) => {
  const id = ownId(actor);
  const options = ctx.options();
  if (!options.get('AffEnabled')) throw new AppError('aff_off');
  const least = Math.ceil(options.get('QuotaPerUnit'));
  if (quota < least)
    throw new AppError(
      'aff_transfer_small',
      { minimum: quotaAmountText(ctx, least) },
      { param: 'quota' },
    );
  await writing(ctx, async (ctx) => {
    if (!(await subtractAffQuota(ctx.db, id, quota)))
      throw new AppError('aff_quota_short', {}, { param: 'quota' });
    await requireBalanceInRange(ctx, id, quota);
    await post(ctx.db, {
      key: `aff-transfer:${randomUUID()}`,
      cause: 'transfer',
      userId: id,
      userUnits: quota,
      actor: actorName(actor),
      createdAtSec: nowSec(ctx),
    });
    await recordAction(ctx, actor, {
      action: 'aff_transfer',
      event: { event: 'reward_transferred', params: { units: quota } },
      type: LOG_TYPE.system,
      quota,
    });
    await announceChange(ctx.db, 'users', id);
  });
};
