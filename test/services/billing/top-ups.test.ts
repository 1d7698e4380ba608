import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { localApi } from '../../../src/handlers.ts';
import { signatureOf } from '../../../src/services/billing/payments/epay.ts';
import { createBackground } from '../../../src/services/cluster/background-queue.ts';
import { inInbox } from '../../support/alerts.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import {
  createLocalSite,
  type LocalSite,
  OPERATOR,
  type TestUser,
} from '../../support/local-site.ts';

const KEY = 'merchant-key';
let site: LocalSite;

const set = (key: string, value: string) => site.as(OPERATOR).option.set({ key, value });

async function openShop(): Promise<void> {
  await set('PayAddress', 'https://pay.example');
  await set('EpayId', '1001');
  await set('EpayKey', KEY);
}

async function order(user: TestUser, amount: number | string = 10) {
  const reply = await site.as(user.actor).wallet.pay({ amount, payment_method: 'zfb' });
  if (typeof reply.data === 'string') throw new Error(reply.data);
  return reply.data as Record<string, string>;
}

/** The payment gateway's notification after the form was paid. */
function noticeOf(form: Readonly<Record<string, string>>, changes: Record<string, string> = {}) {
  const { pid = '', type = '', name = '', money = '', out_trade_no = '' } = form;
  const fields = {
    ...{ pid, type, name, money, out_trade_no },
    trade_no: '2026112100001',
    trade_status: 'TRADE_SUCCESS',
    ...changes,
  };
  return { ...fields, sign: signatureOf(fields, KEY), sign_type: 'MD5' };
}

const guest = { kind: 'user', id: 0, role: 0, group: '' } as const;
const notify = (notice: Record<string, string>) =>
  site.as(guest).wallet.notify({ ...notice, provider: 'epay' });

async function balanceOf({ id }: TestUser): Promise<number> {
  return (await site.as(OPERATOR).user.get({ id })).quota;
}

