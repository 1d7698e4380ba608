/** The daily check-in: once per user and day in the site's time zone. */

import type { accountCalls } from '../../api/accounts/account.ts';
import type { Service } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { calendarDay } from '../../domain/logs/calendar-day.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { post } from '../../store/ledger/ledger.ts';
import { entriesByKey } from '../../store/ledger/ledger-queries.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import { lastCheckInDay, recordCheckIn } from '../../store/tables/user-rewards-table.ts';
import { requireBalanceInRange } from '../billing/balance-changes.ts';
import { writing } from '../cluster/announced-write.ts';
import { actorName, ownId, recordAction } from '../logs/audit.ts';
import { randomBetween } from '../random/random-number.ts';

type Calls = Service<typeof accountCalls, Context>;

export const checkInStatus: Calls['checkInStatus'] = async (ctx, actor) => {
  const id = ownId(actor);
  const [last, times] = await Promise.all([lastCheckInDay(ctx.reads, id), recentCheckIns(ctx, id)]);
  return {
    can_check_in: rewardRange(ctx) !== undefined && last < today(ctx),
    checked_in_at: times,
  };
};

const SHOWN_DAYS = 100;
const DAY_MS = 86_400_000;

/** From the ledger, because log entries may be deleted. */
async function recentCheckIns(ctx: Context, userId: number): Promise<number[]> {
  const lastMs = Date.parse(today(ctx));
  const keys = Array.from({ length: SHOWN_DAYS }, (_, daysAgo) =>
    entryKey(userId, new Date(lastMs - daysAgo * DAY_MS).toISOString().slice(0, 10)),
  );
  const entries = await entriesByKey(ctx.reads, keys);
  return entries.map((entry) => entry.created_at).reverse();
}

/** The ledger key that allows one check-in per day (`2026-11-21`). */
function entryKey(userId: number, day: string): string {
  return `check-in:${userId}:${day}`;
}

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
      key: entryKey(id, day),
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
