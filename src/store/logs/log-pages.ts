/**
 * Pages of the log, newest first. A distant page, or one of few matches among many entries, is
 * located with the hourly statistics: earlier hours are skipped without reading their entries.
 */
import type { Knex } from 'knex';
import { HOUR_SEC } from '../../domain/logs/log-hours.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';
import { numberOf, type Window } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';
import { type Combined, combinedCells, combinedParts } from './log-combined.ts';
import { filteredLogs, isPattern, type LogFilter } from './log-filter.ts';
import { hoursAsked } from './log-hours.ts';
import { newestLogs, type StoredLog } from './log-rows.ts';
import { type Counted, countedAs, linesOf, type Spans, spansOf, steadily } from './log-stats.ts';

export interface LogPage {
  readonly rows: readonly StoredLog[];
  readonly total: number;
  /** True if there are more entries than `total`. */
  readonly isEstimate: boolean;
}

/** Maximum count of entries without statistics; lower for large logs, where few entries match. */
const MOST_COUNTED = 10_000;
const MOST_COUNTED_OF_MANY = 1_000;
const MANY_LINES = 2_000_000;
/** Totals are also inexact if more entries than this are uncounted, e.g. after an import. */
const MOST_UNCOUNTED = 200_000;
const FAR_BACK = 1_000;

