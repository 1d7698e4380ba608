/**
 * Counters, gauges and histograms as plain numbers. Frequent users look a child up once and keep
 * it, so that counting is a single addition (docs/decisions/0005-own-series.md).
 */

export interface SeriesRow {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels?: readonly string[];
  /** Upper bounds of a histogram, ascending, without +Inf. */
  readonly buckets?: readonly number[];
  /** How the values of a node's processes are combined; default sum. */
  readonly across?: 'sum' | 'max';
}

export interface NumberCell {
  value: number;
}

export interface HistogramCell {
  /** Observations per bucket, not cumulative; the last is +Inf. */
  readonly counts: number[];
  sum: number;
}

export type MetricCell = NumberCell | HistogramCell;

/** Snapshot of one series, also sent between processes. */
export interface SeriesState {
  readonly name: string;
  readonly row: SeriesRow;
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  /** Values of the row's labels, in the row's order. */
  readonly labels: readonly string[];
  readonly cell: MetricCell;
}

export class MetricFamily<C extends MetricCell> {
  readonly name: string;
  readonly row: SeriesRow;
  readonly #make: () => C;
  readonly #children = new Map<string, { readonly labels: readonly string[]; readonly cell: C }>();

  constructor(name: string, row: SeriesRow, make: () => C) {
    this.name = name;
    this.row = row;
    this.#make = make;
  }

  /** Values in the order of the row's labels. */
  labelled(...labels: readonly string[]): C {
    const key = labels.join('\n');
    const known = this.#children.get(key);
    if (known !== undefined) return known.cell;
    const cell = this.#make();
    this.#children.set(key, { labels, cell });
    return cell;
  }

  /** Clears gauges before they are read again, so that stale children disappear. */
  clear(): void {
    this.#children.clear();
  }

  state(): SeriesState {
    return { name: this.name, row: this.row, samples: [...this.#children.values()] };
  }
}

export function numberFamily(name: string, row: SeriesRow): MetricFamily<NumberCell> {
  return new MetricFamily(name, row, () => ({ value: 0 }));
}

export function histogramFamily(name: string, row: SeriesRow): MetricFamily<HistogramCell> {
  const size = (row.buckets?.length ?? 0) + 1;
  return new MetricFamily(name, row, () => ({ counts: new Array<number>(size).fill(0), sum: 0 }));
}

/** Records a value in a histogram with these bounds. */
export function recordInHistogram(
  cell: HistogramCell,
  bounds: readonly number[],
  value: number,
): void {
  let at = 0;
  while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
  cell.counts[at] = (cell.counts[at] ?? 0) + 1;
  cell.sum += value;
}

export function isHistogram(cell: MetricCell): cell is HistogramCell {
  return 'counts' in cell;
}

/** Combines the series of several processes into one set. */
export function mergeSeries(processes: readonly (readonly SeriesState[])[]): SeriesState[] {
  const found = new Map<string, { row: SeriesRow; samples: Map<string, MetricSample> }>();
  for (const { name, row, samples } of processes.flat()) {
    const series = found.get(name) ?? { row, samples: new Map<string, MetricSample>() };
    found.set(name, series);
    for (const sample of samples) {
      const key = sample.labels.join('\n');
      const known = series.samples.get(key);
      const cell = known === undefined ? sample.cell : mergeCells(known.cell, sample.cell, row);
      series.samples.set(key, { labels: sample.labels, cell });
    }
  }
  return [...found].map(([name, { row, samples }]) => ({
    name,
    row,
    samples: [...samples.values()],
  }));
}

function mergeCells(one: MetricCell, other: MetricCell, { across = 'sum' }: SeriesRow): MetricCell {
  if (isHistogram(one) && isHistogram(other))
    return {
      counts: one.counts.map((count, at) => count + (other.counts[at] ?? 0)),
      sum: one.sum + other.sum,
    };
  if (isHistogram(one) || isHistogram(other)) return one;
  return {
    value: across === 'max' ? Math.max(one.value, other.value) : one.value + other.value,
  };
}
