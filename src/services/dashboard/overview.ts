/** The dashboard's overview of a time span, from hourly aggregates and uncounted log entries. */
import type * as z from 'zod/mini';
import type { Service } from '../../api/call.ts';
import type { dataCalls, Overview } from '../../api/logs/data.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import {
  type CountedEntry,
  HOUR_SEC,
  hourOf,
  LogFigures,
  type LogHour,
  quarterStart,
} from '../../domain/logs/log-hours.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { localHourStart, type OffsetAt } from '../../domain/time-zones.ts';
import { type HoursQuery, readHours, sumHours } from '../../store/logs/log-hours.ts';
import { countedEntries } from '../../store/logs/log-rows.ts';
import { readConsistently, sumOfLogs } from '../../store/logs/log-stats.ts';
import { readSplitHours, type SplitHours } from '../../store/logs/split-hours.ts';
import { userByName } from '../../store/tables/users-table.ts';
import { requireUserId } from '../logs/audit.ts';
import { countNewEntries, MAX_UNCOUNTED_READ } from '../logs/hourly-aggregates.ts';
import { withoutCosts } from '../logs/log-costs.ts';
import {
  type HourSpan,
  offsetsFor,
  readableEnd,
  readableStart,
  wholeHours,
} from './local-hours.ts';
import {
  errorClasses,
  firstTokenOf,
  latencyOf,
  mergeBySteps,
  seriesOf,
  stepsOf,
  totalsOf,
} from './overview-metrics.ts';
import { topLists, type UncountedHours } from './overview-tops.ts';
import { requireTimeRange, type TimeRange } from './time-spans.ts';

type Calls = Service<typeof dataCalls, Context>;
type OverviewInput = z.output<typeof dataCalls.overviewOwn.input>;

const YEAR_DAYS = 366;
const RATE_WINDOW_SEC = 60;

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
  const edges = edgesOf(span, offsetAt);
  await countNewEntries(ctx);
  const step = input.step ?? ctx.options().get('DataExportDefaultTime');
  const steps = stepsOf({ ...edges, step, offsetAt });
  const newestSteps = [...steps.starts].reverse();
  const boundaries = [edges.fromSec, edges.toSec, edges.beforeSec, ...newestSteps];
  const { reads } = ctx.logDatabase;
  return readConsistently(reads, async (progress, uncounted) => {
    const split = await readSplitHours(reads, progress, { userId }, boundaries);
    const fromSec = readableStart(edges.fromSec, split.hours);
    const toSec = readableEnd(edges.toSec, split.hours);
    const beforeSec = readableStart(edges.beforeSec, split.hours);
    const isComplete = uncounted <= MAX_UNCOUNTED_READ;
    const since = { userId, sinceSec: beforeSec, untilSec: toSec - 1 };
    const newest = { ...since, afterId: progress.countedId };
    const parts = partsOf(split, { beforeSec, fromSec, toSec });
    const uncountedEntries = isComplete ? await countedEntries(reads, newest) : [];
    const fresh = figuresOf([...uncountedEntries, ...parts.edges]);
    const scope = subjectOf(userId);
    const range = { fromSec, toSec };
    const hours = [
      ...(await countedHours(ctx, scope, range, readHours)).filter(
        ({ hour }) => !parts.innerHours.has(hour),
      ),
      ...hoursWithin([...fresh.hours, ...figuresOf(parts.inner).hours], scope, range),
    ];
    const current = mergeBySteps(hours, steps);
    const previous = { fromSec: beforeSec, toSec: fromSec };
    return {
      start: fromSec,
      end: toSec,
      step,
      totals: totalsOf(current),
      previous: totalsOf([
        ...(await countedHours(ctx, scope, previous, sumHours)),
        ...hoursWithin(fresh.hours, scope, previous),
      ]),
      ...(await rateOf(ctx, userId)),
      latency: latencyOf(current),
      first_token: firstTokenOf(current),
      error_classes: errorClasses(current),
      series: seriesOf(current, steps),
      ...(await topLists(ctx, range, fresh, userId)),
      is_complete: isComplete,
    };
  });
}

interface Edges extends HourSpan {
  /** The beginning of the previous period. */
  readonly beforeSec: number;
}

function edgesOf({ sinceSec, untilSec }: TimeRange, offsetAt: OffsetAt): Edges {
  const fromSec = localHourStart(sinceSec, offsetAt);
  const toSec = localHourStart(untilSec, offsetAt) + HOUR_SEC;
  return { beforeSec: fromSec - (toSec - fromSec), fromSec, toSec };
}

/** Entries of hours that an edge cuts, and of those that only a step cuts. */
function partsOf({ hours, entries }: SplitHours, { beforeSec, fromSec, toSec }: Edges) {
  const edges = [beforeSec, fromSec, toSec].filter((at) => at % HOUR_SEC !== 0).map(hourOf);
  const isAtEdge = ({ created_at: at }: CountedEntry) => edges.includes(hourOf(at));
  return {
    edges: entries.filter(isAtEdge).filter(({ created_at: at }) => at >= beforeSec && at < toSec),
    inner: entries.filter((entry) => !isAtEdge(entry)),
    innerHours: new Set([...hours].filter((hour) => !edges.includes(hour))),
  };
}

function figuresOf(entries: readonly CountedEntry[]): UncountedHours {
  const figures = new LogFigures(quarterStart).add(entries);
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

/** Aggregates of the site or of one user. */
function countedHours(
  ctx: Context,
  { scope, subject }: HourScope,
  range: HourSpan,
  read: typeof readHours,
): Promise<LogHour[]> {
  const subjects = (query: Parameters<NonNullable<HoursQuery['subjects']>>[0]) =>
    void query.where({ subject });
  return read(ctx.logDatabase.reads, { ...wholeHours(range), scope, subjects });
}

function hoursWithin(
  cells: readonly LogHour[],
  { scope, subject }: HourScope,
  { fromSec, toSec }: HourSpan,
): LogHour[] {
  return cells.filter(
    (cell) =>
      cell.scope === scope && cell.subject === subject && cell.hour >= fromSec && cell.hour < toSec,
  );
}

async function rateOf(ctx: Context, userId: number | undefined) {
  const sinceSec = nowSec(ctx) - RATE_WINDOW_SEC;
  const sums = await sumOfLogs(ctx.logDatabase.reads, { userId, type: LOG_TYPE.consume, sinceSec });
  return { rpm: sums.count, tpm: sums.prompt_tokens + sums.completion_tokens };
}
