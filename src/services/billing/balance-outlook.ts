/** How long the balance of an account lasts. */
import type { walletCalls } from '../../api/billing/wallet.ts';
import type { Actor, Service, Visit } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { balanceOutlook, OUTLOOK_DAYS } from '../../domain/balance-outlook.ts';
import { HOUR_SEC, hourOf } from '../../domain/logs/log-hours.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { userById } from '../../store/tables/users-table.ts';
import { requireOpenAccount } from '../access/account-access.ts';
import { ownWarnBelow } from '../cache/caller-cache.ts';
import { listOwn } from '../dashboard/usage-by-model.ts';
import { ownId } from '../logs/audit.ts';
import { statOwn } from '../logs/logs.ts';

const DAY_SEC = 86_400;

type Calls = Service<typeof walletCalls, Context>;

export const outlook: Calls['outlook'] = async (ctx, actor, _input, visit) => {
  const id = ownId(actor);
  const user = requireOpenAccount(await userById(ctx.reads, id), String(id));
  const warnBelow =
    ownWarnBelow(parsedObject(user.setting)) ?? ctx.options().get('QuotaRemindThreshold');
  const since = hourOf(nowSec(ctx)) - OUTLOOK_DAYS * DAY_SEC;
  const { spent, hours } = await recentSpend(ctx, actor, since, visit);
  const { daysLeft, isLow } = balanceOutlook({ quota: user.quota, warnBelow, spent, hours });
  return { quota: user.quota, since, spent, days_left: daysLeft ?? null, is_low: isLow };
};

async function recentSpend(ctx: Context, actor: Actor, since: number, visit: Visit) {
  const now = nowSec(ctx);
  const span = { start_timestamp: since, end_timestamp: now };
  const { quota: spent } = await statOwn(ctx, actor, { start_timestamp: since }, visit);
  const usage = await listOwn(ctx, actor, span, visit);
  const first = Math.min(now, ...usage.map(({ created_at }) => created_at));
  return { spent, hours: (now - first) / HOUR_SEC };
}
