/** Chart data, independent of rendering. */
import { hashOf } from '../display/tones.ts';

export interface ChartSeries {
  readonly key: string;
  readonly name: string;
  /** A CSS colour; `seriesColour` returns the same one for the same name everywhere. */
  readonly colour: string;
}

/** A point of the time axis: `x` is its label, the rest a number per series; absent if unknown. */
export interface ChartPoint {
  readonly x: string;
  readonly [series: string]: number | string;
}

export interface ChartSlice {
  readonly name: string;
  readonly value: number;
  readonly colour: string;
}

export type ChartData =
  | {
      readonly kind: 'bars' | 'stacked-bars' | 'lines' | 'areas';
      readonly points: readonly ChartPoint[];
      readonly series: readonly ChartSeries[];
    }
  | { readonly kind: 'donut'; readonly slices: readonly ChartSlice[] };

/** A value as text. `largest` is that of the chart, which decides how fine its values must be. */
export type ChartFormat = (value: number, largest: number) => string;

/** The largest value; that of a stack is its sum. */
export function largestIn(data: ChartData): number {
  if (data.kind === 'donut') return Math.max(0, ...data.slices.map(({ value }) => value));
  const { kind, points, series } = data;
  const isStacked = kind === 'stacked-bars' || kind === 'areas';
  const heights = points.map((point) => {
    const sizes = series.map(({ key }) => Math.abs(Number(point[key] ?? 0)));
    return isStacked ? sizes.reduce((sum, size) => sum + size, 0) : Math.max(0, ...sizes);
  });
  return Math.max(0, ...heights);
}

const COLOURS = 8;

const coloursTaken = new Map<string, number>();

/**
 * A name keeps its colour across all charts until the page is reloaded: the colour of its hash, or
 * the next free one. Once all are taken, names share colours.
 */
export function seriesColour(name: string): string {
  const slot = coloursTaken.get(name) ?? slotOf(name);
  return `var(--series-${slot + 1})`;
}

function slotOf(name: string): number {
  const wanted = hashOf(name) % COLOURS;
  const taken = new Set(coloursTaken.values());
  const free = Array.from({ length: COLOURS }, (_, step) => (wanted + step) % COLOURS);
  const slot = free.find((one) => !taken.has(one)) ?? wanted;
  coloursTaken.set(name, slot);
  return slot;
}

/** For series folded into "Other": last and grey. */
export const OTHER_COLOUR = 'var(--series-other)';

/** Header and rows of the chart's data, for the table view and the CSV. */
export function chartRows(data: ChartData): { head: string[]; rows: (string | number)[][] } {
  if (data.kind === 'donut') {
    return { head: ['', ''], rows: data.slices.map(({ name, value }) => [name, value]) };
  }
  const { points, series } = data;
  return {
    head: ['', ...series.map(({ name }) => name)],
    rows: points.map((point) => [point.x, ...series.map(({ key }) => point[key] ?? '')]),
  };
}

/** A press isolates one series, or shows all again if it was isolated; Shift adds or removes it. */
export function toggledSeries(
  isolated: readonly string[],
  key: string,
  isAdding: boolean,
): string[] {
  const has = isolated.includes(key);
  if (isAdding) return has ? isolated.filter((one) => one !== key) : [...isolated, key];
  return has && isolated.length === 1 ? [] : [key];
}

/** RFC 4180; neutralizes text that a spreadsheet would run as a formula. */
export function csvText(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  return [head, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n');
}

function csvCell(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
