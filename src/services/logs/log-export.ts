/**
 * Exports the log as a stream of CSV or JSON lines, oldest first, in order of time and id, up to
 * the entry that was the last at the start. Only one batch is in memory, and its size in characters
 * is limited too, as entries may contain whole conversations.
 */
import type { Service } from '../../api/call.ts';
import type { logCalls } from '../../api/logs/log.ts';
import { type Context, nowSec } from '../../context.ts';
import type { LogFacts } from '../../domain/logs/log-facts.ts';
import { balanceChangeOf, logTypeWord } from '../../domain/logs/log-types.ts';
import { usdText } from '../../domain/pricing/quota-text.ts';
import type { LogFilter } from '../../store/logs/log-filter.ts';
import { lastLogId, logsFrom, type StoredLog } from '../../store/logs/log-rows.ts';
import { ownLogsFilter, visibleLogs } from './log-filters.ts';
import {
  type LogView,
  logDetailView,
  logViews,
  mayReadAllLogs,
  messageCharacters,
  ownLogViews,
} from './log-view.ts';

type Calls = Service<typeof logCalls, Context>;
type Show = (rows: readonly StoredLog[]) => Promise<LogView[]>;

const FIRST_BATCH = 200;
const MAX_BATCH = 1_000;
const BATCH_CHARS = 2_000_000;
/** About as long are the facts of an entry without messages. */
const FACT_CHARS = 500;

export const exportCsv: Calls['exportCsv'] = async (ctx, actor, input, visit) =>
  csv(
    ctx,
    await visible(ctx, actor, input, visit),
    mayReadAllLogs(actor) ? ADMIN_COLUMNS : CSV_COLUMNS,
  );

export const exportJsonl: Calls['exportJsonl'] = async (ctx, actor, input, visit) =>
  jsonLines(await visible(ctx, actor, input, visit));

export const exportOwnCsv: Calls['exportOwnCsv'] = async (ctx, actor, input, visit) =>
  csv(ctx, own(ctx, actor, input, visit), CSV_COLUMNS);

export const exportOwnJsonl: Calls['exportOwnJsonl'] = async (ctx, actor, input, visit) =>
  jsonLines(own(ctx, actor, input, visit));

async function visible(
  ...[ctx, actor, input, visit]: Parameters<Calls['exportCsv']>
): Promise<AsyncIterable<readonly LogView[]>> {
  return batches(ctx, await visibleLogs(ctx, actor, input), (rows) =>
    logViews(ctx, actor, rows, input.language ?? visit.language),
  );
}

function own(
  ...[ctx, actor, input, visit]: Parameters<Calls['exportOwnCsv']>
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
  const characters = rows.reduce(
    (sum, row) => sum + row.content.length + messageCharacters(row) + FACT_CHARS,
    0,
  );
  const fitting = Math.floor((rows.length * BATCH_CHARS) / characters);
  return Math.min(Math.max(fitting, 10), MAX_BATCH);
}

async function* jsonLines(parts: AsyncIterable<readonly LogView[]>): AsyncGenerator<string> {
  for await (const part of parts)
    yield part.map((row) => `${JSON.stringify(logDetailView(row))}\n`).join('');
}

type Column = Exclude<keyof LogView, 'facts'> | 'other';

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
] as const satisfies readonly Column[];

/** Added for administrators, at the end: programs that read the file know the others by position. */
const ADMIN_COLUMNS = [...CSV_COLUMNS, 'cost'] as const;

/**
 * For people: `time` is `created_at` in UTC, `usd` what the entry did to the balance, in dollars with its
 * sign; types are words. Programs read the lines of JSON.
 */
async function* csv(
  { options }: Context,
  parts: AsyncIterable<readonly LogView[]>,
  columns: readonly Column[],
): AsyncGenerator<string> {
  const { csvText } = await import('./csv.ts');
  const quotaPerUnit = options().get('QuotaPerUnit');
  yield csvText([['time', ...columns, 'usd']]);
  for await (const part of parts)
    yield csvText(
      part.map((row) => [
        new Date(row.created_at * 1000).toISOString(),
        ...columns.map((name) => cellOf(row, name)),
        usdText(balanceChangeOf(row.type, row.quota).units, quotaPerUnit, 6),
      ]),
    );
}

function cellOf(row: LogView, name: Column): unknown {
  if (name === 'type') return logTypeWord(row.type);
  return name === 'other' ? listedFacts(row.facts) : row[name];
}

/** `group_ratio: 1; status_code: 429`; nested facts as JSON. */
function listedFacts(facts: LogFacts): string {
  return Object.entries(facts)
    .map(
      ([name, value]) =>
        `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
    )
    .join('; ');
}
