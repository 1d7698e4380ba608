/** Checks how calls in flight are counted and waited for. */
import { expect, test } from 'vitest';
import { InFlight } from '../../../src/relay/stages/in-flight.ts';

test('shutdown waits for all calls, also for those that begin meanwhile', async () => {
  const inFlight = new InFlight();
  const endFirst = inFlight.begin();
  let isSettled = false;
  const waiting = inFlight.settled().then(() => {
    isSettled = true;
  });
  const endSecond = inFlight.begin();
  endFirst();
  await new Promise((resolve) => setImmediate(resolve));
  expect([inFlight.size, isSettled]).toEqual([1, false]);
  endSecond();
  await waiting;
  expect(inFlight.size).toBe(0);
});

test('a call that ends twice is counted once', () => {
  const inFlight = new InFlight();
  const end = inFlight.begin();
  inFlight.begin();
  end();
  end();
  expect(inFlight.size).toBe(1);
});

test('a call that fails is no longer in flight', async () => {
  const inFlight = new InFlight();
  await expect(inFlight.track(Promise.reject(new Error('no')))).rejects.toThrow('no');
  await inFlight.settled();
  expect(inFlight.size).toBe(0);
});
