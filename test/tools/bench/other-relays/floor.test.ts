import { expect, test } from 'vitest';
import { startMock } from '../environment/environment.ts';
import { startFloor } from '../environment/floor.ts';
import { plainCalls } from '../parts.ts';

test.each([false, true])('the floor charges each call once, with holds: %s', async (withHolds) => {
  const mock = await startMock();
  const floor = await startFloor(mock.url, { accounts: 10, withHolds });
  try {
    const target = { url: floor.url, key: floor.key, keys: floor.accountKeys };
    expect(await plainCalls(target, 60)).toHaveLength(60);
    await floor.verify();
  } finally {
    await floor.stop();
    await mock.stop();
  }
});
