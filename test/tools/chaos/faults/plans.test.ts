/** Checks that the chaos run draws from all faults possible with the database engine. */
import { expect, test } from 'vitest';
import { seededRandom } from '../../../support/random.ts';
import { DATABASES, type DatabaseKind } from '../site/database.ts';
import { FAULTS } from './faults.ts';
import { drawFaults, ONCE } from './plans.ts';

const NODES = 3;
const MIGRATION = 'migration behind a long reader';
const ALONE = [
  MIGRATION,
  'restart of a node while redis is away',
  'restart of a node while the database is away',
];

test.each(Object.keys(DATABASES) as DatabaseKind[])('draws every fault possible on %s', (kind) => {
  const random = seededRandom(1);
  const rounds = Array.from({ length: 2_000 }, () => drawFaults(random, kind, NODES));
  const names = new Set(rounds.flat().map(({ name }) => name));
  const possible = Object.keys(FAULTS).filter((name) => kind === 'postgres' || name !== MIGRATION);
  expect([...names].sort()).toEqual(possible.sort());
  for (const { name, node, lastsMs } of rounds.flat()) {
    const [from, to] = FAULTS[name].lasts;
    expect(lastsMs).toBeGreaterThanOrEqual(from * 1_000);
    expect(lastsMs).toBeLessThanOrEqual(to * 1_000);
    expect(node).toBeLessThan(NODES);
  }
  const two = rounds.filter((round) => round.length > 1).flat();
  expect(two.length).toBeGreaterThan(100);
  expect(two.filter(({ name }) => ALONE.includes(name))).toEqual([]);
});

test('draws the same faults for the same seed', () => {
  const [one, other] = [seededRandom(7), seededRandom(7)];
  expect(drawFaults(one, 'postgres', NODES)).toEqual(drawFaults(other, 'postgres', NODES));
});

test('--once runs each of its faults once, on an existing node, within 30 seconds in total', () => {
  const plans = ONCE.flat();
  expect(new Set(plans.map(({ name }) => name)).size).toBe(plans.length);
  expect(plans.every(({ node }) => node < NODES)).toBe(true);
  const lastsMs = ONCE.map((round) => Math.max(...round.map((plan) => plan.lastsMs)));
  expect(lastsMs.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(30_000);
});