describe.each(databases)('online top-up on $kind', ({ kind }) => {
  beforeAll(async () => {
    site = await createLocalSite(kind);
    await openShop();
  });
  afterAll(() => site.close());
  afterEach(async () => {
    expect(await site.as(OPERATOR).ledger.verify({})).toMatchObject({ ok: true });
  });

  it('opens an order before payment, and credits it on the payment notification', async () => {
    const user = await site.aUser();
    const form = await order(user);
    expect(form.out_trade_no).toMatch(new RegExp(`^USR${user.id}NO[0-9A-Za-z]{6}\\d{10}$`));
    expect(form).toMatchObject({ money: '73.00', name: 'TUC10', type: 'alipay', pid: '1001' });
    const { items } = await site.as(user.actor).wallet.orders({});
    expect(items).toMatchObject([
      { trade_no: form.out_trade_no, status: 'pending', amount: 10, quota: 5_000_000 },
    ]);
    expect(items[0]).toMatchObject({ money: '73.00', provider: 'epay', method: 'zfb' });
    expect(await balanceOf(user)).toBe(0);

    expect(await notify(noticeOf(form))).toBe('success');
    expect(await balanceOf(user)).toBe(5_000_000);
    const paid = await site.as(user.actor).wallet.orders({ status: 'success' });
    expect(paid.items[0]).toMatchObject({ trade_no: form.out_trade_no });
    const entries = await site.as(OPERATOR).ledger.list({ user: user.id });
    expect(entries.items).toMatchObject([
      { key: `topup:${form.out_trade_no}`, cause: 'topup', user_units: 5_000_000 },
    ]);
    const lines = await site.as(OPERATOR).log.list({ username: user.username, type: 1 });
    expect(lines.items[0]).toMatchObject({ content: 'Online top-up: $10.00, paid 73.00' });
  });

  it('credits an order once for repeated and concurrent notifications', async () => {
    const user = await site.aUser();
    const notice = noticeOf(await order(user));
    const reply = await Promise.all(Array.from({ length: 12 }, () => notify(notice)));
    expect(reply).toEqual(Array.from({ length: 12 }, () => 'success'));
    expect(await notify(notice)).toBe('success');
    expect(await balanceOf(user)).toBe(5_000_000);
  });

  it('credits all orders of one user with concurrent notifications', async () => {
    const user = await site.aUser();
    const forms = await Promise.all(Array.from({ length: 8 }, () => order(user, 1)));
    await Promise.all(forms.map((form) => notify(noticeOf(form))));
    expect(await balanceOf(user)).toBe(8 * 500_000);
  });

  it('refuses a notification with a wrong amount, an unknown order or no signature', async () => {
    const user = await site.aUser();
    const form = await order(user);
    const { sign: _, ...unsigned } = noticeOf(form);
    for (const notice of [
      noticeOf(form, { money: '0.01' }),
      noticeOf(form, { money: '73.001' }),
      noticeOf(form, { out_trade_no: `${form.out_trade_no}x` }),
      { ...noticeOf(form), money: '0.01' },
      unsigned,
    ])
      expect(await notify(notice)).toBe('fail');
    expect(await notify(noticeOf(form, { trade_status: 'WAIT' }))).toBe('success');
    expect(await balanceOf(user)).toBe(0);
    expect(await notify(noticeOf(form, { money: '73' }))).toBe('success');
    expect(await balanceOf(user)).toBe(5_000_000);
  });

  it('reports a payment that is credited to no account, once for each order, and no unsigned one', async () => {
    const admin = await inInbox(site, 100);
    const background = createBackground(site.ctx.log);
    const report = (notice: Record<string, string>) =>
      localApi({ ...site.ctx, background }, guest).wallet.notify({ ...notice, provider: 'epay' });
    const form = await order(await site.aUser());
    const { sign: _, ...unsigned } = noticeOf(form);
    await report(unsigned);
    await report(noticeOf(form, { money: '0.01' }));
    await report(noticeOf(form, { money: '0.02' }));
    await report(noticeOf(form, { out_trade_no: 'unknown' }));
    await background.drain(10_000);
    const { items } = await site.as(admin.actor).message.inbox({});
    expect(items.map(({ title }) => title)).toEqual(Array(2).fill('A payment was not credited'));
    expect(items.map(({ content }) => content).sort()).toEqual([
      expect.stringMatching(new RegExp(`${form.out_trade_no}[^]*0\\.0[12] / 73\\.00`)),
      expect.stringContaining('There is no order unknown.'),
    ]);
  });

  it('credits no order that would exceed the maximum balance, and accepts its notification later', async () => {
    const user = await site.aUser();
    const notice = noticeOf(await order(user));
    const setTo = (units: number) =>
      site.as(OPERATOR).user.setQuota({ id: user.id, mode: 'set', units });
    await setTo(Number.MAX_SAFE_INTEGER - 5_000_000 + 1);
    await expectRefusal(notify(notice), 'balance_too_large');
    const pending = await site.as(user.actor).wallet.orders({ status: 'pending' });
    expect(pending.items).toMatchObject([{ trade_no: notice.out_trade_no }]);
    await setTo(7);
    expect(await notify(notice)).toBe('success');
    expect(await balanceOf(user)).toBe(5_000_007);
  });

  it("pays the inviter's rebate once", async () => {
    const [inviter, invitee] = [await site.aUser(), await site.aUser()];
    await site.ctx.db('users').where({ id: invitee.id }).update({ inviter_id: inviter.id });
    await set('RebateEnabled', 'true');
    await set('RebatePercentage', '10');
    const notice = noticeOf(await order(invitee));
    await Promise.all([notify(notice), notify(notice), notify(notice)]);
    expect(await balanceOf(inviter)).toBe(500_000);
  });

  it('an order with a lost notification is completed by a super admin once, and logged', async () => {
    const user = await site.aUser();
    const root = await site.aUser({ role: 100 });
    const form = await order(user, 2);
    const trade_no = form.out_trade_no ?? '';
    const complete = () => site.as(root.actor).wallet.completeOrder({ trade_no });
    const outcomes = await Promise.allSettled([complete(), complete(), notify(noticeOf(form))]);
    const refused = outcomes.filter((one) => one.status === 'rejected');
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'top_up_settled' });
    expect(refused.length).toBeGreaterThan(0);
    expect(await balanceOf(user)).toBe(1_000_000);
    await expectRefusal(complete(), 'top_up_settled');
    await expectRefusal(
      site.as(root.actor).wallet.completeOrder({ trade_no: 'USR1NOnothing' }),
      'top_up_missing',
    );

    const other = (await order(user, 3)).out_trade_no ?? '';
    const done = await site.as(root.actor).wallet.completeOrder({ trade_no: other });
    expect(done).toMatchObject({ status: 'success', username: user.username, money: '21.90' });
    const lines = await site.as(OPERATOR).log.list({ username: user.username, type: 3 });
    expect(lines.items[0]?.content).toBe(`Order ${other} completed by hand: paid 21.90`);
  });

  it('users see their own orders, admins everyone’s', async () => {
    const [user, other] = [await site.aUser(), await site.aUser()];
    const form = await order(user);
    await order(other);
    expect((await site.as(user.actor).wallet.orders({})).total).toBe(1);
    const admin = site.as((await site.aUser({ role: 10 })).actor);
    expect((await admin.wallet.allOrders({})).total).toBeGreaterThan(1);
    const found = await admin.wallet.allOrders({ user: user.id, keyword: form.out_trade_no });
    expect(found.items).toMatchObject([{ username: user.username }]);
    expect((await admin.wallet.allOrders({ keyword: 'USR%' })).total).toBe(0);
  });
});

