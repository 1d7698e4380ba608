/** The most expensive models, tokens, users and channels of a time span. */
import type * as z from 'zod/mini';
import type { Overview } from '../../api/logs/data.ts';
import type { Context } from '../../context.ts';
import { addCounts, quantileOf, type ValueCounts } from '../../domain/logs/histogram.ts';
import type { HourlyUsage, LogHour, LogScope } from '../../domain/logs/log-hours.ts';
import { LOG_TYPE, spentUnits } from '../../domain/logs/log-types.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';
import { daysIn } from '../../store/logs/log-days.ts';
import {
  type CallSums,
  callSumsBySubject,
  type DaysQuery,
  NO_CALLS,
  readHours,
} from '../../store/logs/log-hours.ts';
import { tokensOfUser } from '../../store/logs/log-stats.ts';
import { usageOfUser } from '../../store/logs/quota-data.ts';
import { channelNamesOf } from '../../store/tables/channels-table.ts';
import { usernamesOf } from '../../store/tables/users-table.ts';
import { withCosts } from '../logs/log-costs.ts';
import { type HourSpan, wholeHours } from './local-hours.ts';

/** Aggregates of log entries that are not counted yet, or lie in hours that the span cuts. */
export interface UncountedHours {
  readonly hours: readonly LogHour[];
  readonly usage: readonly HourlyUsage[];
}

interface DashboardSpan extends HourSpan {
  /** Days of the span with daily aggregates, which need not be read hour by hour. */
  readonly days: readonly number[];
}

type Tops = Pick<z.input<typeof Overview>, 'models' | 'tokens' | 'users' | 'channels'>;

const MAX_LISTED = 10;
/** Percentiles of single models and channels need hourly data, which is too much for a year. */
const MAX_PERCENTILE_SPAN_SEC = 8 * DAY_SEC;

export async function topLists(
  ctx: Context,
  hours: HourSpan,
  fresh: UncountedHours,
  userId: number | undefined,
): Promise<Tops> {
  const days = await daysIn(ctx.logDatabase.reads, hours, 'dayEntries');
  const from = { ctx, span: { ...hours, days: days.valid }, fresh };
  if (userId !== undefined) {
    const tokens = await topTokens(from, userId);
    const models = await modelsOfUser(from, userId);
    return { models, tokens, users: [], channels: [] };
  }
  return {
    models: await topModels(from),
    tokens: await topTokens(from, undefined),
    users: await topUsers(from),
    channels: await topChannels(from),
  };
}

/** What the lists are made from: the counted hours of the span, and what is not counted yet. */
interface TopsSource {
  readonly ctx: Context;
  readonly span: DashboardSpan;
  readonly fresh: UncountedHours;
}

type Top = readonly [subject: string, sums: CallSums];

/**
 * The most expensive of the counted subjects and all subjects of uncounted entries; the true top
 * list is among them.
 */
async function readTop(
  { ctx, span, fresh }: TopsSource,
  of: Pick<DaysQuery, 'scope' | 'subjects'>,
): Promise<Top[]> {
  const { fromSec, toSec } = span;
  const { scope } = of;
  const cells = fresh.hours.filter(
    (cell) => cell.scope === scope && cell.hour >= fromSec && cell.hour < toSec,
  );
  const counted = { ...span, ...of, ...wholeHours({ fromSec, toSec }) };
  const sums = await callSumsBySubject(ctx.logDatabase.reads, counted, MAX_LISTED);
  const touched = [...new Set(cells.map((cell) => cell.subject))];
  if (touched.length > 0) {
    const subjects = (query: Parameters<NonNullable<DaysQuery['subjects']>>[0]) =>
      void query.whereIn('subject', touched);
    for (const [subject, sum] of await callSumsBySubject(ctx.logDatabase.reads, {
      ...counted,
      subjects,
    }))
      sums.set(subject, sum);
  }
  for (const cell of cells) sums.set(cell.subject, addCell(sums.get(cell.subject), cell));
  return mostExpensive([...sums]);
}

function addCell(sum: CallSums = NO_CALLS, cell: LogHour): CallSums {
  if (cell.type === LOG_TYPE.error) return { ...sum, errors: sum.errors + cell.lines };
  const quota = sum.quota + spentUnits(cell.type, cell.quota);
  const costs = {
    cost: sum.cost + cell.cost,
    costed_quota: sum.costed_quota + cell.costed_quota,
  };
  if (cell.type !== LOG_TYPE.consume) return { ...sum, quota, ...costs };
  return {
    calls: sum.calls + cell.lines,
    errors: sum.errors,
    quota,
    tokens: sum.tokens + cell.prompt_tokens + cell.completion_tokens,
    ...costs,
  };
}

