/**
 * `npm run bench -- --ratio`: the gateway's CPU time per call divided by that of the floor
 * (`floor.mjs`), and per event by that of a minimal relay (`bare.mjs`), each pair measured in the
 * same minute, compared with `baseline.json`. The speed of the machine cancels out, so a check can
 * fail on it. `--keep` writes the baseline.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  bareSide,
  MODELS,
  type Side,
  sideOf,
  startBare,
  startGateway,
  startMock,
  verifyLedger,
} from './environment/environment.ts';
import { startFloor } from './environment/floor.ts';
import { cpuUsOf } from './environment/processes.ts';
import { chatStream, plainLoad, round, streamLoad, type Target } from './load.ts';
import { EVENTS } from './pairs.ts';

const BASELINE = path.join(import.meta.dirname, 'baseline.json');
const MOST = 1.15;
const TRIES = 3;
const CONCURRENCY = 32;

interface Part {
  readonly name: string;
  /** What the gateway is divided by. */
  readonly base: 'floor' | 'bare';
  /** The number of units that one load counts. */
  readonly pieces: number;
  readonly load: (target: Target) => Promise<{ readonly bad: number }>;
  readonly warmUps: number;
  readonly rounds: number;
}

const CALLS = 1_000;
const STREAMS = 30;

const PARTS: readonly Part[] = [
  {
    name: 'call',
    base: 'floor',
    pieces: CALLS,
    load: async (target) => {
      const { failed } = await plainLoad(target, MODELS.plain, CALLS, CONCURRENCY);
      return { bad: failed };
    },
    warmUps: 10,
    rounds: 12,
  },
  {
    name: 'event',
    base: 'bare',
    pieces: STREAMS * EVENTS,
    load: async (target) => {
      const request = chatStream(MODELS.flushed);
      const { incomplete } = await streamLoad(target, request, STREAMS, 8);
      return { bad: incomplete };
    },
    warmUps: 6,
    rounds: 12,
  },
];

type Ratios = Readonly<Record<string, number>>;

/**
 * A disturbance passes, a regression stays: a value above the baseline is measured again, and the
 * lowest of `TRIES` counts. @throws Error if that is more than 15 % above the baseline, or calls
 * fail.
 */
export async function compareWithBaseline(keep: boolean): Promise<void> {
  const [major = ''] = process.versions.node.split('.');
  const kept: Record<string, Ratios> = JSON.parse(readFileSync(BASELINE, 'utf8'));
  if (keep) {
    const ratios = await measureRatios(PARTS);
    writeFileSync(BASELINE, `${JSON.stringify({ ...kept, [major]: ratios }, null, 2)}\n`);
    return;
  }
  const baseline = kept[major];
  if (baseline === undefined) {
    console.log(`no baseline for Node ${major}: nothing to compare with`);
    return;
  }
  let worse = Object.keys(baseline);
  for (let tried = 0; tried < TRIES && worse.length > 0; tried += 1) {
    const ratios = await measureRatios(PARTS.filter(({ name }) => worse.includes(name)));
    for (const [name, ratio] of Object.entries(ratios))
      console.log(`${name}: ratio ${ratio}, baseline ${baseline[name]}`);
    worse = worse.filter((name) => (ratios[name] ?? Infinity) > (baseline[name] ?? 0) * MOST);
  }
  if (worse.length > 0)
    throw new Error(
      `more than 15 % above the baseline: ${worse.join(', ')} ` +
        '(where that is wanted: npm run bench -- --ratio --keep)',
    );
}

async function measureRatios(parts: readonly Part[]): Promise<Ratios> {
  const mock = await startMock();
  const [bare, floor] = [await startBare(mock.url), await startFloor(mock.url)];
  const bases = { bare: bareSide(bare), floor: sideOf('floor', floor) };
  const gateway = await startGateway(mock.url, { withPairs: false });
  try {
    const ratios: Record<string, number> = {};
    for (const part of parts)
      ratios[part.name] = await ratioOf(part, bases[part.base], sideOf('gateway', gateway));
    await verifyLedger(gateway, 'the ratio');
    await floor.verify();
    return ratios;
  } finally {
    await gateway.stop();
    await floor.stop();
    await bare.stop();
    await mock.stop();
  }
}

/** Over all rounds. The sides alternate, so that disturbances of the machine affect both. */
async function ratioOf(part: Part, base: Side, gateway: Side): Promise<number> {
  const sides = [base, gateway];
  for (const { target } of sides)
    for (let at = 0; at < part.warmUps; at += 1) await part.load(target);
  const spentUs = new Map<string, number>();
  for (let at = 0; at < part.rounds; at += 1) {
    for (const { name, target, pids } of sides) {
      const before = cpuUsOf(pids);
      const { bad } = await part.load(target);
      if (bad > 0) throw new Error(`${bad} of ${name} failed`);
      spentUs.set(name, (spentUs.get(name) ?? 0) + cpuUsOf(pids) - before);
    }
  }
  const pieces = part.rounds * part.pieces;
  const lines = [...spentUs].map(([name, us]) => `${name} ${round(us / pieces)} us`);
  console.log(`${part.name}: ${lines.join(', ')}`);
  return round((spentUs.get(gateway.name) ?? 0) / (spentUs.get(base.name) ?? 1));
}
