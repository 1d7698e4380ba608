/** Computes totals, percentiles and time series from hourly aggregates. */
import type * as z from 'zod/mini';
import type { Overview, STEPS } from '../../api/logs/data.ts';
import { addCounts, quantileOf, type ValueCounts } from '../../domain/logs/histogram.ts';
import {
  addHour,
  ERROR_CLASSES,
  emptyHour,
  errorClass,
  HOUR_SEC,
  type LogHour,
  QUARTER_SEC,
  quarterStart,
} from '../../domain/logs/log-hours.ts';
import { LOG_TYPE, spentUnits } from '../../domain/logs/log-types.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';
import { localDay, localDayStart, localHourStart, type OffsetAt } from '../../domain/time-zones.ts';
import { withCosts } from '../logs/log-costs.ts';

type Reply = z.input<typeof Overview>;
type Step = (typeof STEPS)[number];

export function totalsOf(cells: readonly LogHour[]): Reply['totals'] {
  const sum = { calls: 0, errors: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0 };
  const costs = { cost: 0, costed_quota: 0 };
  let cacheTokens = 0;
  for (const cell of cells) {
    if (cell.type === LOG_TYPE.error) sum.errors += cell.lines;
    sum.quota += spentUnits(cell.type, cell.quota);
    costs.cost += cell.cost;
    costs.costed_quota += cell.costed_quota;
    if (cell.type !== LOG_TYPE.consume) continue;
    sum.calls += cell.lines;
    sum.prompt_tokens += cell.prompt_tokens;
    sum.completion_tokens += cell.completion_tokens;
    cacheTokens += cell.cache_tokens;
  }
  const attempts = sum.calls + sum.errors;
  return {
    ...withCosts({ ...sum, ...costs }),
    cache_tokens: cacheTokens,
    tokens: sum.prompt_tokens + sum.completion_tokens,
    error_rate: attempts === 0 ? 0 : sum.errors / attempts,
  };
}

export function latencyOf(cells: readonly LogHour[]): Reply['latency'] {
  return percentilesOf(cells.map((cell) => cell.latency));
}

export function firstTokenOf(cells: readonly LogHour[]): Reply['first_token'] {
  return percentilesOf(cells.map((cell) => cell.first_token));
}

function percentilesOf(list: readonly ValueCounts[]): Reply['latency'] {
  const counts: ValueCounts = new Map();
  for (const more of list) addCounts(counts, more);
  return {
    p50: quantileOf(counts, 0.5),
    p95: quantileOf(counts, 0.95),
    p99: quantileOf(counts, 0.99),
  };
}

/** Sorted by frequency, highest first. */
export function errorClasses(cells: readonly LogHour[]): Reply['error_classes'] {
  const statuses: ValueCounts = new Map();
  for (const cell of cells) addCounts(statuses, cell.statuses);
  const counts = new Map(ERROR_CLASSES.map((name) => [name, 0]));
  for (const [status, count] of statuses) {
    const name = errorClass(status);
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return [...counts]
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => ({ class: name, count }));
}

export interface StepRange {
  readonly fromSec: number;
  readonly toSec: number;
  readonly step: Step;
  /** Of the reader's time zone. */
  readonly offsetAt: OffsetAt;
}

/** Merges cells into one per step and type, so that totals, percentiles and series read fewer. */
export function mergeBySteps(cells: readonly LogHour[], { startOf }: Steps): LogHour[] {
  const stepped = new Map<string, LogHour>();
  for (const cell of cells) {
    const hour = startOf(cell.hour);
    const key = `${hour} ${cell.type}`;
    const known = stepped.get(key) ?? emptyHour({ ...cell, hour });
    addHour(known, cell);
    stepped.set(key, known);
  }
  return [...stepped.values()];
}

/** All steps of the span, including those without calls. */
export function seriesOf(cells: readonly LogHour[], { starts, startOf }: Steps): Reply['series'] {
  const buckets = new Map<number, LogHour[]>(starts.map((start) => [start, []]));
  for (const cell of cells) buckets.get(startOf(cell.hour))?.push(cell);
  return [...buckets].map(([start, list]) => ({
    start,
    ...totalsOf(list),
    latency: latencyOf(list),
    first_token: firstTokenOf(list),
  }));
}

interface Steps {
  /** In order. */
  readonly starts: readonly number[];
  /** The step that an hour or a quarter of the span belongs to, by its first second. */
  readonly startOf: (sec: number) => number;
}

/** A local day has 23 to 25 hours. */
const INTO_NEXT_SEC = 2 * HOUR_SEC;
const STEP_SEC: Readonly<Record<Step, number>> = {
  hour: HOUR_SEC,
  day: DAY_SEC + INTO_NEXT_SEC,
  week: 7 * DAY_SEC + INTO_NEXT_SEC,
};

export function stepsOf(steps: StepRange): Steps {
  const starts: number[] = [];
  const startOfQuarter = new Map<number, number>();
  for (let start = stepStart(steps.fromSec, steps); start < steps.toSec; ) {
    starts.push(start);
    startOfQuarter.set(start, start); // of merged cells
    const next = stepStart(start + STEP_SEC[steps.step], steps);
    for (let at = quarterStart(start + QUARTER_SEC - 1); at < next; at += QUARTER_SEC)
      startOfQuarter.set(at, start);
    start = next;
  }
  return { starts, startOf: (sec) => startOfQuarter.get(sec) ?? starts[0] ?? sec };
}

function stepStart(second: number, { step, offsetAt }: StepRange): number {
  if (step === 'hour') return localHourStart(second, offsetAt);
  // 1970-01-01 was a Thursday, and weeks begin on Monday.
  const days = step === 'week' ? (localDay(second, offsetAt) + 3) % 7 : 0;
  return localDayStart(second, offsetAt, days);
}