function mostExpensive(tops: readonly Top[]): Top[] {
  return tops
    .filter(([, sums]) => sums.calls + sums.errors > 0)
    .sort(([a, one], [b, other]) => other.quota - one.quota || (a < b ? -1 : 1))
    .slice(0, MAX_LISTED);
}

async function topModels(from: TopsSource): Promise<Tops['models']> {
  const tops = await readTop(from, { scope: 'model' });
  const p95 = await p95BySubject(from, 'model', tops);
  return tops.map(([model_name, sums]) => ({
    model_name,
    ...withCosts(sums),
    p95: p95.get(model_name) ?? null,
  }));
}

/** Failed attempts and durations are not stored per user and model. */
async function modelsOfUser(
  { ctx, span, fresh }: TopsSource,
  userId: number,
): Promise<Tops['models']> {
  const hours = wholeHours(span);
  const range = { sinceSec: hours.fromSec, untilSec: hours.toSec - 1 };
  const isCollected = ctx.options().get('DataExportEnabled');
  const uncounted = isCollected ? fresh.usage.filter((use) => use.created_at >= span.fromSec) : [];
  const stored = await usageOfUser(ctx.logDatabase.reads, userId, range);
  const sums = new Map<string, CallSums>();
  for (const use of [...stored, ...uncounted]) {
    const known = sums.get(use.model_name) ?? NO_CALLS;
    sums.set(use.model_name, {
      ...NO_CALLS,
      calls: known.calls + use.count,
      quota: known.quota + use.quota,
      tokens: known.tokens + use.token_used,
    });
  }
  return mostExpensive([...sums]).map(([model_name, sum]) => ({
    model_name,
    ...withCosts(sum),
    p95: null,
  }));
}

async function topTokens(from: TopsSource, userId: number | undefined): Promise<Tops['tokens']> {
  const subjects = userId === undefined ? undefined : tokensOfUser(userId);
  const tops = await readTop(from, { scope: 'token', subjects });
  const found = tops.map(([subject, sums]) => {
    const slash = subject.indexOf('/');
    const id = Number(subject.slice(0, slash));
    return { user_id: id, token_name: subject.slice(slash + 1), ...withCosts(sums) };
  });
  const names = await usernamesOf(
    from.ctx.reads,
    found.map((token) => token.user_id),
  );
  return found.map((token) => ({ ...token, username: names.get(token.user_id) ?? '' }));
}

async function topUsers(from: TopsSource): Promise<Tops['users']> {
  const tops = await readTop(from, { scope: 'user' });
  const names = await usernamesOf(from.ctx.reads, tops.map(idOf));
  return tops.map((top) => {
    const id = idOf(top);
    return { user_id: id, username: names.get(id) ?? '', ...withCosts(top[1]) };
  });
}

async function topChannels(from: TopsSource): Promise<Tops['channels']> {
  const tops = await readTop(from, { scope: 'channel' });
  const names = await channelNamesOf(from.ctx.reads, tops.map(idOf));
  const p95 = await p95BySubject(from, 'channel', tops);
  return tops.map((top) => {
    const [subject, sums] = top;
    return {
      channel: idOf(top),
      channel_name: names.get(idOf(top)) ?? '',
      ...withCosts(sums),
      success_rate: sums.calls / (sums.calls + sums.errors),
      p95: p95.get(subject) ?? null,
    };
  });
}

function idOf([subject]: Top): number {
  return Number(subject);
}

/** The 95th percentile of the duration, by subject. */
async function p95BySubject(
  { ctx, span: { fromSec, toSec }, fresh }: TopsSource,
  scope: LogScope,
  tops: readonly Top[],
): Promise<Map<string, number | null>> {
  if (toSec - fromSec > MAX_PERCENTILE_SPAN_SEC || tops.length === 0) return new Map();
  const wanted = new Set(tops.map(([subject]) => subject));
  const counted = await readHours(ctx.logDatabase.reads, {
    ...wholeHours({ fromSec, toSec }),
    scope,
    type: LOG_TYPE.consume,
    subjects: (query) => void query.whereIn('subject', [...wanted]),
  });
  const uncounted = fresh.hours.filter(
    (cell) => cell.scope === scope && cell.hour >= fromSec && wanted.has(cell.subject),
  );
  const latency = new Map<string, ValueCounts>([...wanted].map((subject) => [subject, new Map()]));
  for (const cell of [...counted, ...uncounted])
    addCounts(latency.get(cell.subject) ?? new Map(), cell.latency);
  return new Map([...latency].map(([subject, counts]) => [subject, quantileOf(counts, 0.95)]));
}
