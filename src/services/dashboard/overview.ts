/** The dashboard's overview of a time span, from hourly aggregates and uncounted log entries. */
import type * as z from 'zod/mini';
import type { Service } from '../../api/call.ts';
import type { dataCalls, Overview } from '../../api/logs/data.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { HOUR_SEC, hourOf, LogFigures, type LogHour } from '../../domain/logs/log-hours.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { type OffsetAt, offsetsOf } from '../../domain/time-zones.ts';
import {
  type HoursQuery,
  type LogProgress,
  readHours,
  sumHours,
} from '../../store/logs/log-hours.ts';
import { countedEntries } from '../../store/logs/log-rows.ts';
import { readConsistently, sumOfLogs } from '../../store/logs/log-stats.ts';
import { userByName } from '../../store/tables/users-table.ts';
import { requireUserId } from '../logs/audit.ts';
import { countNewEntries, MAX_UNCOUNTED_READ } from '../logs/hourly-aggregates.ts';
import { withoutCosts } from '../logs/log-costs.ts';
import {
  errorClasses,
  firstTokenOf,
  latencyOf,
  mergeBySteps,
  seriesOf,
  totalsOf,
} from './overview-metrics.ts';
import { type HourSpan, topLists, type UncountedHours } from './overview-tops.ts';
import { requireTimeRange } from './time-spans.ts';

type Calls = Service<typeof dataCalls, Context>;
type OverviewInput = z.output<typeof dataCalls.overviewOwn.input>;

const YEAR_DAYS = 366;
const RATE_WINDOW_SEC = 60;
const MAX_OFFSET_MINUTES = 14 * 60;

/** @throws AppError span_too_long, user_missing */
export const overview: Calls['overview'] = async (ctx, _actor, { username, ...input }) => {
  if (!username) return overviewOf(ctx, input);
  const user = await userByName(ctx.reads, username);
  if (user === undefined) throw new AppError('user_missing', { user: username });
  return overviewOf(ctx, input, user.id);
};

/** @throws AppError span_too_long */
export const overviewOwn: Calls['overviewOwn'] = async (ctx, actor, input) => {
  const { totals, previous, series, models, tokens, ...others } = await overviewOf(
    ctx,
    input,
    requireUserId(actor),
  );
  return {
    ...others,
    totals: withoutCosts(totals),
    previous: withoutCosts(previous),
    series: series.map(withoutCosts),
    models: models.map(withoutCosts),
    tokens: tokens.map(withoutCosts),
  };
};

async function overviewOf(
  ctx: Context,
  input: OverviewInput,
  userId?: number,
): Promise<z.input<typeof Overview>> {
  const offsetAt = offsetsFor(input);
  const span = requireTimeRange(ctx, input, YEAR_DAYS);
  const fromSec = hourOf(span.sinceSec);
  const toSec = hourOf(span.untilSec) + HOUR_SEC;
  await countNewEntries(ctx);
  const step = input.step ?? ctx.options().get('DataExportDefaultTime');
  return readConsistently(ctx.logDatabase.reads, async (progress, uncounted) => {
    const isComplete = uncounted <= MAX_UNCOUNTED_READ;
    const beforeSec = fromSec - (toSec - fromSec);
    const since = { userId, sinceSec: beforeSec, untilSec: toSec - 1 };
    const fresh = isComplete ? await uncountedHours(ctx, progress, since) : NONE_UNCOUNTED;
    const scope = { ...subjectOf(userId), fresh };
    const steps = { fromSec, toSec, step, offsetAt };
    const hours = await hoursOf(ctx, scope, { fromSec, toSec }, readHours);
    const current = mergeBySteps(hours, steps);
    const previous = { fromSec: beforeSec, toSec: fromSec };
    return {
      start: fromSec,
      end: toSec,
      step,
      totals: totalsOf(current),
      previous: totalsOf(await hoursOf(ctx, scope, previous, sumHours)),
      ...(await rateOf(ctx, userId)),
      latency: latencyOf(current),
      first_token: firstTokenOf(current),
      error_classes: errorClasses(current),
      series: seriesOf(current, steps),
      ...(await topLists(ctx, { fromSec, toSec }, fresh, userId)),
      is_complete: isComplete,
    };
  });
}

const NONE_UNCOUNTED: UncountedHours = { hours: [], usage: [] };

async function uncountedHours(
  ctx: Context,
  { countedId }: LogProgress,
  filter: {
    readonly userId: number | undefined;
    readonly sinceSec: number;
    readonly untilSec: number;
  },
): Promise<UncountedHours> {
  const entries = await countedEntries(ctx.logDatabase.reads, { ...filter, afterId: countedId });
  const figures = new LogFigures().add(entries);
  return { hours: figures.hours(), usage: figures.usage() };
}

interface HourScope {
  readonly scope: 'site' | 'user';
  readonly subject: string;
}

function subjectOf(userId: number | undefined): HourScope {
  return userId === undefined
    ? { scope: 'site', subject: '' }
    : { scope: 'user', subject: String(userId) };
}

/** Aggregates of the site or of one user; an hour and type can occur more than once. */
async function hoursOf(
  ctx: Context,
  { scope, subject, fresh }: HourScope & { readonly fresh: UncountedHours },
  range: HourSpan,
  read: typeof readHours,
): Promise<LogHour[]> {
  const subjects = (query: Parameters<NonNullable<HoursQuery['subjects']>>[0]) =>
    void query.where({ subject });
  const counted = await read(ctx.logDatabase.reads, { ...range, scope, subjects });
  const uncounted = fresh.hours.filter(
    (cell) =>
      cell.scope === scope &&
      cell.subject === subject &&
      cell.hour >= range.fromSec &&
      cell.hour < range.toSec,
  );
  return [...counted, ...uncounted];
}

async function rateOf(ctx: Context, userId: number | undefined) {
  const sinceSec = nowSec(ctx) - RATE_WINDOW_SEC;
  const sums = await sumOfLogs(ctx.logDatabase.reads, { userId, type: LOG_TYPE.consume, sinceSec });
  return { rpm: sums.count, tpm: sums.prompt_tokens + sums.completion_tokens };
}

function offsetsFor({ time_zone: zone, utc_offset: minutes = 0 }: OverviewInput): OffsetAt {
  const offsetAt = zone ? offsetsOf(zone) : undefined;
  if (offsetAt !== undefined) return offsetAt;
  const fixedSec = Math.min(Math.max(minutes, -MAX_OFFSET_MINUTES), MAX_OFFSET_MINUTES) * 60;
  return () => fixedSec;
}
