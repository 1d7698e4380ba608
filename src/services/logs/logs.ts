/** Reads the usage log. Administrators see all of it, others their own entries. */
import type * as z from 'zod/mini';
import { pageWindow, type Service, toPage } from '../../api/call.ts';
import type { LogStat, logCalls } from '../../api/logs/log.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import type { LogFilter } from '../../store/logs/log-filter.ts';
import { pageOfLogs } from '../../store/logs/log-pages.ts';
import {
  idBeforeLast,
  lastLogs,
  logById,
  logsAfter,
  logsOfRequest,
  type StoredLog,
} from '../../store/logs/log-rows.ts';
import { type LogBreakdown, sumOfLogs, sumsOfLogs } from '../../store/logs/log-stats.ts';
import { channelNamesOf } from '../../store/tables/channels-table.ts';
import { usernamesOf } from '../../store/tables/users-table.ts';
import { requireUserId } from './audit.ts';
import { countNewEntries } from './hourly-aggregates.ts';
import * as logClear from './log-clear.ts';
import { withCosts, withoutCosts } from './log-costs.ts';
import * as logExport from './log-export.ts';
import { ownLogsFilter, visibleLogs } from './log-filters.ts';
import {
  isOwnLog,
  type LogView,
  logDetailView,
  logPreview,
  logViews,
  mayReadAllLogs,
  ownLogId,
  ownLogViews,
  printedLog,
} from './log-view.ts';

/** Without `ofToken`, which is in `tokens/token-of-key.ts`. */
type Calls = Service<typeof logCalls, Context>;

const RATE_WINDOW_SEC = 60;
const MAX_GROUPS = 200;
const MAX_TAILED = 1000;
/** Content is not indexed, so a search is limited to the newest entries. */
const MAX_SEARCHED = 50_000;

export const list: Calls['list'] = async (ctx, actor, input, visit) =>
  logPage(ctx, input, await visibleLogs(ctx, actor, input), (rows) =>
    logViews(ctx, actor, rows, input.language ?? visit.language),
  );

export const listOwn: Calls['listOwn'] = (ctx, actor, input, visit) =>
  logPage(ctx, input, ownLogsFilter(actor, input), async (rows) =>
    ownLogViews(ctx, rows, input.language ?? visit.language),
  );

export const search: Calls['search'] = async (ctx, actor, input, visit) =>
  logPage(ctx, input, await searchFilter(ctx, input.keyword), (rows) =>
    logViews(ctx, actor, rows, visit.language),
  );

export const searchOwn: Calls['searchOwn'] = async (ctx, actor, input, visit) => {
  const filter = { ...(await searchFilter(ctx, input.keyword)), userId: requireUserId(actor) };
  return logPage(ctx, input, filter, async (rows) => ownLogViews(ctx, rows, visit.language));
};

export async function logPage(
  ctx: Context,
  query: Parameters<typeof pageWindow>[0],
  filter: LogFilter,
  show: (rows: readonly StoredLog[]) => Promise<LogView[]>,
) {
  const window = pageWindow(query);
  await countNewEntries(ctx);
  const { rows, total, isEstimate } = await pageOfLogs(ctx.logDatabase.reads, filter, window);
  const items = (await show(rows)).map(logPreview);
  return { ...toPage(window, items, total), total_is_estimate: isEstimate };
}

export const stat: Calls['stat'] = async (ctx, actor, { by, ...input }) =>
  statOf(ctx, await visibleLogs(ctx, actor, input), by);

export const statOwn: Calls['statOwn'] = async (ctx, actor, { by, ...input }) => {
  const { groups, ...sums } = await statOf(ctx, ownLogsFilter(actor, input), by);
  return { ...withoutCosts(sums), ...(groups && { groups: groups.map(withoutCosts) }) };
};

/** @throws AppError request_missing, also for another user's entries. */
export const get: Calls['get'] = async (ctx, actor, { request_id }, visit) => {
  const rows = await logsOfRequest(ctx.logDatabase.reads, request_id);
  const mine = mayReadAllLogs(actor) ? rows : rows.filter((row) => isOwnLog(actor, row));
  if (mine.length === 0) throw new AppError('request_missing', { id: request_id });
  return (await logViews(ctx, actor, mine, visit.language)).map(printedLog);
};

