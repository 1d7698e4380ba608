/**
 * Pages of the log, newest first. A distant page, or one of few matches among many entries, is
 * located with the hourly statistics: earlier hours are skipped without reading their entries.
 */
import type { Knex } from 'knex';
import { HOUR_SEC } from '../../domain/logs/log-hours.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';
import { numberValue, type RowWindow } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { type CombinedQuery, combinedCells, combinedQuery } from './log-combined.ts';
import { filteredLogs, isPattern, type LogFilter } from './log-filter.ts';
import { selectHours } from './log-hours.ts';
import { newestLogs, type StoredLog } from './log-rows.ts';
import {
  type CountedScope,
  countedScope,
  entryParts,
  type RangeParts,
  rangeParts,
  readConsistently,
} from './log-stats.ts';

export interface LogPage {
  readonly rows: readonly StoredLog[];
  readonly total: number;
  /** True if there are more entries than `total`. */
  readonly isEstimate: boolean;
}

/** Maximum count of entries without statistics; lower for large logs, where few entries match. */
const MAX_COUNTED = 10_000;
const MAX_COUNTED_OF_LARGE = 1_000;
const LARGE_LOG_ENTRIES = 2_000_000;
/** Totals are also inexact if more entries than this are uncounted, e.g. after an import. */
const MAX_UNCOUNTED = 200_000;
const DISTANT_OFFSET = 1_000;

export function pageOfLogs(reads: Knex, filter: LogFilter, window: RowWindow): Promise<LogPage> {
  return readConsistently(reads, async (progress, uncounted) => {
    const counted = uncounted > MAX_UNCOUNTED ? undefined : countedScope(filter);
    const spans = rangeParts(filter, progress);
    if (counted === undefined || spans === undefined) {
      const max = progress.countedId > LARGE_LOG_ENTRIES ? MAX_COUNTED_OF_LARGE : MAX_COUNTED;
      const isNearlyCounted = counted === undefined && uncounted <= MAX_UNCOUNTED;
      const parts = isNearlyCounted ? await combinedQuery(reads, filter, progress) : undefined;
      if (parts !== undefined) return combinedPage(reads, filter, window, parts, max);
      const found = await countEntries(reads, filter, max + 1);
      const total = Math.min(found, max);
      const rows = await newestLogs(reads, filter, window);
      return { rows, total, isEstimate: found > total };
    }
    const total = await totalOf(reads, filter, counted, spans);
    const rows = await rowsAt(reads, filter, window, { counted, spans, total });
    return { rows, total, isEstimate: false };
  });
}

/** A page of entries filtered by several columns: days without matches are skipped. */
async function combinedPage(
  reads: Knex,
  filter: LogFilter,
  window: RowWindow,
  parts: CombinedQuery,
  most: number,
): Promise<LogPage> {
  const segments = await wholeDays(reads, filter, parts);
  let total = segments.reduce((sum, { entries }) => sum + entries, 0);
  let isEstimate = false;
  for (const { upToId: _, ...span } of parts.spans) {
    const found = await countEntries(reads, span, most + 1);
    const { sinceSec, untilSec } = span;
    segments.push({ sinceSec, untilSec, entries: found > most ? Number.POSITIVE_INFINITY : found });
    total += Math.min(found, most);
    isEstimate ||= found > most;
  }
  segments.sort((a, b) => (b.sinceSec ?? 0) - (a.sinceSec ?? 0));
  return { rows: await rowsOfSegments(reads, filter, window, segments), total, isEstimate };
}

/** The days outside the spans with matching entries: counted ones, or only ones added since. */
async function wholeDays(reads: Knex, filter: LogFilter, parts: CombinedQuery): Promise<Segment[]> {
  const linesOn = new Map<number, number>();
  const cells = combinedCells(reads, filter, parts).sum({ total: 'lines' });
  addTotals(linesOn, await cells.select({ part: 'day' }).groupBy('day'));
  const part = reads.raw(`created_at - (created_at % ${DAY_SEC})`);
  const fresh = filteredLogs(reads, parts.uncounted).count({ total: '*' });
  addTotals(linesOn, await fresh.select({ part }).groupBy('part'));
  const isBeside = (day: number) =>
    parts.spans.every(
      ({ sinceSec = 0, untilSec = Number.POSITIVE_INFINITY }) =>
        day + DAY_SEC <= sinceSec || day > untilSec,
    );
  return [...linesOn]
    .filter(([day]) => isBeside(day))
    .map(([day, entries]) => ({ sinceSec: day, untilSec: day + DAY_SEC - 1, entries }));
}

