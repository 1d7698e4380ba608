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
import { plainCalls } from '../parts.ts';
import { PARTS, type Part } from './parts.ts';
import { buildVariant } from './variant.ts';

const FLOOR_PARTS = ['fastify', 'sqlite', 'upstream'] as const;
/** Gateways that run at the same time; each needs some 130 MB. */
const AT_ONCE = 5;
const SIZE = { rounds: 31, warmUps: 12 };
const CALLS = 1_000;
const WHOLE = 'whole';

interface Cost {
  readonly title: string;
  readonly us: number;
  readonly wholeUs: number;
}

/** Prints the table of docs/performance.md; `word` selects the parts whose title contains it. */
export async function measureParts(word: string): Promise<void> {
  const parts = PARTS.filter(({ title }) => title.includes(word));
  const costs: Cost[] = [];
  for (let at = 0; at < parts.length; at += AT_ONCE)
    costs.push(...(await costsOf(parts.slice(at, at + AT_ONCE))));
  const floor = word === '' ? await floorCosts() : [];
  console.log('| part | us of a call | % |\n|---|--:|--:|');
  for (const { title, us, wholeUs } of [...costs, ...floor])
    console.log(`| ${title} | ${round(us)} | ${round((100 * us) / wholeUs)} |`);
}

async function costsOf(parts: readonly Part[]): Promise<Cost[]> {
  const folders = await inTurn(parts, ({ stubs }) => buildVariant(stubs));
  const mock = await startMock();
  const options = { withPairs: false };
  const gateways = [
    await startGateway(mock.url, options),
    ...(await inTurn(folders, (project) => startGateway(mock.url, { ...options, project }))),
  ];
  try {
    const titles = [WHOLE, ...parts.map(({ title }) => title)];
    return await differences(gateways.map((gateway, at) => sideOf(titles[at] ?? '', gateway)));
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await mock.stop();
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
}

async function floorCosts(): Promise<Cost[]> {
  const mock = await startMock();
  const floors = [
    await startFloor(mock.url),
    ...(await inTurn(FLOOR_PARTS, (without) => startFloor(mock.url, { without }))),
  ];
  try {
    const titles = [WHOLE, ...FLOOR_PARTS.map((name) => `of the floor: ${name}`)];
    return await differences(floors.map((floor, at) => sideOf(titles[at] ?? '', floor)));
  } finally {
    await Promise.all(floors.map((floor) => floor.stop()));
    await mock.stop();
  }
}

async function differences(sides: readonly Side[]): Promise<Cost[]> {
  const figures = await interleaved(
    sides,
    SIZE,
    (target) => plainCalls(target, CALLS),
    (_, cpuUs) => ({ us: cpuUs / CALLS }),
  );
  const wholeUs = figures[WHOLE]?.us ?? Number.NaN;
  console.log(`whole: ${wholeUs} us`);
  return Object.entries(figures)
    .filter(([title]) => title !== WHOLE)
    .map(([title, row]) => ({ title, us: wholeUs - (row.us ?? Number.NaN), wholeUs }));
}

async function inTurn<T, U>(list: readonly T[], work: (one: T) => Promise<U>): Promise<U[]> {
  const done: U[] = [];
  for (const one of list) done.push(await work(one));
  return done;
}
