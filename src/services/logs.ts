/**
 * Reading the usage log. Administrators see all of it; others see their own lines without the names
 * and ids of upstreams, and with ids that do not tell how busy the site is.
 */
import type * as z from 'zod/mini';
import { type Actor, pageWindow, type Service } from '../api/call.ts';
import type { Log, LogFilters, LogStat, logCalls } from '../api/log.ts';
import { type Context, nowSec } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import { LOG_TYPE } from '../domain/log-types.ts';
import { isAdmin } from '../domain/roles.ts';
import { channelNamesOf } from '../store/channels.ts';
import {
  deleteLogsBefore,
  type LogBreakdown,
  type LogFilter,
  lastLogs,
  logsAfter,
  logsOfRequest,
  pageOfLogs,
  type StoredLog,
  sumOfLogs,
  sumsOfLogs,
} from '../store/logs.ts';
import { inTx } from '../store/tx.ts';
import { note, roleOf } from './audit.ts';
import { parsedObject } from './json-object.ts';
import { asPage } from './pages.ts';
import { invalid } from './validate.ts';

type Calls = Service<typeof logCalls, Context>;
type Shown = z.input<typeof Log>;

const RATE_WINDOW_SEC = 60;
const MOST_GROUPS = 200;
const MOST_TAILED = 1000;
const CLEAR_BATCH = 1000;

export const list: Calls['list'] = async (ctx, actor, input) => {
  const window = pageWindow(input);
  const { rows, total } = await pageOfLogs(ctx.reads, visible(actor, input), window);
  return asPage(window, await shownLogs(ctx, actor, rows), total);
};

export const listOwn: Calls['listOwn'] = async (ctx, actor, input) => {
  const window = pageWindow(input);
  const { rows, total } = await pageOfLogs(ctx.reads, own(actor, input), window);
  return asPage(window, ownLogs(ctx, rows), total);
};

export const stat: Calls['stat'] = (ctx, actor, { by, ...input }) =>
  statOf(ctx, visible(actor, input), by);

export const statOwn: Calls['statOwn'] = (ctx, actor, { by, ...input }) =>
  statOf(ctx, own(actor, input), by);

/** @throws AppError request_missing, also for the lines of somebody else. */
export const get: Calls['get'] = async (ctx, actor, { request_id }) => {
  const rows = await logsOfRequest(ctx.reads, request_id);
  const mine = isReader(actor) ? rows : rows.filter((row) => isOwnedBy(actor, row));
  if (mine.length === 0) throw new AppError('request_missing', { id: request_id });
  return shownLogs(ctx, actor, mine);
};

export const tail: Calls['tail'] = async (ctx, actor, { after, limit = 20, ...input }) => {
  const filter = visible(actor, input);
  const size = Math.min(Math.max(limit, 1), MOST_TAILED);
  const rows =
    after === undefined
      ? await lastLogs(ctx.reads, filter, size)
      : await logsAfter(ctx.reads, filter, after, size);
  return shownLogs(ctx, actor, rows);
};

/** In transactions of `CLEAR_BATCH` lines, so that calls are not kept waiting for their charge. */
export const clear: Calls['clear'] = async (ctx, actor, input) => {
  const before = input.before ?? input.target_timestamp ?? 0;
  if (before <= 0) throw invalid('before', 'a time is needed');
  let cleared = 0;
  for (;;) {
    const gone = await inTx(ctx, (ctx) => deleteLogsBefore(ctx.db, before, CLEAR_BATCH));
    cleared += gone;
    if (gone < CLEAR_BATCH) break;
  }
  await inTx(ctx, (ctx) =>
    note(ctx, actor, {
      action: 'log_clear',
      content: `${cleared} log lines from before ${new Date(before * 1000).toISOString()} deleted`,
      facts: { before, cleared },
    }),
  );
  return cleared;
};