/** With an index, all entries from the beginning of the page on are read from it at once. */
async function rowsOfSegments(
  reads: Knex,
  filter: LogFilter,
  window: RowWindow,
  segments: readonly Segment[],
  isIndexed = false,
): Promise<StoredLog[]> {
  let { offset } = window;
  const rows: StoredLog[] = [];
  for (const { untilSec, entries, ...segment } of segments) {
    if (offset >= entries) {
      offset -= entries;
      continue;
    }
    const sinceSec = isIndexed ? filter.sinceSec : segment.sinceSec;
    const limit = window.limit - rows.length;
    rows.push(...(await newestLogs(reads, { ...filter, sinceSec, untilSec }, { limit, offset })));
    if (isIndexed || rows.length === window.limit) break;
    offset = 0;
  }
  return rows;
}

async function totalOf(
  reads: Knex,
  filter: LogFilter,
  counted: CountedScope,
  spans: RangeParts,
): Promise<number> {
  const hours = selectHours(reads, { ...counted, ...spans.hours, type: filter.type });
  const row: Row | undefined = await hours.sum({ total: 'lines' }).first();
  let total = numberValue(row?.total);
  for (const part of entryParts(spans)) total += await countEntries(reads, part);
  return total;
}

async function countEntries(reads: Knex, filter: LogFilter, atMost?: number): Promise<number> {
  const filtered = filteredLogs(reads, filter);
  const some = filtered
    .clone()
    .select(reads.raw('1 as one'))
    .limit(atMost ?? 0);
  const counted = reads.count({ total: '*' });
  const query =
    atMost === undefined ? filtered.count({ total: '*' }) : counted.from(some.as('some'));
  const row: Row | undefined = await query.first();
  return numberValue(row?.total);
}

interface CountedRange {
  readonly counted: CountedScope;
  readonly spans: RangeParts;
  readonly total: number;
}

async function rowsAt(
  reads: Knex,
  filter: LogFilter,
  window: RowWindow,
  { counted, spans, total }: CountedRange,
): Promise<StoredLog[]> {
  if (window.offset >= total) return [];
  const isIndexed = hasIndex(counted, filter);
  if (isIndexed && window.offset < DISTANT_OFFSET) return newestLogs(reads, filter, window);
  const segments = await segmentsOf(reads, filter, counted, spans);
  return rowsOfSegments(reads, filter, window, segments, isIndexed);
}

/** Whether an index contains exactly the requested entries in time order. */
function hasIndex({ scope }: CountedScope, filter: LogFilter): boolean {
  if (scope === 'site') return true;
  if (scope === 'group' || filter.type) return false;
  return !isPattern(filter.modelName ?? '') && !isPattern(filter.tokenName ?? '');
}

/** Adds the `total` of each row to that of its `part`. */
function addTotals(totals: Map<number, number>, rows: readonly Row[]): void {
  for (const row of rows) {
    const part = numberValue(row.part);
    totals.set(part, (totals.get(part) ?? 0) + numberValue(row.total));
  }
}

interface Segment {
  readonly sinceSec: number | undefined;
  readonly untilSec: number | undefined;
  readonly entries: number;
}

/** Newest first: the part after the whole hours, each hour with entries, and the part before. */
async function segmentsOf(
  reads: Knex,
  filter: LogFilter,
  counted: CountedScope,
  spans: RangeParts,
): Promise<Segment[]> {
  const { fromSec, toSec } = spans.hours;
  const hours = selectHours(reads, { ...counted, ...spans.hours, type: filter.type });
  const entriesIn = new Map<number, number>();
  const counts = hours.sum({ total: 'lines' }).select({ part: 'hour' });
  addTotals(entriesIn, await counts.groupBy('hour'));
  const part = reads.raw(`created_at - (created_at % ${HOUR_SEC})`);
  const fresh = filteredLogs(reads, spans.uncounted).count({ total: '*' });
  addTotals(entriesIn, await fresh.select({ part }).groupBy('part'));
  const isNewer = (hour: number) => toSec !== undefined && hour >= toSec;
  let newer = spans.newer === undefined ? 0 : await countEntries(reads, spans.newer);
  for (const [hour, entries] of entriesIn) if (isNewer(hour)) newer += entries;
  const whole = [...entriesIn]
    .filter(([hour]) => hour >= fromSec && !isNewer(hour))
    .sort(([a], [b]) => b - a)
    .map(([hour, entries]) => ({ sinceSec: hour, untilSec: hour + HOUR_SEC - 1, entries }));
  return [
    { sinceSec: toSec, untilSec: filter.untilSec, entries: newer },
    ...whole,
    { sinceSec: filter.sinceSec, untilSec: fromSec - 1, entries: Number.POSITIVE_INFINITY },
  ];
}
