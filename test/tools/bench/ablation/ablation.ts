/**
 * `npm run bench -- --ablation`: what each part costs a plain call. For each part a gateway is built
 * without it and measured in turn with the whole one; the floor is measured without its parts, too.
 */
import { rmSync } from 'node:fs';
import {
  interleaved,
  round,
  type Side,
  sideOf,
  startGateway,
  startMock,
} from '../environment/environment.ts';
import { startFloor } from '../environment/floor.ts';
import { median } from '../load.ts';
import { plainCalls } from '../parts.ts';
import { PARTS, type Part } from './parts.ts';
import { buildVariant } from './variant.ts';

const FLOOR_PARTS = ['fastify', 'sqlite', 'upstream'] as const;
/** Gateways that run at the same time; each needs some 130 MB. */
const AT_ONCE = 8;
/** With new processes each time, because two of the same build differ by a tenth. */
const SERIES = 5;
const SIZE = { rounds: 5, warmUps: 6 };
const CALLS = 1_000;
const WHOLE = 'whole';
/** Shows how far two equal builds differ. */
const CONTROL: Part = { title: 'nothing: the same build', stubs: [] };

interface Cost {
  readonly title: string;
  /** The median of the series. */
  readonly us: number;
  /** Half the distance between the lowest and the highest series but one. */
  readonly spreadUs: number;
  readonly wholeUs: number;
}

/** Prints the table of docs/performance.md; `word` selects the parts whose title contains it. */
export async function measureParts(word: string): Promise<void> {
  const parts = [CONTROL, ...PARTS].filter(({ title }) => title.includes(word));
  console.log('| part | us of a call | +- | % |\n|---|--:|--:|--:|');
  for (let at = 0; at < parts.length; at += AT_ONCE)
    for (const cost of await costsOf(parts.slice(at, at + AT_ONCE))) print(cost);
  if (word === '') for (const cost of await floorCosts()) print(cost);
}

function print({ title, us, spreadUs, wholeUs }: Cost): void {
  const share = round((100 * us) / wholeUs);
  console.log(`| ${title} | ${round(us)} | ${round(spreadUs)} | ${share} |`);
}

async function costsOf(parts: readonly Part[]): Promise<Cost[]> {
  const folders = await inTurn(parts, ({ stubs }) => buildVariant(stubs));
  const titles = [WHOLE, ...parts.map(({ title }) => title)];
  const mock = await startMock();
  const options = { withPairs: false };
  try {
    return await costsIn(titles, async () => [
      await startGateway(mock.url, options),
      ...(await inTurn(folders, (project) => startGateway(mock.url, { ...options, project }))),
    ]);
  } finally {
    await mock.stop();
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
}

async function floorCosts(): Promise<Cost[]> {
  const titles = [WHOLE, ...FLOOR_PARTS.map((name) => `of the floor: ${name}`)];
  const mock = await startMock();
  try {
    return await costsIn(titles, async () => [
      await startFloor(mock.url),
      ...(await inTurn(FLOOR_PARTS, (without) => startFloor(mock.url, { without }))),
    ]);
  } finally {
    await mock.stop();
  }
}

type Started = Awaited<ReturnType<typeof startGateway>> | Awaited<ReturnType<typeof startFloor>>;

/** `start` starts the whole build and then the others, in the order of their titles. */
async function costsIn(
  titles: readonly string[],
  start: () => Promise<readonly Started[]>,
): Promise<Cost[]> {
  const series: Readonly<Record<string, number>>[] = [];
  for (let number = 0; number < SERIES; number += 1) {
    const started = await start();
    try {
      series.push(await costPerCall(started.map((one, at) => sideOf(titles[at] ?? '', one))));
    } finally {
      await Promise.all(started.map((one) => one.stop()));
    }
  }
  const wholeUs = median(series.map((costs) => costs[WHOLE] ?? Number.NaN));
  console.log(`| the whole call | ${round(wholeUs)} | | |`);
  return titles.slice(1).map((title) => {
    const differences = series
      .map((costs) => (costs[WHOLE] ?? Number.NaN) - (costs[title] ?? Number.NaN))
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

async function inTurn<T, U>(list: readonly T[], work: (one: T) => Promise<U>): Promise<U[]> {
  const done: U[] = [];
  for (const one of list) done.push(await work(one));
  return done;
}