async function statOf(
  ctx: Context,
  filter: LogFilter,
  by: LogBreakdown | undefined,
): Promise<z.input<typeof LogStat>> {
  const range = { ...filter, type: LOG_TYPE.consume };
  const lately = { ...range, sinceSec: nowSec(ctx) - RATE_WINDOW_SEC, untilSec: undefined };
  const sums = await sumOfLogs(ctx.reads, range);
  const rate = await sumOfLogs(ctx.reads, lately);
  const groups = by && (await sumsOfLogs(ctx.reads, range, by, MOST_GROUPS));
  return {
    quota: sums.quota,
    count: sums.count,
    rpm: rate.count,
    tpm: rate.prompt_tokens + rate.completion_tokens,
    token_total: sums.prompt_tokens + sums.completion_tokens,
    token_input: sums.prompt_tokens,
    token_output: sums.completion_tokens,
    ...(groups && { groups: await namedGroups(ctx, groups, by) }),
  };
}

/** Channels are known by id in the log and by name to people: the key carries both. */
async function namedGroups<T extends { readonly key: string }>(
  ctx: Context,
  groups: readonly T[],
  by: LogBreakdown | undefined,
): Promise<T[]> {
  if (by !== 'channel') return [...groups];
  const names = await channelNamesOf(
    ctx.reads,
    groups.map((group) => Number(group.key)),
  );
  return groups.map((group) => {
    const name = names.get(Number(group.key));
    return name === undefined ? group : { ...group, key: `${group.key} ${name}` };
  });
}

function visible(actor: Actor, input: LogFilters): LogFilter {
  return isReader(actor) ? filterOf(input) : own(actor, input);
}

function own(actor: Actor, input: LogFilters): LogFilter {
  if (actor.kind === 'operator') throw new AppError('permission_denied');
  return {
    ...filterOf(input),
    username: undefined,
    channelId: undefined,
    userId: actor.id,
  };
}

function filterOf(input: LogFilters): LogFilter {
  return {
    type: input.type,
    username: input.username,
    tokenName: input.token_name,
    modelName: input.model_name,
    group: input.group,
    channelId: input.channel,
    requestId: input.request_id,
    sinceSec: input.since ?? input.start_timestamp,
    untilSec: input.until ?? input.end_timestamp,
  };
}

function isReader(actor: Actor): boolean {
  return isAdmin(roleOf(actor));
}

function isOwnedBy(actor: Actor, row: StoredLog): boolean {
  return actor.kind === 'user' && actor.id === row.user_id;
}

/** Lines as the actor may see them. */
export async function shownLogs(
  ctx: Context,
  actor: Actor,
  rows: readonly StoredLog[],
): Promise<Shown[]> {
  if (!isReader(actor)) return ownLogs(ctx, rows);
  const names = await channelNamesOf(
    ctx.reads,
    rows.map((row) => row.channel_id),
  );
  return rows.map((row) => ({
    ...common(row),
    id: row.id,
    channel: row.channel_id,
    channel_name: names.get(row.channel_id) ?? '',
    other: row.other,
  }));
}

function ownLogs(ctx: Context, rows: readonly StoredLog[]): Shown[] {
  return rows.map((row) => ({
    ...common(row),
    id: opaqueId(ctx, row.id),
    channel: 0,
    channel_name: '',
    other: withoutUpstreams(row.other),
  }));
}

function common({ channel_id: _, client_ip, ...row }: StoredLog) {
  return client_ip === '' ? row : { ...row, client_ip };
}

/** Stable per line, and says nothing of how many others there are. 48 bits fit a JSON number. */
function opaqueId(ctx: Context, id: number): number {
  return Number.parseInt(ctx.secrets.hash(`log:${id}`).slice(0, 12), 16);
}

const UPSTREAM_FACTS: ReadonlySet<string> = new Set([
  'admin_info',
  'channel_id',
  'channel_name',
  'channel_type',
]);

function withoutUpstreams(other: string): string {
  const facts = parsedObject(other);
  const kept = Object.entries(facts).filter(([key]) => !UPSTREAM_FACTS.has(key));
  return kept.length === 0 ? '' : JSON.stringify(Object.fromEntries(kept));
}