export function pageOfLogs(reads: Knex, filter: LogFilter, window: Window): Promise<LogPage> {
  return steadily(reads, async (progress, uncounted) => {
    const counted = uncounted > MOST_UNCOUNTED ? undefined : countedAs(filter);
    const spans = spansOf(filter, progress);
    if (counted === undefined || spans === undefined) {
      const most = progress.countedId > MANY_LINES ? MOST_COUNTED_OF_MANY : MOST_COUNTED;
      const isNearlyCounted = counted === undefined && uncounted <= MOST_UNCOUNTED;
      const parts = isNearlyCounted ? await combinedParts(reads, filter, progress) : undefined;
      if (parts !== undefined) return combinedPage(reads, filter, window, parts, most);
      const found = await countLines(reads, filter, most + 1);
      const total = Math.min(found, most);
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
  window: Window,
  parts: Combined,
  most: number,
): Promise<LogPage> {
  const segments = await wholeDays(reads, filter, parts);
  let total = segments.reduce((sum, { lines }) => sum + lines, 0);
  let isEstimate = false;
  for (const { upToId: _, ...span } of parts.spans) {
    const found = await countLines(reads, span, most + 1);
    const { sinceSec, untilSec } = span;
    segments.push({ sinceSec, untilSec, lines: found > most ? Number.POSITIVE_INFINITY : found });
    total += Math.min(found, most);
    isEstimate ||= found > most;
  }
  segments.sort((a, b) => (b.sinceSec ?? 0) - (a.sinceSec ?? 0));
  return { rows: await rowsOfSegments(reads, filter, window, segments), total, isEstimate };
}

/** The days outside the spans with matching entries: counted ones, or only ones added since. */
async function wholeDays(reads: Knex, filter: LogFilter, parts: Combined): Promise<Segment[]> {
  const linesOn = new Map<number, number>();
  const add = (rows: readonly Row[]) => {
    for (const row of rows)
      linesOn.set(numberOf(row.part), (linesOn.get(numberOf(row.part)) ?? 0) + numberOf(row.total));
  };
  const cells = combinedCells(reads, filter, parts).sum({ total: 'lines' });
  add(await cells.select({ part: 'day' }).groupBy('day'));
  const part = reads.raw(`created_at - (created_at % ${DAY_SEC})`);
  const fresh = filteredLogs(reads, parts.uncounted).count({ total: '*' });
  add(await fresh.select({ part }).groupBy('part'));
  const isBeside = (day: number) =>
    parts.spans.every(
      ({ sinceSec = 0, untilSec = Number.POSITIVE_INFINITY }) =>
        day + DAY_SEC <= sinceSec || day > untilSec,
    );
  return [...linesOn]
    .filter(([day]) => isBeside(day))
    .map(([day, lines]) => ({ sinceSec: day, untilSec: day + DAY_SEC - 1, lines }));
}

async function rowsOfSegments(
  reads: Knex,
  filter: LogFilter,
  window: Window,
  segments: readonly Segment[],
): Promise<StoredLog[]> {
  let { offset } = window;
  const rows: StoredLog[] = [];
  for (const { sinceSec, untilSec, lines } of segments) {
    if (offset >= lines) {
      offset -= lines;
      continue;
    }
    const limit = window.limit - rows.length;
    rows.push(...(await newestLogs(reads, { ...filter, sinceSec, untilSec }, { limit, offset })));
    if (rows.length === window.limit) break;
    offset = 0;
  }
  return rows;
}

async function totalOf(
  reads: Knex,
  filter: LogFilter,
  counted: Counted,
  spans: Spans,
): Promise<number> {
  const hours = hoursAsked(reads, { ...counted, ...spans.hours, type: filter.type });
  const row: Row | undefined = await hours.sum({ total: 'lines' }).first();
  let total = numberOf(row?.total);
  for (const part of linesOf(spans)) total += await countLines(reads, part);
  return total;
}

async function countLines(reads: Knex, filter: LogFilter, atMost?: number): Promise<number> {
  const lines = filteredLogs(reads, filter);
  const some = lines
    .clone()
    .select(reads.raw('1 as one'))
    .limit(atMost ?? 0);
  const counted = reads.count({ total: '*' });
  const query = atMost === undefined ? lines.count({ total: '*' }) : counted.from(some.as('some'));
  const row: Row | undefined = await query.first();
  return numberOf(row?.total);
}

interface Found {
  readonly counted: Counted;
  readonly spans: Spans;
  readonly total: number;
}

async function rowsAt(
  reads: Knex,
  filter: LogFilter,
  window: Window,
  { counted, spans, total }: Found,
): Promise<StoredLog[]> {
  if (window.offset >= total) return [];
  const isIndexed = hasIndex(counted, filter);
  if (isIndexed && window.offset < FAR_BACK) return newestLogs(reads, filter, window);
  const segments = await segmentsOf(reads, filter, counted, spans);
  let { offset } = window;
  const rows: StoredLog[] = [];
  for (const segment of segments) {
    if (offset >= segment.lines) {
      offset -= segment.lines;
      continue;
    }
    const { untilSec } = segment;
    const sinceSec = isIndexed ? filter.sinceSec : segment.sinceSec;
    const limit = window.limit - rows.length;
    rows.push(...(await newestLogs(reads, { ...filter, sinceSec, untilSec }, { limit, offset })));
    if (isIndexed || rows.length === window.limit) break;
    offset = 0;
  }
  return rows;
}

/** Whether an index contains exactly the requested entries in time order. */
function hasIndex({ scope }: Counted, filter: LogFilter): boolean {
  if (scope === 'site') return true;
  if (scope === 'group' || filter.type) return false;
  return scope !== 'model' || !isPattern(filter.modelName ?? '');
}

interface Segment {
  readonly sinceSec: number | undefined;
  readonly untilSec: number | undefined;
  readonly lines: number;
}

/** Newest first: the part after the whole hours, each hour with entries, and the part before. */
async function segmentsOf(
  reads: Knex,
  filter: LogFilter,
  counted: Counted,
  spans: Spans,
): Promise<Segment[]> {
  const { fromSec, toSec } = spans.hours;
  const hours = hoursAsked(reads, { ...counted, ...spans.hours, type: filter.type });
  const linesIn = new Map<number, number>();
  const add = (rows: readonly Row[]) => {
    for (const row of rows)
      linesIn.set(numberOf(row.part), (linesIn.get(numberOf(row.part)) ?? 0) + numberOf(row.total));
  };
  add(await hours.sum({ total: 'lines' }).select({ part: 'hour' }).groupBy('hour'));
  const part = reads.raw(`created_at - (created_at % ${HOUR_SEC})`);
  add(
    await filteredLogs(reads, spans.uncounted)
      .count({ total: '*' })
      .select({ part })
      .groupBy('part'),
  );
  const isNewer = (hour: number) => toSec !== undefined && hour >= toSec;
  let newer = spans.newer === undefined ? 0 : await countLines(reads, spans.newer);
  for (const [hour, lines] of linesIn) if (isNewer(hour)) newer += lines;
  const whole = [...linesIn]
    .filter(([hour]) => hour >= fromSec && !isNewer(hour))
    .sort(([a], [b]) => b - a)
    .map(([hour, lines]) => ({ sinceSec: hour, untilSec: hour + HOUR_SEC - 1, lines }));
  return [
    { sinceSec: toSec, untilSec: filter.untilSec, lines: newer },
    ...whole,
    { sinceSec: filter.sinceSec, untilSec: fromSec - 1, lines: Number.POSITIVE_INFINITY },
  ];
}
