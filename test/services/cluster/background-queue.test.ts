import { describe, expect, it } from 'vitest';
import { createBackground } from '../../../src/services/cluster/background-queue.ts';
import { createLocalSite } from '../../support/local-site.ts';

describe('background work', () => {
  it('runs with limited concurrency, and completes every accepted item', async () => {
    const site = await createLocalSite();
    const background = createBackground(site.ctx.log);
    let running = 0;
    let most = 0;
    let done = 0;
    for (let piece = 0; piece < 20; piece += 1)
      background.run('piece', async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        done += 1;
        if (piece % 5 === 0) throw new Error('one of them fails');
      });
    await background.drain(5_000);
    expect([most, done]).toEqual([4, 20]);
    expect(background.run('late', async () => undefined)).toBe(false);
    await site.close();
  });

  it('is bounded, as is the time allowed for it when the process ends', async () => {
    const site = await createLocalSite();
    const background = createBackground(site.ctx.log);
    const never = () => new Promise<void>(() => undefined);
    const taken = Array.from({ length: 1_010 }, () => background.run('never', never));
    expect(taken.filter((isTaken) => isTaken)).toHaveLength(1_004);
    // Without a bound it would never return.
    await background.drain(50);
    await site.close();
  });
});
