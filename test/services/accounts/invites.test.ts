import { describe, expect, it } from 'vitest';
import { databases } from '../../support/databases.ts';
import { expectRefusal, outcomesOf } from '../../support/expect-refusal.ts';
import { OPERATOR, type TestUser } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const UNIT = 500_000;

describe.each(databases)('invitation rewards on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);

  async function rewarded(aff_quota: number): Promise<TestUser> {
    const user = await site.aUser({ quota: 10 });
    await site.ctx.db('users').where({ id: user.id }).update({ aff_quota, aff_history: aff_quota });
    return user;
  }

  it('are transferred to the balance, never more than available, even concurrently', async () => {
    const user = await rewarded(3 * UNIT + 5);
    const { account } = site.as(user.actor);
    const calls = Array.from({ length: 6 }, () => account.transferAff({ quota: UNIT }));
    expect(await outcomesOf(calls)).toEqual({ done: 3, aff_quota_short: 3 });
    expect(await account.self({})).toMatchObject({
      quota: 3 * UNIT + 10,
      aff_quota: 5,
      aff_history_quota: 3 * UNIT + 5,
    });
    const { items } = await site.as(OPERATOR).ledger.list({ user: user.id, cause: 'transfer' });
    expect(items.map(({ user_units }) => user_units)).toEqual([UNIT, UNIT, UNIT]);
    expect(await site.as(OPERATOR).ledger.verify({})).toMatchObject({ ok: true });
  });

  it('stay if the balance would exceed the maximum', async () => {
    const user = await rewarded(UNIT);
    const { account } = site.as(user.actor);
    const setTo = (units: number) =>
      site.as(OPERATOR).user.setQuota({ id: user.id, mode: 'set', units });
    await setTo(Number.MAX_SAFE_INTEGER - UNIT + 1);
    await expectRefusal(account.transferAff({ quota: UNIT }), 'balance_too_large');
    expect(await account.self({})).toMatchObject({ aff_quota: UNIT });
    await setTo(10);
    await account.transferAff({ quota: UNIT });
    expect(await account.self({})).toMatchObject({ quota: UNIT + 10, aff_quota: 0 });
  });

  it('are transferred in amounts of one unit or more, and not while invitations are off', async () => {
    const user = await rewarded(2 * UNIT);
    const { account } = site.as(user.actor);
    await expectRefusal(account.transferAff({ quota: UNIT - 1 }), 'aff_transfer_small', {
      params: { minimum: '$1.00' },
    });
    await expectRefusal(account.transferAff({ quota: -UNIT }), 'input_invalid');
    await site.as(OPERATOR).option.set({ key: 'AffEnabled', value: false });
    await expectRefusal(account.transferAff({ quota: UNIT }), 'aff_off');
    await site.as(OPERATOR).option.set({ key: 'AffEnabled', value: true });
    expect(await account.self({})).toMatchObject({ quota: 10, aff_quota: 2 * UNIT });
  });

  it('an account without an invite code gets one on request, and keeps it', async () => {
    const user = await site.aUser();
    await site.ctx.db('users').where({ id: user.id }).update({ aff_code: null });
    const codes = await Promise.all(
      Array.from({ length: 4 }, () => site.as(user.actor).account.affCode({})),
    );
    expect(new Set(codes).size).toBe(1);
    expect(codes[0]).toMatch(/^\w{8}$/);
  });
});
