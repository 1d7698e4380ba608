/** All metric series of this process, by their names in the catalogue. */
import { type HistogramName, type NumberName, SERIES } from './catalogue.ts';
import {
  type HistogramCell,
  histogramFamily,
  type MetricCell,
  type MetricFamily,
  type NumberCell,
  numberFamily,
  recordInHistogram,
  type SeriesRow,
  type SeriesState,
} from './series.ts';

export class MetricRegistry {
  readonly #numbers = new Map<string, MetricFamily<NumberCell>>();
  readonly #histograms = new Map<string, MetricFamily<HistogramCell>>();
  readonly #order: MetricFamily<MetricCell>[] = [];

  constructor() {
    for (const [name, row] of Object.entries<SeriesRow>(SERIES)) {
      if (row.kind === 'histogram') {
        const family = histogramFamily(name, row);
        this.#histograms.set(name, family);
        this.#order.push(family);
      } else {
        const family = numberFamily(name, row);
        this.#numbers.set(name, family);
        this.#order.push(family);
      }
    }
  }

  number(name: NumberName): MetricFamily<NumberCell> {
    return known(this.#numbers.get(name), name);
  }

  histogram(name: HistogramName): MetricFamily<HistogramCell> {
    return known(this.#histograms.get(name), name);
  }

  /** Returns a function that records values in one child. */
  recorder(name: HistogramName, ...labels: readonly string[]): (value: number) => void {
    const family = this.histogram(name);
    const cell = family.labelled(...labels);
    const bounds = family.row.buckets ?? [];
    return (value) => recordInHistogram(cell, bounds, value);
  }

  set(name: NumberName, value: number, ...labels: readonly string[]): void {
    this.number(name).labelled(...labels).value = value;
  }

  states(): SeriesState[] {
    return this.#order.map((family) => family.state());
  }
}

function known<F>(family: F | undefined, name: string): F {
  if (family === undefined) throw new Error(`no series of this kind is called ${name}`);
  return family;
}
