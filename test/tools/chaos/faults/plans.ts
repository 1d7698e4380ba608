/** The schedule of faults: random, or the fixed list of `--once`. */
import type { DatabaseKind } from '../site/database.ts';
import { FAULTS, type Fault, type FaultName } from './faults.ts';

export interface Plan {
  readonly name: FaultName;
  /** Index of the node, from 0. */
  readonly node: number;
  readonly lastsMs: number;
}

const SHARE_OF_PAIRS = 0.2;

/**
 * Each fault lasts just long enough to be noticed. The restart while the database is away also
 * kills a node and the database; it comes after the cuts, because it ends the connections they
 * leave behind.
 */
export const ONCE: readonly (readonly Plan[])[] = [
  [{ name: 'pause of a node', node: 1, lastsMs: 3_000 }],
  [{ name: 'pause of redis', node: 0, lastsMs: 2_000 }],
  [
    { name: 'cut node - database', node: 2, lastsMs: 4_000 },
    { name: 'cut node - redis', node: 1, lastsMs: 3_000 },
    { name: 'cut nginx - node', node: 0, lastsMs: 3_000 },
  ],
  [{ name: 'database cut from all nodes', node: 0, lastsMs: 4_000 }],
  [{ name: 'restart of a node while the database is away', node: 2, lastsMs: 1_500 }],
  [{ name: 'restart of a node while redis is away', node: 0, lastsMs: 1_500 }],
  [{ name: 'migration behind a long reader', node: 0, lastsMs: 2_000 }],
  [{ name: 'slow database', node: 0, lastsMs: 2_500 }],
  [{ name: 'cut node - provider', node: 0, lastsMs: 2_500 }],
];

export function isPossible(name: FaultName, kind: DatabaseKind): boolean {
  const { only = kind }: Fault = FAULTS[name];
  return only === kind;
}

/** Draws one fault, sometimes two. `random` returns numbers in [0, 1). */
export function drawFaults(random: () => number, kind: DatabaseKind, nodes: number): Plan[] {
  const all = Object.keys(FAULTS) as FaultName[]; // the table's keys
  const names = all.filter((name) => isPossible(name, kind));
  const plan = (): Plan => {
    const name = names[Math.floor(random() * names.length)] ?? 'kill -9 of a node';
    const [from, to] = FAULTS[name].lasts;
    const lastsMs = 1_000 * (from + random() * (to - from));
    return { name, node: Math.floor(random() * nodes), lastsMs };
  };
  const [first, second] = [plan(), plan()];
  const areTwo = random() < SHARE_OF_PAIRS && second.name !== first.name;
  return areTwo && !isAlone(first) && !isAlone(second) ? [first, second] : [first];
}

function isAlone({ name }: Plan): boolean {
  const fault: Fault = FAULTS[name];
  return fault.isAlone === true;
}
