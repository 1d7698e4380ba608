/** All metric series of this process, by their names in the catalogue. */
import { type HistogramName, type NumberName, SERIES } from './catalogue.ts';
import {
  type Cell,
  type Family,
  type HistogramCell,
  histogramFamily,
  type NumberCell,
  numberFamily,
  observe,
  type SeriesRow,
  type SeriesState,
} from './series.ts';

export class Figures {
  readonly #numbers = new Map<string, Family<NumberCell>>();
  readonly #histograms = new Map<string, Family<HistogramCell>>();
  readonly #order: Family<Cell>[] = [];

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

  number(name: NumberName): Family<NumberCell> {
    return known(this.#numbers.get(name), name);
  }

  histogram(name: HistogramName): Family<HistogramCell> {
    return known(this.#histograms.get(name), name);
  }

  /** Returns a function that records values in one child. */
  meter(name: HistogramName, ...labels: readonly string[]): (value: number) => void {
    const family = this.histogram(name);
    const cell = family.with(...labels);
    const bounds = family.row.buckets ?? [];
    return (value) => observe(cell, bounds, value);
  }

  set(name: NumberName, value: number, ...labels: readonly string[]): void {
    this.number(name).with(...labels).value = value;
  }

  states(): SeriesState[] {
    return this.#order.map((family) => family.state());
  }
}

function known<F>(family: F | undefined, name: string): F {
  if (family === undefined) throw new Error(`no series of this kind is called ${name}`);
  return family;
}
