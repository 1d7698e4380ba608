/** Usage per model and hour: aggregates plus log entries not counted yet. */
import type * as z from 'zod/mini';
import type { Service } from '../../api/call.ts';
import type { dataCalls, HourlyUsage } from '../../api/logs/data.ts';
import type { Context } from '../../context.ts';
import { LogFigures } from '../../domain/logs/log-hours.ts';
import { countedEntries } from '../../store/logs/log-rows.ts';
import { readConsistently } from '../../store/logs/log-stats.ts';
import {
  type StoredUsage,
  usageOfAll,
  usageOfSite,
  usageOfUser,
} from '../../store/logs/quota-data.ts';
import { userByName } from '../../store/tables/users-table.ts';
import { requireUserId } from '../logs/audit.ts';
import { countNewEntries, MAX_UNCOUNTED_READ } from '../logs/hourly-aggregates.ts';
import * as overviews from './overview.ts';
import { requireTimeRange, type TimeRange } from './time-spans.ts';

type Calls = Service<typeof dataCalls, Context>;

const YEAR_DAYS = 366;
const MONTH_DAYS = 30;

/** @throws AppError span_too_long */
export const list: Calls['list'] = async (ctx, _actor, input) => {
  const span = requireTimeRange(ctx, input, YEAR_DAYS);
  if (!input.username) return usageIn(ctx, span);
  const user = await userByName(ctx.reads, input.username);
  return user === undefined ? [] : usageIn(ctx, span, user.id);
};

/** @throws AppError span_too_long */
export const listOwn: Calls['listOwn'] = (ctx, actor, input) =>
  usageIn(ctx, requireTimeRange(ctx, input, MONTH_DAYS), requireUserId(actor));

export const overview: Calls['overview'] = overviews.overview;
export const overviewOwn: Calls['overviewOwn'] = overviews.overviewOwn;

/** Of all users together, or of one; oldest first. */
async function usageIn(
  ctx: Context,
  span: TimeRange,
  userId?: number,
): Promise<z.input<typeof HourlyUsage>[]> {
  await countNewEntries(ctx);
  const { reads } = ctx.logDatabase;
  return readConsistently(reads, async (progress, uncounted) => {
    const isCollected = ctx.options().get('DataExportEnabled');
    const ofAll = isCollected ? usageOfSite : usageOfAll;
    const stored =
      userId === undefined ? await ofAll(reads, span) : await usageOfUser(reads, userId, span);
    const newest = { userId, type: 'spend' as const, afterId: progress.countedId };
    const isFew = isCollected && uncounted <= MAX_UNCOUNTED_READ;
    const lines = isFew ? await countedEntries(reads, newest) : [];
    const fresh = new LogFigures()
      .add(userId === undefined ? lines.map(withoutUser) : lines)
      .usage()
      .filter((use) => use.created_at >= span.sinceSec && use.created_at <= span.untilSec);
    return mergeUsage(stored, fresh);
  });
}

function withoutUser<T extends { readonly user_id: number; readonly username: string }>(
  line: T,
): T {
  return { ...line, user_id: 0, username: '' };
}

function mergeUsage(
  stored: readonly StoredUsage[],
  fresh: readonly Omit<StoredUsage, 'id'>[],
): StoredUsage[] {
  const rows = new Map(stored.map((use) => [`${use.created_at} ${use.model_name}`, use]));
  for (const use of fresh) {
    const key = `${use.created_at} ${use.model_name}`;
    const known = rows.get(key);
    rows.set(key, {
      ...(known ?? { ...use, id: 0 }),
      token_used: (known?.token_used ?? 0) + use.token_used,
      count: (known?.count ?? 0) + use.count,
      quota: (known?.quota ?? 0) + use.quota,
    });
  }
  return [...rows.values()].sort(
    (a, b) => a.created_at - b.created_at || (a.model_name < b.model_name ? -1 : 1),
  );
}
