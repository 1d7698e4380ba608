/** Groups hourly usage into series by local hour, day or week. */
import {
  type ChartPoint,
  type ChartSeries,
  OTHER_COLOUR,
  seriesColour,
} from '../../components/charts/chart-data.ts';
import type { Overview, Usage } from './calls.ts';
import type { TimeStep } from './range.ts';

/** The first second of the local hour, day or week (from Monday) that contains a moment. */
export function bucketStart(sec: number, step: TimeStep): number {
  const date = new Date(sec * 1000);
  date.setMinutes(0, 0, 0);
  if (step !== 'hour') date.setHours(0);
  if (step === 'week') date.setDate(date.getDate() - ((date.getDay() + 6) % 7));
  return date.getTime() / 1000;
}

/** A day may not have 24 hours, so the next one is computed by date. */
function nextBucket(sec: number, step: TimeStep): number {
  const date = new Date(sec * 1000);
  if (step === 'hour') return sec + 3600;
  date.setDate(date.getDate() + (step === 'day' ? 1 : 7));
  return date.getTime() / 1000;
}

/** All buckets from the start's to the end's, including empty ones. */
export function bucketStarts(startSec: number, endSec: number, step: TimeStep): readonly number[] {
  const starts: number[] = [];
  const first = bucketStart(startSec, step);
  for (let at = first; at <= endSec; at = nextBucket(at, step)) starts.push(at);
  return starts;
}

/** `14:00` within a day, `11-21 14:00` beyond it, `11-21` for days, `11-16 ~` for weeks. */
export function bucketLabel(sec: number, step: TimeStep, isOneDay: boolean): string {
  const date = new Date(sec * 1000);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const hour = `${two(date.getHours())}:00`;
  if (step === 'hour') return isOneDay ? hour : `${day} ${hour}`;
  return step === 'day' ? day : `${day} ~`;
}

const DAY_SEC = 86_400;

function labelsOf(starts: readonly number[], step: TimeStep): readonly string[] {
  const isOneDay = (starts.at(-1) ?? 0) - (starts[0] ?? 0) < DAY_SEC;
  return starts.map((start) => bucketLabel(start, step, isOneDay));
}

/** The first second after a bucket. */
export function bucketEnd(start: number, step: TimeStep): number {
  return nextBucket(start, step);
}

export interface ModelSeries {
  readonly points: readonly ChartPoint[];
  readonly series: readonly ChartSeries[];
  /** Sum of each series over the whole range, in the order of the series. */
  readonly sums: readonly number[];
}

const MAX_MODELS = 8;

/** Usage by model per bucket: the largest eight by name, the rest combined, last and grey. */
export function modelSeries(
  rows: readonly Usage[],
  starts: readonly number[],
  step: TimeStep,
  other: string,
): ModelSeries {
  const sums = new Map<string, number>();
  for (const { model_name: model, quota } of rows) sums.set(model, (sums.get(model) ?? 0) + quota);
  const ranked = [...sums].sort(([a, one], [b, two]) => two - one || (a < b ? -1 : 1));
  const named = ranked.slice(0, MAX_MODELS).map(([model]) => model);
  const hasRest = ranked.length > MAX_MODELS;
  // Model names contain dots, which the chart would read as a path.
  const keys = new Map(named.map((model, index) => [model, `m${index}`]));
  const labels = labelsOf(starts, step);
  const columns = [...keys.values(), ...(hasRest ? [REST] : [])];
  const cells = new Map(
    starts.map((start, index) => [
      start,
      { x: labels[index] ?? '', ...Object.fromEntries(columns.map((key) => [key, 0])) } as Cell,
    ]),
  );
  for (const { model_name: model, created_at: at, quota } of rows) {
    const cell = cells.get(bucketStart(at, step));
    const key = keys.get(model) ?? REST;
    if (cell !== undefined) cell[key] = Number(cell[key] ?? 0) + quota;
  }
  return {
    points: [...cells.values()],
    series: [
      ...named.map((model, index) => ({
        key: `m${index}`,
        name: model,
        colour: seriesColour(model),
      })),
      ...(hasRest ? [{ key: REST, name: other, colour: OTHER_COLOUR }] : []),
    ],
    sums: [
      ...ranked.slice(0, MAX_MODELS).map(([, sum]) => sum),
      ...(hasRest ? [ranked.slice(MAX_MODELS).reduce((all, [, sum]) => all + sum, 0)] : []),
    ],
  };
}

const REST = 'rest';

interface Cell {
  readonly x: string;
  [series: string]: number | string;
}

export type StepFigures = Overview['series'][number];

/** One point per step of the overview; an unknown value leaves a gap. */
export function stepPoints(
  series: readonly StepFigures[],
  step: TimeStep,
  figures: Readonly<Record<string, (figures: StepFigures) => number | null>>,
): readonly ChartPoint[] {
  const labels = labelsOf(
    series.map(({ start }) => start),
    step,
  );
  return series.map((one, index) => {
    const values = Object.entries(figures)
      .map(([key, figure]) => [key, figure(one)] as const)
      .filter((entry): entry is readonly [string, number] => entry[1] !== null);
    return { x: labels[index] ?? '', ...Object.fromEntries(values) };
  });
}

/** Relative change from the previous value; undefined if that was zero. */
export function changeOf(now: number, before: number): number | undefined {
  return before === 0 ? undefined : (now - before) / before;
}
