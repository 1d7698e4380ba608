/** Accounts share the time of the event loop, not the number of their calls. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Slices, turnOf } from '../../../src/relay/body/event-loop-slices.ts';

const HEAVY = 1;
const LIGHT = 2;

test('light calls of one account go before most expensive ones of another', async () => {
  const ended: number[] = [];
  const call = async (account: number, ms: number) => {
    await new Slices(account).next();
    busyFor(ms);
    ended.push(account);
  };
  const heavy = Array.from({ length: 30 }, () => call(HEAVY, 8));
  const light = Array.from({ length: 30 }, () => call(LIGHT, 0));
  await Promise.all([...heavy, ...light]);
  expect(ended).toHaveLength(60);
  const before = ended.slice(0, ended.lastIndexOf(LIGHT)).filter((account) => account === HEAVY);
  expect(before.length).toBeLessThan(15);
});

test('expensive calls go on while light ones of another account keep coming', async () => {
  let ended = 0;
  const heavy = Array.from({ length: 5 }, async () => {
    await new Slices(HEAVY).next();
    busyFor(8);
    ended += 1;
  });
  const stops = Promise.all(heavy);
  while (ended < 5) {
    await turnOf(LIGHT);
    busyFor(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await stops;
  expect(ended).toBe(5);
});

test('expensive calls leave half of the time to other accounts while these make calls', async () => {
  const startedMs = performance.now();
  let usedMs = 0;
  const heavy = Array.from({ length: 6 }, async () => {
    await new Slices(HEAVY).next();
    busyFor(8);
    usedMs += 8;
  });
  const all = Promise.all(heavy).then(() => 'ended');
  for (let isRunning = true; isRunning; ) {
    await turnOf(LIGHT);
    await turnOf(HEAVY + 2);
    isRunning = (await Promise.race([all, pause(1)])) !== 'ended';
  }
  // No rest follows the last one.
  expect(performance.now() - startedMs).toBeGreaterThan(usedMs + 5 * 7);
});

test('a call waits only when a turn has no time left', async () => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(turnOf(LIGHT)).toBeUndefined();
  busyFor(10);
  const turn = turnOf(LIGHT);
  expect(turn).toBeInstanceOf(Promise);
  await turn;
});

function busyFor(ms: number): void {
  const endsMs = performance.now() + ms;
  while (performance.now() < endsMs);
}
