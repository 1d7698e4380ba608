import { describe, expect, it } from 'vitest';
import {
  claimNotification,
  releaseNotificationClaim,
  superAdminIds,
} from '../../src/store/tables/notices-table.ts';
import { databases } from '../support/databases.ts';
import { sharedLocalSite } from '../support/shared-site.ts';

describe.each(databases)('notice claims on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);

  const ONCE = { count: 1, windowSec: 7_200 } as const;
  const TWICE = { count: 2, windowSec: 600 } as const;
  const claim = (type: string, atSec: number, limit: typeof ONCE | typeof TWICE, userId = 1) =>
    claimNotification(site.ctx.db, { userId, type, atSec }, limit);

  it('succeed once per window, separately for each user and type', async () => {
    expect(await claim('low', 10_000, ONCE)).toBe(true);
    expect(await claim('low', 17_199, ONCE)).toBe(false);
    expect(await claim('low', 17_200, ONCE)).toBe(true);
    expect(await claim('low', 17_201, ONCE)).toBe(false);
    expect(await claim('other', 17_201, ONCE)).toBe(true);
    expect(await claim('low', 17_201, ONCE, 2)).toBe(true);
  });

  it('succeed twice per window, for any window', async () => {
    const received = [];
    for (const atSec of [10_000, 10_100, 10_200, 10_599, 10_600, 10_650, 10_700, 10_701])
      received.push(await claim('twice', atSec, TWICE));
    expect(received).toEqual([true, true, false, false, true, false, true, false]);
  });

  it('that are concurrent do not exceed the limit', async () => {
    for (const [type, limit] of [
      ['race 1', ONCE],
      ['race 2', TWICE],
    ] as const) {
      for (const atSec of [10_000, 20_000]) {
        const claims = Array.from({ length: 12 }, () => claim(type, atSec, limit));
        const won = (await Promise.all(claims)).filter((isWon) => isWon);
        expect(won).toHaveLength(limit.count);
      }
    }
  });

  it('can be released by their owner', async () => {
    const mine = { userId: 3, type: 'low', atSec: 10_000 };
    expect(await claimNotification(site.ctx.db, mine, ONCE)).toBe(true);
    await releaseNotificationClaim(site.ctx.db, { ...mine, atSec: 9_999 });
    expect(await claim('low', 10_001, ONCE, 3)).toBe(false);
    await releaseNotificationClaim(site.ctx.db, mine);
    expect(await claim('low', 10_001, ONCE, 3)).toBe(true);
  });

  it('notify super admins only', async () => {
    await site.aUser({ role: 10 });
    const root = await site.aUser({ role: 100 });
    const banned = await site.aUser({ role: 100 });
    await site.ctx.db('users').where({ id: banned.id }).update({ status: 2 });
    expect(await superAdminIds(site.ctx.reads)).toEqual([root.id]);
  });
});
