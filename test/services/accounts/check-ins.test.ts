import { beforeEach, describe, expect, it } from 'vitest';
import { randomBetween } from '../../../src/services/random/random-number.ts';
import { databases } from '../../support/databases.ts';
import { outcomesOf } from '../../support/expect-refusal.ts';
import { type LocalSite, OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const DAY_SEC = 86_400;

async function options(
  site: LocalSite,
  values: Readonly<Record<string, string | number | boolean>>,
) {
  for (const [key, value] of Object.entries(values))
    await site.as(OPERATOR).option.set({ key, value });
}

describe.each(databases)('check-in on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind, { timeZone: 'UTC' });
  await options(site, { CheckInEnabled: true, CheckInQuota: 100 });

  it('is refused if the balance would exceed the maximum, and can be repeated', async () => {
    const user = await site.aUser({ quota: Number.MAX_SAFE_INTEGER - 99 });
    const { account } = site.as(user.actor);
    await expect(account.checkIn({})).rejects.toMatchObject({ code: 'balance_too_large' });
    expect(await account.checkInStatus({})).toMatchObject({ can_check_in: true });
    expect(await account.self({})).toMatchObject({ quota: Number.MAX_SAFE_INTEGER - 99 });
    await site.as(OPERATOR).user.setQuota({ id: user.id, mode: 'set', units: 0 });
    expect(await account.checkIn({})).toEqual({ quota: 100 });
  });

  it('pays once for twenty concurrent requests, with one ledger entry and one log entry', async () => {
    const user = await site.aUser({ quota: 7 });
    const { account } = site.as(user.actor);
    expect(await account.checkInStatus({})).toMatchObject({ can_check_in: true });
    const calls = Array.from({ length: 20 }, () => account.checkIn({}));
    expect(await outcomesOf(calls)).toEqual({ done: 1, checked_in_already: 19 });
    expect(await account.self({})).toMatchObject({ quota: 107 });
    expect(await account.checkInStatus({})).toMatchObject({ can_check_in: false });
    const { items } = await site.as(OPERATOR).ledger.list({ user: user.id, cause: 'check_in' });
    expect(items).toMatchObject([{ key: `check-in:${user.id}:2026-11-21`, user_units: 100 }]);
    const log = await site.as(OPERATOR).log.list({ username: user.username, type: 5 });
    expect(log.items).toMatchObject([{ quota: 100 }]);
    expect(await site.as(OPERATOR).ledger.verify({})).toMatchObject({ ok: true });
  });

  it('is possible again on the next day', async () => {
    const { account } = site.as((await site.aUser()).actor);
    await account.checkIn({});
    site.pass(DAY_SEC);
    expect(await account.checkIn({})).toEqual({ quota: 100 });
  });

  it('stays in the calendar when the log is cleared', async () => {
    const user = await site.aUser();
    const { account } = site.as(user.actor);
    const first = Math.floor(site.ctx.now() / 1000);
    await account.checkIn({});
    site.pass(2 * DAY_SEC);
    await account.checkIn({});
    const { log } = site.as(OPERATOR);
    await log.clear({ target_timestamp: first + 3 * DAY_SEC });
    const { total } = await log.list({ username: user.username, type: 5 });
    expect(total).toBe(0);
    expect(await account.checkInStatus({})).toEqual({
      can_check_in: false,
      checked_in_at: [first + 2 * DAY_SEC, first],
    });
  });
});

describe('check-in', async () => {
  const site = await sharedLocalSite('sqlite', { timeZone: 'Asia/Shanghai' });
  beforeEach(() => options(site, { CheckInEnabled: true, CheckInQuota: 100, CheckInMaxQuota: 0 }));

  it('counts days in the time zone of the site', async () => {
    // The clock is at noon UTC, 20:00 in the site's time zone: a new day begins four hours later.
    const { account } = site.as((await site.aUser()).actor);
    await account.checkIn({});
    site.pass(4 * 3600 - 1);
    expect(await account.checkInStatus({})).toMatchObject({ can_check_in: false });
    site.pass(1);
    expect(await account.checkInStatus({})).toMatchObject({ can_check_in: true });
    await account.checkIn({});
  });

  it('pays an amount between the limits when there are two', async () => {
    await options(site, { CheckInQuota: 5, CheckInMaxQuota: 7 });
    const paid = new Set<number>();
    for (let round = 0; round < 60; round += 1)
      paid.add((await site.as((await site.aUser()).actor).account.checkIn({})).quota);
    expect([...paid].sort()).toEqual([5, 6, 7]);
  });

  it('pays the fixed amount when the upper limit equals the lower', async () => {
    await options(site, { CheckInQuota: 5, CheckInMaxQuota: 3 });
    expect(await site.as((await site.aUser()).actor).account.checkIn({})).toEqual({ quota: 5 });
  });

  it.each([
    ['CheckInEnabled', false],
    ['CheckInQuota', 0],
  ])('is off with %s %s', async (key, value) => {
    await options(site, { [key]: value });
    const { account } = site.as((await site.aUser()).actor);
    expect(await account.checkInStatus({})).toMatchObject({ can_check_in: false });
    await expect(account.checkIn({})).rejects.toMatchObject({ code: 'check_in_off' });
  });
});

describe('a random number', () => {
  it('stays within its limits, and rejects values that would cause bias', () => {
    const draws = [Buffer.alloc(6, 0xff), Buffer.from([0, 0, 0, 0, 0, 8])];
    expect(randomBetween(() => draws.shift() ?? Buffer.alloc(6), 10, 19)).toBe(18);
    expect(randomBetween(() => Buffer.alloc(6), 3, 3)).toBe(3);
  });
});
