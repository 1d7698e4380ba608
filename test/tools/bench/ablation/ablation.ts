/**
 * `npm run bench -- --ablation`: what each part costs a plain call. For each part a gateway is built
 * without it and measured in turn with the whole one; the floor is measured without its parts, too.
 */
import { rmSync } from 'node:fs';
import { type Cost, costsIn } from '../build-costs.ts';
import { startGateway } from '../environment/environment.ts';
import { startFloor } from '../environment/floor.ts';
import { round } from '../load.ts';
import { PARTS, type Part } from './parts.ts';
import { buildVariant } from './variant.ts';

const FLOOR_PARTS = ['fastify', 'sqlite', 'upstream'] as const;
/** Gateways that run at the same time; each needs some 130 MB. */
const AT_ONCE = 8;
const WHOLE = 'whole';
/** Shows how far two equal builds differ. */
const CONTROL: Part = { title: 'nothing: the same build', stubs: [] };

/** Prints the table of docs/performance.md; `word` selects the parts whose title contains it. */
export async function measureParts(word: string): Promise<void> {
  const parts = [CONTROL, ...PARTS].filter(({ title }) => title.includes(word));
  console.log('| part | us of a call | +- | % |\n|---|--:|--:|--:|');
  for (let at = 0; at < parts.length; at += AT_ONCE)
    printAll(await costsOf(parts.slice(at, at + AT_ONCE)));
  if (word === '') printAll(await floorCosts());
}

function printAll(costs: readonly Cost[]): void {
  console.log(`| the whole call | ${round(costs[0]?.wholeUs ?? Number.NaN)} | | |`);
  for (const cost of costs) print(cost);
}

function print({ title, us, spreadUs, wholeUs }: Cost): void {
  const share = round((100 * us) / wholeUs);
  console.log(`| ${title} | ${round(us)} | ${round(spreadUs)} | ${share} |`);
}

async function costsOf(parts: readonly Part[]): Promise<Cost[]> {
  const folders = await inTurn(parts, ({ stubs }) => buildVariant(stubs));
  const titles = [WHOLE, ...parts.map(({ title }) => title)];
  const options = { withPairs: false };
  try {
    return await costsIn(titles, async (upstream) => [
      await startGateway(upstream, options),
      ...(await inTurn(folders, (project) => startGateway(upstream, { ...options, project }))),
    ]);
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
}

function floorCosts(): Promise<Cost[]> {
  const titles = [WHOLE, ...FLOOR_PARTS.map((name) => `of the floor: ${name}`)];
  return costsIn(titles, async (upstream) => [
    await startFloor(upstream),
    ...(await inTurn(FLOOR_PARTS, (without) => startFloor(upstream, { without }))),
  ]);
}

async function inTurn<T, U>(list: readonly T[], work: (one: T) => Promise<U>): Promise<U[]> {
  const done: U[] = [];
  for (const one of list) done.push(await work(one));
  return done;
}
