import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../../support/databases.ts';
import { expectRefusal, outcomesOf } from '../../support/expect-refusal.ts';
import {
  createLocalSite,
  type LocalSite,
  OPERATOR,
  type TestUser,
} from '../../support/local-site.ts';

const NOON = Date.UTC(2026, 10, 21, 12) / 1000;
const HOUR = 3600;
const WORTH = 500_000;

let site: LocalSite;

async function aCode(
  fields: Partial<Parameters<ReturnType<LocalSite['as']>['redemption']['create']>[0]> = {},
): Promise<string> {
  const made = await site.as(OPERATOR).redemption.create({ name: 'c', quota: WORTH, ...fields });
  return made[0] ?? '';
}

const redeem = (user: TestUser, key: string) => site.as(user.actor).wallet.redeem({ key });

function someUsers(count: number): Promise<TestUser[]> {
  return Promise.all(Array.from({ length: count }, () => site.aUser()));
}

async function balanceOf({ id }: TestUser): Promise<number> {
  return (await site.as(OPERATOR).user.get({ id })).quota;
}

const verify = () => site.as(OPERATOR).ledger.verify({});

describe.each(databases)('redeeming codes on $kind', ({ kind }) => {
  beforeAll(async () => {
    site = await createLocalSite(kind);
  });
  afterAll(() => site.close());
  afterEach(async () => {
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('credits a plain code once, with one ledger entry and one log entry', async () => {
    const [user, other] = [await site.aUser(), await site.aUser()];
    const key = await aCode();
    expect(await redeem(user, ` ${key} `)).toEqual({ quota: WORTH, is_gift: false });
    await expectRefusal(redeem(user, key), 'redeem_used');
    await expectRefusal(redeem(other, key), 'redeem_used');
    expect(await balanceOf(user)).toBe(WORTH);
    const { items } = await site.as(OPERATOR).ledger.list({ user: user.id });
    expect(items).toMatchObject([{ cause: 'redemption', user_units: WORTH }]);
    expect(items[0]?.key).toMatch(new RegExp(`^redeem:\\d+:${user.id}$`));
    const lines = await site.as(OPERATOR).log.list({ username: user.username, type: 1 });
    expect(lines.items).toMatchObject([{ content: 'Code redeemed: $1.00', quota: WORTH }]);
  });

  it('credits a gift to each user once, and returns the remaining uses', async () => {
    const users = await someUsers(3);
    const key = await aCode({ is_gift: true, max_uses: 2 });
    const [first, second, third] = users as [TestUser, TestUser, TestUser];
    expect(await redeem(first, key)).toEqual({ quota: WORTH, is_gift: true });
    await expectRefusal(redeem(first, key), 'redeem_repeated');
    await redeem(second, key);
    await expectRefusal(redeem(third, key), 'redeem_used_up');
    const { items } = await site.as(OPERATOR).redemption.list({ is_gift: true });
    expect(items[0]).toMatchObject({ status: 3, used_count: 2, used_user_id: 0 });
  });

  it('refuses a code that would exceed the maximum balance, and keeps it', async () => {
    const user = await site.aUser();
    const change = (units: number) =>
      site.as(OPERATOR).user.setQuota({ id: user.id, mode: 'set', units });
    await change(Number.MAX_SAFE_INTEGER - 1);
    const key = await aCode();
    await expectRefusal(redeem(user, key), 'balance_too_large');
    expect(await balanceOf(user)).toBe(Number.MAX_SAFE_INTEGER - 1);
    await change(7);
    await redeem(user, key);
    expect(await balanceOf(user)).toBe(7 + WORTH);
  });

  it('credits a gift of ten uses to ten of thirty concurrent users', async () => {
    const users = await someUsers(30);
    const key = await aCode({ is_gift: true, max_uses: 10 });
    const outcomes = await outcomesOf(users.map((user) => redeem(user, key)));
    expect(outcomes).toEqual({ done: 10, redeem_used_up: 20 });
    const balances = await Promise.all(users.map(balanceOf));
    expect(balances.reduce((sum, balance) => sum + balance, 0)).toBe(10 * WORTH);
    expect(await site.ctx.db('redemption_logs').count({ n: '*' }).first()).toBeDefined();
  });

  it('credits a gift once for twenty concurrent requests of a user, and limits their rate', async () => {
    const user = await site.aUser();
    const key = await aCode({ is_gift: true });
    const attempts = Array.from({ length: 20 }, () => redeem(user, key));
    expect(await outcomesOf(attempts)).toEqual({ done: 1, redeem_repeated: 9, rate_limited: 10 });
    expect(await balanceOf(user)).toBe(WORTH);
  });

  it('credits a plain code to one of twenty concurrent users', async () => {
    const users = await someUsers(20);
    const key = await aCode();
    const outcomes = await outcomesOf(users.map((user) => redeem(user, key)));
    expect(outcomes).toEqual({ done: 1, redeem_used: 19 });
    const balances = await Promise.all(users.map(balanceOf));
    expect(balances.filter((balance) => balance === WORTH)).toHaveLength(1);
  });

  it('an inviter and an invitee who repeatedly redeem a gift concurrently both get it', async () => {
    await site.as(OPERATOR).option.set({ key: 'RebateEnabled', value: 'true' });
    await site.as(OPERATOR).option.set({ key: 'RebatePercentage', value: '10' });
    await site.as(OPERATOR).option.set({ key: 'RebateOnGiftCodes', value: 'true' });
    const [inviter, invitee] = (await someUsers(2)) as [TestUser, TestUser];
    await site.ctx.db('users').where({ id: invitee.id }).update({ inviter_id: inviter.id });
    for (let round = 0; round < 5; round += 1) {
      const key = await aCode({ is_gift: true });
      await Promise.all([redeem(invitee, key), redeem(inviter, key)]);
    }
    expect(await balanceOf(invitee)).toBe(5 * WORTH);
    expect(await balanceOf(inviter)).toBe(5 * (WORTH + WORTH / 10));
  });
});

describe('refusals when redeeming a code', () => {
  beforeAll(async () => {
    site = await createLocalSite();
  });
  afterAll(() => site.close());

  it('do not reveal whether a disabled code exists', async () => {
    const user = await site.aUser();
    for (const fields of [{}, { is_gift: true }]) {
      const key = await aCode(fields);
      const { items } = await site.as(OPERATOR).redemption.list({});
      const id = items[0]?.id ?? 0;
      await site.as(OPERATOR).redemption.edit({ id, status: 2, status_only: true });
      const received = await Promise.allSettled([redeem(user, key), redeem(user, 'no-such-code')]);
      expect(received.map((one) => one.status === 'rejected' && one.reason.code)).toEqual([
        'redeem_unknown',
        'redeem_unknown',
      ]);
    }
    expect(await balanceOf(user)).toBe(0);
  });

  it('report a deleted code as unknown', async () => {
    const user = await site.aUser();
    const key = await aCode({ name: 'deleted' });
    await site.as(OPERATOR).redemption.removeByName({ name: 'deleted' });
    await expectRefusal(redeem(user, key), 'redeem_unknown');
  });

  it('a code is valid from its first to its last second', async () => {
    const window = { valid_from: NOON + 10, valid_until: NOON + 20, is_gift: true };
    const key = await aCode(window);
    const users = await someUsers(4);
    const [early, first, last, late] = users as [TestUser, TestUser, TestUser, TestUser];
    await expectRefusal(redeem(early, key), 'redeem_early');
    site.pass(10);
    await redeem(first, key);
    site.pass(10);
    await redeem(last, key);
    site.pass(1);
    await expectRefusal(redeem(late, key), 'redeem_expired');
  });

  it('report the validity period before the number of uses', async () => {
    const user = await site.aUser();
    const key = await aCode({ valid_until: NOON + HOUR });
    await redeem(user, key);
    site.pass(2 * HOUR);
    await expectRefusal(redeem(user, key), 'redeem_expired');
  });

  it('apply after ten attempts a minute, correct ones included, until the minute is over', async () => {
    const user = await site.aUser();
    for (let index = 0; index < 10; index += 1)
      await expectRefusal(redeem(user, 'guess-work'), 'redeem_unknown');
    const key = await aCode();
    await expect(redeem(user, key)).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSec: 60,
    });
    site.pass(60);
    expect(await redeem(user, key)).toMatchObject({ quota: WORTH });
  });

  it('apply to an account that was banned or closed meanwhile', async () => {
    const [banned, closed] = (await someUsers(2)) as [TestUser, TestUser];
    await site.as(OPERATOR).user.manage({ id: banned.id, action: 'disable' });
    await site.as(OPERATOR).user.manage({ id: closed.id, action: 'delete' });
    const key = await aCode();
    await expectRefusal(redeem(banned, key), 'user_banned');
    await expectRefusal(redeem(closed, key), 'user_gone');
    expect(await redeem(await site.aUser(), key)).toMatchObject({ quota: WORTH });
  });

  it('apply to the operator, who has no balance', async () => {
    const key = await aCode();
    await expectRefusal(site.as(OPERATOR).wallet.redeem({ key }), 'not_signed_in');
  });
});