/** @throws AppError log_missing */
export const detail: Calls['detail'] = async (ctx, actor, { id }, visit) => {
  const row = await logById(ctx.logDatabase.reads, id);
  const [entry] = row === undefined ? [] : await logViews(ctx, actor, [row], visit.language);
  if (entry === undefined) throw new AppError('log_missing', { id });
  return logDetailView(entry);
};

/** @throws AppError log_missing, also for another user's entry. */
export const detailOwn: Calls['detailOwn'] = async (ctx, actor, { id }, visit) => {
  const row = await logById(ctx.logDatabase.reads, ownLogId(ctx, id));
  const [entry] =
    row === undefined || !isOwnLog(actor, row) ? [] : ownLogViews(ctx, [row], visit.language);
  if (entry === undefined) throw new AppError('log_missing', { id });
  return logDetailView(entry);
};

export const tail: Calls['tail'] = async (ctx, actor, { after, limit = 20, ...input }, visit) => {
  const filter = await visibleLogs(ctx, actor, input);
  const size = Math.min(Math.max(limit, 1), MAX_TAILED);
  const rows =
    after === undefined
      ? await lastLogs(ctx.logDatabase.reads, filter, size)
      : await logsAfter(ctx.logDatabase.reads, filter, after, size);
  const shown = await logViews(ctx, actor, rows, input.language ?? visit.language);
  return shown.map(printedLog);
};

export const clear: Calls['clear'] = logClear.clear;
export const clearPart: Calls['clearPart'] = logClear.clearPart;

export const exportCsv: Calls['exportCsv'] = logExport.exportCsv;
export const exportJsonl: Calls['exportJsonl'] = logExport.exportJsonl;
export const exportOwnCsv: Calls['exportOwnCsv'] = logExport.exportOwnCsv;
export const exportOwnJsonl: Calls['exportOwnJsonl'] = logExport.exportOwnJsonl;

async function statOf(
  ctx: Context,
  filter: LogFilter,
  by: LogBreakdown | undefined,
): Promise<z.input<typeof LogStat>> {
  await countNewEntries(ctx);
  const range: LogFilter = filter.type ? filter : { ...filter, type: 'spend' };
  const sums = await sumOfLogs(ctx.logDatabase.reads, range);
  const { costs } = withCosts(sums);
  const rate = await rateOf(ctx, range);
  const groups = by && (await sumsOfLogs(ctx.logDatabase.reads, range, by, MAX_GROUPS));
  return {
    quota: sums.quota,
    refunds: sums.refunds,
    count: sums.count,
    ...rate,
    token_total: sums.prompt_tokens + sums.completion_tokens,
    token_input: sums.prompt_tokens,
    token_output: sums.completion_tokens,
    ...(costs && { costs }),
    ...(groups && { groups: await namedGroups(ctx, groups.map(withCosts), by) }),
  };
}

/** Calls and tokens of the last minute; 0 if the filter selects another type. */
async function rateOf(ctx: Context, filter: LogFilter) {
  const { type } = filter;
  if (type !== 'spend' && type !== LOG_TYPE.consume) return { rpm: 0, tpm: 0 };
  const lately = { sinceSec: nowSec(ctx) - RATE_WINDOW_SEC, untilSec: undefined };
  const calls = { ...filter, ...lately, type: LOG_TYPE.consume };
  const sums = await sumOfLogs(ctx.logDatabase.reads, calls);
  return { rpm: sums.count, tpm: sums.prompt_tokens + sums.completion_tokens };
}

/** Sums are stored by id: replaces user ids with names and adds the names to channel ids. */
async function namedGroups<T extends { readonly key: string }>(
  ctx: Context,
  groups: readonly T[],
  by: LogBreakdown | undefined,
): Promise<T[]> {
  if (by !== 'channel' && by !== 'user') return [...groups];
  const namesOf = by === 'channel' ? channelNamesOf : usernamesOf;
  const names = await namesOf(
    ctx.reads,
    groups.map((group) => Number(group.key)),
  );
  return groups.map((group) => {
    const name = names.get(Number(group.key));
    if (by === 'user') return { ...group, key: name ?? group.key };
    return name === undefined ? group : { ...group, key: `${group.key} ${name}` };
  });
}

async function searchFilter(ctx: Context, keyword = ''): Promise<LogFilter> {
  if (/^\d$/.test(keyword)) return { type: Number(keyword) };
  if (keyword === '') return {};
  const afterId = await idBeforeLast(ctx.logDatabase.reads, MAX_SEARCHED);
  return { content: keyword, afterId };
}
