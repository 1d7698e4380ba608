/**
 * The log's statistics per hour (`log_hours`), and how far the log has been counted
 * (`log_progress`). Writers hold the row of `log_progress`.
 */
import { setImmediate } from 'node:timers/promises';
import type { Knex } from 'knex';
import { countsText, readCounts } from '../../domain/logs/histogram.ts';
import {
  addHour,
  CELL_SUMS,
  type CellSums,
  cellKey,
  type LogHour,
  type LogScope,
} from '../../domain/logs/log-hours.ts';
import { LOG_TYPE, SPEND_TYPES } from '../../domain/logs/log-types.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';
import { insertOnce, upsertRows } from '../sql/inserts.ts';
import { fromColumn, numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';
import { chunksOf, type Row } from '../sql/sql-dialect.ts';
import { sumExpressions, type TypeFilter, whereType } from './log-filter.ts';

const PROGRESS = rowReader({
  /** All entries up to this id are counted. */
  countedId: fromColumn('counted_id', numberValue),
  /** No entry up to this id can still appear: the transactions that took such ids have ended. */
  settledId: fromColumn('settled_id', numberValue),
  /** The highest id at `seenAtSec`. */
  seenId: fromColumn('seen_id', numberValue),
  seenAtSec: fromColumn('seen_at', numberValue),
  /** Entries before this time have been deleted, or are being deleted. */
  clearedBeforeSec: fromColumn('cleared_before', numberValue),
  /** Increases whenever the statistics or the counted range change. */
  revision: numberValue,
});
export type LogProgress = RowOf<typeof PROGRESS>;

const SINGLE_ROW = { id: 1 } as const;

export async function logProgress(db: Knex): Promise<LogProgress> {
  return (await PROGRESS.first(db('log_progress').where(SINGLE_ROW))) ?? PROGRESS.read({});
}

/** Locks counting and deleting of entries until this transaction ends. */
export async function lockLogProgress(trx: Knex.Transaction): Promise<LogProgress> {
  const lock = () => PROGRESS.first(trx('log_progress').where(SINGLE_ROW).forUpdate());
  const known = await lock();
  if (known !== undefined) return known;
  await insertOnce(trx, 'log_progress', SINGLE_ROW, 'id');
  return (await lock()) ?? PROGRESS.read({});
}

export async function saveLogProgress(
  trx: Knex.Transaction,
  { revision, ...progress }: LogProgress,
): Promise<void> {
  await trx('log_progress')
    .where(SINGLE_ROW)
    .update({
      counted_id: progress.countedId,
      settled_id: progress.settledId,
      seen_id: progress.seenId,
      seen_at: progress.seenAtSec,
      cleared_before: progress.clearedBeforeSec,
      revision: revision + 1,
    });
}

const [, ...SUMS_OF_ENTRIES] = CELL_SUMS;
/** Sums over the entries of an hour, besides their number `lines`. */
export const HOUR_SUMS = [...SUMS_OF_ENTRIES, 'cache_tokens'] as const;
/** Texts of `histogram.ts`. */
export const HOUR_HISTOGRAMS = ['latency', 'first_token', 'statuses'] as const;

/** For `sum` of a query: each of the columns under its own name. */
export function underOwnNames(columns: readonly string[]): Record<string, string> {
  return Object.fromEntries(columns.map((column) => [column, column]));
}

const sums = CELL_SUMS.map((name) => [name, numberValue]);
export const SUM_READERS: Readonly<Record<keyof CellSums, typeof numberValue>> =
  Object.fromEntries(sums);

const countsValue = (value: unknown) => readCounts(textValue(value));

const HOURS = rowReader({
  scope: (value: unknown) => textValue(value) as LogScope, // only `addHours` writes this column
  subject: textValue,
  hour: numberValue,
  type: numberValue,
  ...SUM_READERS,
  cache_tokens: numberValue,
  latency: countsValue,
  first_token: countsValue,
  statuses: countsValue,
});

function hourRow(cell: LogHour): object {
  return {
    ...cell,
    latency: countsText(cell.latency),
    first_token: countsText(cell.first_token),
    statuses: countsText(cell.statuses),
  };
}

/** Rows per statement: building it must not block the event loop. */
const BATCH_ROWS = 250;

/** Adds counts to the existing ones. The caller holds the lock of `lockLogProgress`. */
export async function addHours(trx: Knex.Transaction, cells: readonly LogHour[]): Promise<void> {
  if (cells.length === 0) return;
  const known = new Map<string, LogHour>();
  for (const scope of new Set(cells.map((cell) => cell.scope))) {
    const touched = cells.filter((cell) => cell.scope === scope);
    const rows = trx('log_hours')
      .where({ scope })
      .whereIn('subject', [...new Set(touched.map((cell) => cell.subject))])
      .whereIn('hour', [...new Set(touched.map((cell) => cell.hour))]);
    for (const cell of await HOURS.all(rows)) known.set(cellKey(cell), cell);
  }
  const sums = cells.map((cell) => {
    const sum = known.get(cellKey(cell));
    if (sum === undefined) return cell;
    addHour(sum, cell);
    return sum;
  });
  const key = ['scope', 'subject', 'hour', 'type'];
  for (const part of chunksOf(sums, BATCH_ROWS))
    await upsertRows(trx, 'log_hours', part.map(hourRow), { key });
}

/** Whole hours: `fromSec` included, `toSec` excluded; both are the first second of an hour. */
export interface HourRange {
  readonly fromSec: number;
  /** Undefined: open end. */
  readonly toSec: number | undefined;
}

export interface HoursQuery extends HourRange {
  readonly scope: LogScope;
  /** Restricts a query on `log_hours` to certain subjects; absent for all of the scope. */
  readonly subjects?: ((query: Knex.QueryBuilder) => void) | undefined;
  readonly type?: TypeFilter | undefined;
}

export interface DaysQuery extends HoursQuery {
  /** Days within the range, ascending, that `log_days` covers: their hours need not be read. */
  readonly days?: readonly number[] | undefined;
}

/** Totals of calls and failed attempts; `quota` is net spend. */
const CALL_SUMS = rowReader({
  calls: numberValue,
  errors: numberValue,
  quota: numberValue,
  tokens: numberValue,
  /** The known costs, and the net spend of the calls that have one. */
  cost: numberValue,
  costed_quota: numberValue,
});
export type CallSums = RowOf<typeof CALL_SUMS>;

export const NO_CALLS = CALL_SUMS.read({});

/** Sums per subject; with `limit` only those with the highest spend. */
export async function callSumsBySubject(
  reads: Knex,
  hoursQuery: DaysQuery,
  limit?: number,
): Promise<Map<string, CallSums>> {
  const lines = (type: number) =>
    reads.raw('sum(case when ?? = ? then ?? else 0 end)', ['type', type, 'lines']);
  const query = reads
    .from(callRows(reads, hoursQuery).as('figures'))
    .select('subject', { calls: lines(LOG_TYPE.consume), errors: lines(LOG_TYPE.error) })
    .select({ quota: sumExpressions(reads, 'spend').quota })
    .sum({ prompt: 'prompt_tokens', completion: 'completion_tokens' })
    .sum({ cost: 'cost', costed_quota: 'costed_quota' })
    .groupBy('subject')
    .orderBy([{ column: 'quota', order: 'desc' }, { column: 'subject' }]);
  const rows: Row[] = await (limit === undefined ? query : query.limit(limit));
  return new Map(
    rows.map((row) => {
      const tokens = numberValue(row.prompt) + numberValue(row.completion);
      return [textValue(row.subject), CALL_SUMS.read({ ...row, tokens })];
    }),
  );
}

/** Rows of calls, refunds and failed attempts: of the given days, and of all other hours. */
function callRows(reads: Knex, { days = [], ...hoursQuery }: DaysQuery): Knex.QueryBuilder {
  const selectCalls = (query: Knex.QueryBuilder) =>
    query.whereIn('type', [...SPEND_TYPES, LOG_TYPE.error]).select('subject', 'type', ...CELL_SUMS);
  const parts = rangesOutside(hoursQuery, days).map((range) =>
    selectCalls(selectHours(reads, { ...hoursQuery, ...range })),
  );
  if (days.length > 0) {
    const whole = reads('log_days')
      .where('scope', hoursQuery.scope)
      .whereIn('day', [...days]);
    hoursQuery.subjects?.(whole);
    parts.push(selectCalls(whole));
  }
  const [first, ...others] = parts;
  return first === undefined
    ? selectCalls(reads('log_days').whereRaw('1 = 0'))
    : first.unionAll(others);
}

function rangesOutside({ fromSec, toSec }: HourRange, days: readonly number[]): HourRange[] {
  const ranges: HourRange[] = [];
  let nextSec = fromSec;
  for (const day of days) {
    if (day > nextSec) ranges.push({ fromSec: nextSec, toSec: day });
    nextSec = day + DAY_SEC;
  }
  if (toSec === undefined || nextSec < toSec) ranges.push({ fromSec: nextSec, toSec });
  return ranges;
}

/** The requested rows of `log_hours`. */
export function selectHours(db: Knex, hoursQuery: HoursQuery): Knex.QueryBuilder {
  const query = db('log_hours')
    .where('scope', hoursQuery.scope)
    .where('hour', '>=', hoursQuery.fromSec);
  if (hoursQuery.toSec !== undefined) query.where('hour', '<', hoursQuery.toSec);
  whereType(query, hoursQuery.type);
  hoursQuery.subjects?.(query);
  return query;
}

/** The statistics of each hour. */
export async function readHours(reads: Knex, hoursQuery: HoursQuery): Promise<LogHour[]> {
  const rows: Row[] = await selectHours(reads, hoursQuery).select(HOURS.columns);
  const cells: LogHour[] = [];
  for (const row of rows) {
    // Reading a year takes a while, so this yields to calls in progress.
    if (cells.length % BATCH_ROWS === BATCH_ROWS - 1) await setImmediate();
    cells.push(HOURS.read(row));
  }
  return cells;
}

/** The sums over all hours, one cell per type, without durations and statuses. */
export async function sumHours(reads: Knex, hoursQuery: HoursQuery): Promise<LogHour[]> {
  const rows: Row[] = await selectHours(reads, hoursQuery)
    .select('type')
    .sum(underOwnNames(['lines', ...HOUR_SUMS]))
    .groupBy('type');
  const { scope, fromSec: hour } = hoursQuery;
  return rows.map((row) => HOURS.read({ ...row, scope, hour }));
}
