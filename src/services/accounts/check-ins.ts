/** The daily check-in: once per user and day in the site's time zone. */

import type { accountCalls } from '../../api/accounts/account.ts';
import type { Service } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { calendarDay } from '../../domain/logs/calendar-day.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { post } from '../../store/ledger/ledger.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import { lastCheckInDay, recordCheckIn } from '../../store/tables/user-rewards-table.ts';
import { requireBalanceInRange } from '../billing/balance-changes.ts';
import { writing } from '../cluster/announced-write.ts';
import { actorName, ownId, recordAction } from '../logs/audit.ts';
import { randomBetween } from '../random/random-number.ts';

type Calls = Service<typeof accountCalls, Context>;

export const checkInStatus: Calls['checkInStatus'] = async (ctx, actor) => {
  const id = ownId(actor);
  if (rewardRange(ctx) === undefined) return { can_check_in: false };
  return { can_check_in: (await lastCheckInDay(ctx.reads, id)) < today(ctx) };
};

/** @throws AppError check_in_off, checked_in_already, balance_too_large. */
export const checkIn: Calls['checkIn'] = async (ctx, actor) => {
  const id = ownId(actor);
  const range = rewardRange(ctx);
  if (range === undefined) throw new AppError('check_in_off');
  const quota = randomBetween(ctx.random, range.least, range.most);
  await writing(ctx, async (ctx) => {
    const day = today(ctx);
    const isFirst = await recordCheckIn(ctx.db, id, { day, sec: nowSec(ctx) });
    if (!isFirst) throw new AppError('checked_in_already');
    await requireBalanceInRange(ctx, id, quota);
    const outcome = await post(ctx.db, {
      key: `check-in:${id}:${day}`,
      cause: 'check_in',
      userId: id,
      userUnits: quota,
      actor: actorName(actor),
      createdAtSec: nowSec(ctx),
    });
    if (outcome !== 'done') throw new AppError('checked_in_already');
    await recordAction(ctx, actor, {
      action: 'check_in',
      event: { event: 'checked_in', params: { units: quota } },
      type: LOG_TYPE.check_in,
      quota,
    });
    await announceChange(ctx.db, 'users', id);
  });
  return { quota };
};

/** In quota units, both bounds inclusive; undefined while check-in is off. */
function rewardRange({ options }: Context): { least: number; most: number } | undefined {
  const now = options();
  const least = now.get('CheckInQuota');
  if (!now.get('CheckInEnabled') || least <= 0) return undefined;
  return { least, most: Math.max(least, now.get('CheckInMaxQuota')) };
}

function today(ctx: Context): string {
  return calendarDay(ctx.config.timeZone, ctx.now());
}
