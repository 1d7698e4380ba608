/**
 * Exports the log as a stream of CSV or JSON lines, oldest first, in order of time and id, up to
 * the entry that was the last at the start. Only one batch is in memory, and its size in characters
 * is limited too, as entries may contain whole conversations.
 */
import { type Service, terminalVisit } from '../../api/call.ts';
import type { logCalls } from '../../api/logs/log.ts';
import { type Context, nowSec } from '../../context.ts';
import type { LogFilter } from '../../store/logs/log-filter.ts';
import { lastLogId, logsFrom, type StoredLog } from '../../store/logs/log-rows.ts';
import { ownLogsFilter, visibleLogs } from './log-filters.ts';
import { type LogView, logDetailView, logViews, mayReadAllLogs, ownLogViews } from './log-view.ts';

type Calls = Service<typeof logCalls, Context>;
type Show = (rows: readonly StoredLog[]) => Promise<LogView[]>;

const FIRST_BATCH = 200;
const MAX_BATCH = 1_000;
const BATCH_CHARS = 2_000_000;

export const exportCsv: Calls['exportCsv'] = async (ctx, actor, input, visit) =>
  csv(await visible(ctx, actor, input, visit), mayReadAllLogs(actor) ? ADMIN_COLUMNS : CSV_COLUMNS);

export const exportJsonl: Calls['exportJsonl'] = async (ctx, actor, input, visit) =>
  jsonLines(await visible(ctx, actor, input, visit));

export const exportOwnCsv: Calls['exportOwnCsv'] = async (ctx, actor, input, visit) =>
  csv(own(ctx, actor, input, visit), CSV_COLUMNS);

export const exportOwnJsonl: Calls['exportOwnJsonl'] = async (ctx, actor, input, visit) =>
  jsonLines(own(ctx, actor, input, visit));

async function visible(
  ...[ctx, actor, input, visit = terminalVisit()]: Parameters<Calls['exportCsv']>
): Promise<AsyncIterable<readonly LogView[]>> {
  return batches(ctx, await visibleLogs(ctx, actor, input), (rows) =>
    logViews(ctx, actor, rows, input.language ?? visit.language),
  );
}

function own(
  ...[ctx, actor, input, visit = terminalVisit()]: Parameters<Calls['exportOwnCsv']>
): AsyncIterable<readonly LogView[]> {
  return batches(ctx, ownLogsFilter(actor, input), async (rows) =>
    ownLogViews(ctx, rows, input.language ?? visit.language),
  );
}

async function* batches(
  ctx: Context,
  filter: LogFilter,
  show: Show,
): AsyncGenerator<LogView[], void, undefined> {
  const upToId = await lastLogId(ctx.logDatabase.reads);
  const whole = { ...filter, upToId, untilSec: filter.untilSec ?? nowSec(ctx) + 1 };
  let cursor = { createdAtSec: -1, id: 0 };
  let limit = FIRST_BATCH;
  for (;;) {
    const rows = await logsFrom(ctx.logDatabase.reads, whole, cursor, limit);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield await show(rows);
    if (rows.length < limit) return;
    cursor = { createdAtSec: last.created_at, id: last.id };
    limit = nextLimit(rows);
  }
}

/** The number of entries that yields about `BATCH_CHARS`, judging by the last batch. */
function nextLimit(rows: readonly StoredLog[]): number {
  const characters = rows.reduce((sum, row) => sum + row.content.length + row.other.length, 1);
  const fitting = Math.floor((rows.length * BATCH_CHARS) / characters);
  return Math.min(Math.max(fitting, 10), MAX_BATCH);
}

async function* jsonLines(parts: AsyncIterable<readonly LogView[]>): AsyncGenerator<string> {
  for await (const part of parts)
    yield part.map((row) => `${JSON.stringify(logDetailView(row))}\n`).join('');
}

const CSV_COLUMNS = [
  'id',
  'created_at',
  'type',
  'request_id',
  'user_id',
  'username',
  'token_id',
  'token_name',
  'model_name',
  'group',
  'channel',
  'channel_name',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'use_time_ms',
  'first_token_ms',
  'is_stream',
  'usage_source',
  'client_ip',
  'content',
  'other',
] as const satisfies readonly (keyof LogView)[];

/** Added for administrators, at the end: programs that read the file know the others by position. */
const ADMIN_COLUMNS = [...CSV_COLUMNS, 'cost'] as const;

/** `time` is `created_at` in readable form, UTC. */
async function* csv(
  parts: AsyncIterable<readonly LogView[]>,
  columns: readonly (keyof LogView)[],
): AsyncGenerator<string> {
  const { csvText } = await import('./csv.ts');
  yield csvText([['time', ...columns]]);
  for await (const part of parts)
    yield csvText(
      part.map((row) => [
        new Date(row.created_at * 1000).toISOString(),
        ...columns.map((name) => row[name]),
      ]),
    );
}
