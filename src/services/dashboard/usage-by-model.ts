/** Usage per model and hour: aggregates plus log entries not counted yet. */
import type * as z from 'zod/mini';
import type { Service } from '../../api/call.ts';
import type { dataCalls, HourlyUsage } from '../../api/logs/data.ts';
import type { Context } from '../../context.ts';
import {
  HOUR_SEC,
  hourOf,
  LogFigures,
  QUARTER_SEC,
  quarterStart,
} from '../../domain/logs/log-hours.ts';
import { countedEntries } from '../../store/logs/log-rows.ts';
import { readConsistently } from '../../store/logs/log-stats.ts';
import {
  type StoredUsage,
  usageOfAll,
  usageOfSite,
  usageOfUser,
} from '../../store/logs/quota-data.ts';
import { readSplitHours } from '../../store/logs/split-hours.ts';
import { userByName } from '../../store/tables/users-table.ts';
import { requireUserId } from '../logs/audit.ts';
import { countNewEntries, MAX_UNCOUNTED_READ } from '../logs/hourly-aggregates.ts';
import { offsetsFor, readableEnd, readableStart } from './local-hours.ts';
import * as overviews from './overview.ts';
import { stepsOf } from './overview-metrics.ts';
import { requireTimeRange, type TimeRange } from './time-spans.ts';

type Calls = Service<typeof dataCalls, Context>;

const YEAR_DAYS = 366;
const MONTH_DAYS = 30;

/** @throws AppError span_too_long */
export const list: Calls['list'] = async (ctx, _actor, input) => {
  const span = requireTimeRange(ctx, input, YEAR_DAYS);
  if (!input.username) return usageIn(ctx, input, span);
  const user = await userByName(ctx.reads, input.username);
  return user === undefined ? [] : usageIn(ctx, input, span, user.id);
};

/** @throws AppError span_too_long */
export const listOwn: Calls['listOwn'] = (ctx, actor, input) =>
  usageIn(ctx, input, requireTimeRange(ctx, input, MONTH_DAYS), requireUserId(actor));

export const overview: Calls['overview'] = overviews.overview;
export const overviewOwn: Calls['overviewOwn'] = overviews.overviewOwn;

/** Of all users together, or of one; oldest first. */
async function usageIn(
  ctx: Context,
  input: z.output<typeof dataCalls.listOwn.input>,
  span: TimeRange,
  userId?: number,
): Promise<z.input<typeof HourlyUsage>[]> {
  await countNewEntries(ctx);
  const { reads } = ctx.logDatabase;
  const isCollected = ctx.options().get('DataExportEnabled');
  const boundaries = isCollected ? boundariesOf(input, span) : [];
  const filter = { userId, type: 'spend' as const };
  return readConsistently(reads, async (progress, uncounted) => {
    const split = await readSplitHours(reads, progress, filter, boundaries);
    const { sinceSec, untilSec } = rangeOf(span, input.time_zone, split.hours);
    const hours = { sinceSec: hourOf(sinceSec + HOUR_SEC - 1), untilSec };
    const ofAll = isCollected ? usageOfSite : usageOfAll;
    const stored =
      userId === undefined ? await ofAll(reads, hours) : await usageOfUser(reads, userId, hours);
    const isFew = isCollected && uncounted <= MAX_UNCOUNTED_READ;
    const newest = { ...filter, afterId: progress.countedId };
    const lines = [...split.entries, ...(isFew ? await countedEntries(reads, newest) : [])];
    const fresh = new LogFigures(quarterIn(split.hours))
      .add(userId === undefined ? lines.map(withoutUser) : lines)
      .usage()
      .filter((use) => use.created_at >= sinceSec && use.created_at <= untilSec);
    return mergeUsage(
      stored.filter((use) => !split.hours.has(use.created_at)),
      fresh,
    );
  });
}

/** The local steps of the range, the newest first after its ends; none without a zone. */
function boundariesOf(
  { time_zone, step = 'day' }: z.output<typeof dataCalls.listOwn.input>,
  { sinceSec, untilSec }: TimeRange,
): number[] {
  if (!time_zone) return [];
  const offsetAt = offsetsFor({ time_zone });
  const steps = stepsOf({ fromSec: sinceSec, toSec: untilSec + 1, step, offsetAt });
  return [sinceSec, untilSec + 1, ...[...steps.starts].reverse()];
}

/** With a zone, an hour that an end of the range cuts and that was not split counts as a whole. */
function rangeOf(span: TimeRange, zone: string | undefined, split: ReadonlySet<number>): TimeRange {
  if (!zone) return span;
  return {
    sinceSec: readableStart(quarterStart(span.sinceSec), split),
    untilSec: readableEnd(quarterStart(span.untilSec + QUARTER_SEC), split) - 1,
  };
}

function quarterIn(split: ReadonlySet<number>): (second: number) => number {
  return (second) => (split.has(hourOf(second)) ? quarterStart(second) : hourOf(second));
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
