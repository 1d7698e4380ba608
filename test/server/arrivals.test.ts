import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { beginInTurn } from '../../src/server/connections/arrivals.ts';

/** Begins so many calls of a sender at once; they add their number to `begun`. */
function arrive(sender: string, calls: number, begun: string[]): void {
  const headers = { authorization: `Bearer ${sender}` };
  for (let call = 1; call <= calls; call++)
    beginInTurn(headers, () => begun.push(`${sender} ${call}`));
}

async function untilBegun(calls: number, begun: readonly string[]): Promise<number> {
  let turns = 0;
  for (; begun.length < calls; turns++) await turn();
  return turns;
}

describe('calls that arrive at once', () => {
  test('begin at once if they are few', async () => {
    const begun: string[] = [];
    arrive('few', 8, begun);
    expect(begun).toHaveLength(8);
    await turn();
  });

  test('begin in turns if they are many, each of them once and in order', async () => {
    const begun: string[] = [];
    arrive('many', 200, begun);
    expect(begun).toHaveLength(8);
    expect(await untilBegun(200, begun)).toBeGreaterThan(20);
    expect(begun).toEqual(Array.from({ length: 200 }, (_, at) => `many ${at + 1}`));
  });

  test('do not delay the call of another sender until all of them have begun', async () => {
    const begun: string[] = [];
    arrive('first', 200, begun);
    arrive('second', 1, begun);
    await untilBegun(201, begun);
    expect(begun.indexOf('second 1')).toBeLessThan(10);
  });

  test('of three senders take turns', async () => {
    const begun: string[] = [];
    for (const sender of ['a', 'b', 'c']) arrive(sender, 20, begun);
    await untilBegun(60, begun);
    const next = begun.slice(8, 14).map((call) => call.charAt(0));
    expect([...next].sort()).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
  });
});
