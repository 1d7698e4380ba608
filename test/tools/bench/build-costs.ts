/** Compares the cost of a plain call between builds that run beside each other. */
import {
  interleaved,
  type Side,
  sideOf,
  type startGateway,
  startMock,
} from './environment/environment.ts';
import type { startFloor } from './environment/floor.ts';
import { median } from './load.ts';
import { plainCalls } from './parts.ts';

/** With new processes each time, because two of the same build differ by a tenth. */
const SERIES = 5;
const SIZE = { rounds: 5, warmUps: 6 };
const CALLS = 1_000;

export interface Cost {
  readonly title: string;
  /** How much less than the first build, the median of the series. */
  readonly us: number;
  /** Half the distance between the lowest and the highest series but one. */
  readonly spreadUs: number;
  /** The first build. */
  readonly wholeUs: number;
}

type Started = Awaited<ReturnType<typeof startGateway>> | Awaited<ReturnType<typeof startFloor>>;

/**
 * What each build costs less than the first one. `start` starts the builds for an upstream in the
 * order of their titles.
 */
export async function costsIn(
  titles: readonly string[],
  start: (upstream: string) => Promise<readonly Started[]>,
): Promise<Cost[]> {
  const mock = await startMock();
  try {
    return await costsOver(titles, () => start(mock.url));
  } finally {
    await mock.stop();
  }
}

async function costsOver(
  titles: readonly string[],
  start: () => Promise<readonly Started[]>,
): Promise<Cost[]> {
  const [first = ''] = titles;
  const series: Readonly<Record<string, number>>[] = [];
  for (let number = 0; number < SERIES; number += 1) {
    const started = await start();
    try {
      series.push(await costPerCall(started.map((one, at) => sideOf(titles[at] ?? '', one))));
    } finally {
      await Promise.all(started.map((one) => one.stop()));
    }
  }
  const wholeUs = median(series.map((costs) => costs[first] ?? Number.NaN));
  return titles.slice(1).map((title) => {
    const differences = series
      .map((costs) => (costs[first] ?? Number.NaN) - (costs[title] ?? Number.NaN))
      .toSorted((one, other) => one - other);
    const spreadUs = ((differences.at(-2) ?? Number.NaN) - (differences[1] ?? Number.NaN)) / 2;
    return { title, us: median(differences), spreadUs, wholeUs };
  });
}

async function costPerCall(sides: readonly Side[]): Promise<Record<string, number>> {
  const figures = await interleaved(
    sides,
    SIZE,
    (target) => plainCalls(target, CALLS),
    (_, cpuUs) => ({ us: cpuUs / CALLS }),
  );
  return Object.fromEntries(
    Object.entries(figures).map(([title, { us = Number.NaN }]) => [title, us]),
  );
}