describe("the inviter's rebate", () => {
  let inviter: TestUser;
  let invitee: TestUser;
  beforeAll(async () => {
    site = await createLocalSite();
    [inviter, invitee] = (await someUsers(2)) as [TestUser, TestUser];
    await site.ctx.db('users').where({ id: invitee.id }).update({ inviter_id: inviter.id });
  });
  afterAll(() => site.close());
  afterEach(async () => {
    expect(await verify()).toMatchObject({ ok: true });
  });

  const set = (key: string, value: string) => site.as(OPERATOR).option.set({ key, value });
  /** The inviter's rebate when the invitee redeems a code with these fields. */
  const rebateFor = async (fields: Parameters<typeof aCode>[0]) => {
    const before = await balanceOf(inviter);
    await redeem(invitee, await aCode(fields));
    return (await balanceOf(inviter)) - before;
  };

  it('is paid only if rebates and invitations are on, and rounded down', async () => {
    expect(await rebateFor({ quota: 999 })).toBe(0);
    await set('RebateEnabled', 'true');
    expect(await rebateFor({ quota: 999 })).toBe(0);
    await set('RebatePercentage', '12.5');
    expect(await rebateFor({ quota: 999 })).toBe(124);
    expect(await rebateFor({ quota: 7 })).toBe(0);
    await set('AffEnabled', 'false');
    expect(await rebateFor({ quota: 999 })).toBe(0);
    await set('AffEnabled', 'true');
  });

  it('is not paid on gifts unless the option is set', async () => {
    expect(await rebateFor({ is_gift: true })).toBe(0);
    await set('RebateOnGiftCodes', 'true');
    expect(await rebateFor({ is_gift: true, quota: 1000 })).toBe(125);
  });

  it('is credited to the inviter’s balance under its own key, and both get a log entry', async () => {
    site.pass(60);
    await set('RebatePercentage', '10');
    expect(await rebateFor({ quota: 5_000_000 })).toBe(500_000);
    const { items } = await site.as(OPERATOR).ledger.list({ user: inviter.id, cause: 'rebate' });
    expect(items[0]?.key).toMatch(new RegExp(`^rebate:redeem:\\d+:${invitee.id}$`));
    for (const [user, quota] of [
      [inviter, 500_000],
      [invitee, 0],
    ] as const) {
      const lines = await site.as(OPERATOR).log.list({ username: user.username, type: 4 });
      expect(lines.items[0]).toMatchObject({ quota });
    }
  });

  it('is not paid if the inviter’s account is closed', async () => {
    await site.as(OPERATOR).user.manage({ id: inviter.id, action: 'delete' });
    expect(await rebateFor({ quota: 5000 })).toBe(0);
  });
});