describe('the price of a top-up', () => {
  let user: TestUser;
  beforeAll(async () => {
    site = await createLocalSite();
    user = await site.aUser({ group: 'vip' });
    await openShop();
  });
  afterAll(() => site.close());

  const amount = (wanted?: number | string) =>
    site.as(user.actor).wallet.amount({ amount: wanted });

  it('is exactly amount times price times the group ratio', async () => {
    expect(await amount(10)).toEqual({ message: 'success', data: '73.00' });
    await set('TopupGroupRatio', '{"vip":0.9}');
    expect(await amount(10)).toEqual({ message: 'success', data: '65.70' });
    expect(await amount('10')).toEqual({ message: 'success', data: '65.70' });
    await set('Price', '1.005');
    await set('TopupGroupRatio', '{"vip":0}');
    expect(await amount(1)).toEqual({ message: 'success', data: '1.01' });
    await set('Price', '7.3');
  });

  it('counts in units if amounts are not shown in currency, and credits all of them', async () => {
    await set('DisplayInCurrencyEnabled', 'false');
    expect(await amount(750_000)).toEqual({ message: 'success', data: '10.95' });
    expect(await amount(499_999)).toMatchObject({ message: 'error' });
    const form = await order(user, 750_000);
    expect(form.name).toBe('TUC750000');
    const { items } = await site.as(user.actor).wallet.orders({});
    expect(items[0]).toMatchObject({ amount: 1, quota: 750_000, money: '10.95' });
    await notify(noticeOf(form));
    expect(await balanceOf(user)).toBe(750_000);
    await set('DisplayInCurrencyEnabled', 'true');
  });

  it.each([[0], [-1], [1.5], ['abc'], [''], [undefined], [10_001], [1e300]])(
    'refuses the amount %s in the form of the call',
    async (wanted) => {
      const reply = {
        message: 'error',
        data: 'The amount must be a whole number from 1 to 10000.',
      };
      expect(await amount(wanted)).toEqual(reply);
      const { wallet } = site.as(user.actor);
      expect(await wallet.pay({ amount: wanted, payment_method: 'wx' })).toEqual(reply);
    },
  );

  it('has a minimum and a maximum, and is never below 0.01', async () => {
    await set('MinTopUp', '5');
    await set('MaxTopUp', '50');
    expect(await amount(4)).toMatchObject({ message: 'error' });
    expect(await amount(50)).toMatchObject({ message: 'success' });
    expect(await amount(51)).toMatchObject({ message: 'error' });
    await set('MinTopUp', '1');
    await set('Price', '0.0099');
    expect(await amount(1)).toEqual({
      message: 'error',
      data: 'The amount is too small.',
    });
    await set('Price', '0');
    expect(await amount(1)).toMatchObject({ message: 'error' });
    await set('Price', '7.3');
  });

  it('stays unchanged for an open order when prices change', async () => {
    const before = await balanceOf(user);
    const form = await order(user, 1);
    await set('Price', '100');
    await set('QuotaPerUnit', '1000');
    expect(await notify(noticeOf(form))).toBe('success');
    expect((await balanceOf(user)) - before).toBe(500_000);
    await set('QuotaPerUnit', '500000');
    await set('Price', '7.3');
  });

  it.each(['1e1', '0x10', '1_0', '+10', '١٠', '10.5', '-10', ''])(
    'is no amount: %j',
    async (text) => {
      expect(await amount(text)).toMatchObject({ message: 'error' });
    },
  );

  it.each(['10', ' 10 ', '10.00'])('may be a text: %j', async (text) => {
    expect(await amount(text)).toMatchObject({ message: 'success' });
  });

  it('refuses unknown methods, and opens no order for them', async () => {
    const { total } = await site.as(user.actor).wallet.orders({});
    for (const payment_method of ['alipay', 'card', '', undefined, 'toString'])
      expect(await site.as(user.actor).wallet.pay({ amount: 10, payment_method })).toEqual({
        message: 'error',
        data: 'This payment method is not available.',
      });
    expect((await site.as(user.actor).wallet.orders({})).total).toBe(total);
  });

  it('and its notifications are refused while the payment gateway is not configured', async () => {
    const form = await order(user, 1);
    await set('EpayId', '');
    const reply = { message: 'error', data: 'Administrator has not enabled online top-up!' };
    expect(await amount(10)).toEqual(reply);
    expect(await site.as(user.actor).wallet.pay({ amount: 10, payment_method: 'zfb' })).toEqual(
      reply,
    );
    const before = await balanceOf(user);
    expect(await notify(noticeOf(form, { pid: '' }))).toBe('fail');
    expect(await notify(noticeOf(form))).toBe('fail');
    expect(await balanceOf(user)).toBe(before);
    await set('EpayId', '1001');
    await expectRefusal(
      site.as(guest).wallet.notify({ ...noticeOf(form), provider: 'nobody' }),
      'not_found',
    );
  });
});
