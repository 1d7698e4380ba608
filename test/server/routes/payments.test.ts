/** A top-up from order to ledger, through the real server with the payment gateway's requests. */
import { request } from 'undici';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { apiClient, signedIn } from '../../support/api-client.ts';
import { startFakeEpay } from '../../support/fake-epay.ts';
import { sharedSite } from '../../support/shared-site.ts';

const epay = await startFakeEpay('1001', 'merchant-key');
const site = await sharedSite({ config: { apiRateLimitEnabled: false } });
await site.option('PayAddress', `${epay.url}/`);
await site.option('EpayId', '1001');
await site.option('EpayKey', 'merchant-key');
await site.option('CustomCallbackAddress', site.url);
const user = await site.addUser({ quota: 0 });
const browser = await signedIn(site, user);
afterAll(() => epay.close());
afterEach(async () => {
  expect(await site.verify()).toMatchObject({ ok: true });
});

/** Orders and submits the form as the browser would; returns the trade number. */
async function ordered(amount: number): Promise<string> {
  const response = await browser.send('POST', '/api/user/pay', {
    body: { amount, payment_method: 'zfb', top_up_code: '' },
  });
  expect(response.body.message).toBe('success');
  const { statusCode, body } = await request(response.body.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(response.body.data).toString(),
  });
  await body.dump();
  expect(statusCode).toBe(200);
  return response.body.data.out_trade_no;
}

const quota = async () => (await site.balance(user.id)).quota;

it('is credited although top-ups were switched off after the order', async () => {
  const before = await quota();
  const tradeNo = await ordered(10);
  await site.option('PayAddress', '');
  expect(await epay.send(tradeNo, epay.notice(tradeNo))).toBe('success');
  expect((await quota()) - before).toBe(5_000_000);
  await site.option('PayAddress', `${epay.url}/`);
});

describe('a paid top-up', () => {
  it('is priced and returned in the form that existing clients read', async () => {
    const priced = await browser.send('POST', '/api/user/amount', { body: { amount: 10 } });
    expect(priced).toMatchObject({ status: 200, body: { message: 'success', data: '73.00' } });
    const wrong = await browser.send('POST', '/api/user/pay', {
      body: { amount: 10, payment_method: 'card' },
      headers: { 'accept-language': 'zh' },
    });
    expect(wrong.body).toEqual({ message: 'error', data: '不支持的支付方式' });
  });

  it('is credited before the payment gateway gets its reply, once for repeated notifications', async () => {
    const before = await quota();
    const tradeNo = await ordered(10);
    const notice = epay.notice(tradeNo);
    expect(await epay.send(tradeNo, notice)).toBe('success');
    expect((await quota()) - before).toBe(5_000_000);
    const again = await Promise.all([
      epay.send(tradeNo, notice),
      epay.send(tradeNo, notice, 'POST'),
      epay.send(tradeNo, notice),
    ]);
    expect(again).toEqual(['success', 'success', 'success']);
    expect((await quota()) - before).toBe(5_000_000);
  });

  it('is not credited for less money, another merchant, or fields changed in transit', async () => {
    const before = await quota();
    const tradeNo = await ordered(10);
    for (const notice of [
      epay.notice(tradeNo, { money: '0.01' }),
      epay.notice(tradeNo, { pid: '1002' }),
      { ...epay.notice(tradeNo), money: '0.01' },
      { ...epay.notice(tradeNo), out_trade_no: 'USR1NOabc' },
      { ...epay.notice(tradeNo), sign: '' },
    ])
      expect(await epay.send(tradeNo, notice)).toBe('fail');
    expect(await quota()).toBe(before);
  });

  it('cannot be forged while no merchant key is stored', async () => {
    const tradeNo = await ordered(10);
    const before = await quota();
    const keyless = await startFakeEpay('1001', '');
    await site.ctx.db('options').where({ key: 'EpayKey' }).delete();
    await site.option('EpayId', '1002');
    await site.option('EpayId', '1001');
    const forged = keyless.notice(tradeNo, { out_trade_no: tradeNo, money: '73.00', type: 'x' });
    expect(await epay.send(tradeNo, forged)).toBe('fail');
    expect(await quota()).toBe(before);
    await keyless.close();
    await site.option('EpayKey', 'merchant-key');
    expect(await epay.send(tradeNo, epay.notice(tradeNo))).toBe('success');
  });

  it('can be paid later from the order, and is credited even after it was cancelled', async () => {
    const before = await quota();
    const tradeNo = await ordered(2);
    const order = `/api/user/topups/${tradeNo}`;
    const { data } = (await browser.send('POST', `${order}/pay`)).body;
    expect(data).toMatchObject({ fields: { out_trade_no: tradeNo, money: '14.60' } });
    expect(data.url).toContain(epay.url);
    const other = await signedIn(site, await site.addUser());
    expect((await other.send('POST', `${order}/pay`)).body).toMatchObject({ success: false });
    expect((await other.send('DELETE', order)).body).toMatchObject({ success: false });
    expect((await browser.send('DELETE', order)).body).toMatchObject({ success: true });
    const listed = await browser.send('GET', '/api/user/topups', { query: { keyword: tradeNo } });
    expect(listed.body.data.items).toMatchObject([{ status: 'cancelled' }]);
    expect(await epay.send(tradeNo, epay.notice(tradeNo))).toBe('success');
    expect((await quota()) - before).toBe(1_000_000);
    expect((await browser.send('POST', `${order}/pay`)).body).toMatchObject({ success: false });
    expect((await browser.send('DELETE', order)).body).toMatchObject({ success: false });
    expect(await epay.send(tradeNo, epay.notice(tradeNo))).toBe('success');
    expect((await quota()) - before).toBe(1_000_000);
  });

  it('appears in the own list and the admin list, and only super admins complete it', async () => {
    const tradeNo = await ordered(1);
    const own = await browser.send('GET', '/api/user/topups', { query: { p: 1, page_size: 1 } });
    expect(own.body.data).toMatchObject({ items: [{ trade_no: tradeNo, money: '7.30' }], page: 1 });
    const [admin, root] = [
      await signedIn(site, await site.addUser({ role: 10 })),
      await signedIn(site, await site.addUser({ role: 100 })),
    ];
    const all = await admin.send('GET', '/api/topup/', { query: { keyword: tradeNo } });
    expect(all.body.data.items).toMatchObject([{ username: user.username, status: 'pending' }]);
    const path = `/api/topup/${tradeNo}/complete`;
    expect((await admin.send('POST', path)).body).toMatchObject({ code: 'permission_denied' });
    const before = await quota();
    expect((await root.send('POST', path)).body).toMatchObject({ success: true });
    expect((await root.send('POST', path)).body).toMatchObject({ code: 'top_up_settled' });
    expect((await quota()) - before).toBe(500_000);
    expect(await epay.send(tradeNo, epay.notice(tradeNo))).toBe('success');
    expect((await quota()) - before).toBe(500_000);
  });

  it('is invisible to other users', async () => {
    const other = await signedIn(site, await site.addUser());
    const response = await other.send('GET', '/api/user/topups', { query: { user: user.id } });
    expect(response.body.data).toMatchObject({ items: [], total: 0 });
    expect((await other.send('GET', '/api/topup/')).body).toMatchObject({
      code: 'permission_denied',
    });
  });
});

describe('a redeemed code', () => {
  it('is created by an admin and credited to the balance', async () => {
    const admin = await signedIn(site, await site.addUser({ role: 10 }));
    const made = await admin.send('POST', '/api/redemption/', {
      body: { name: 'http', quota: 777, count: 2, is_gift: false, max_uses: -1 },
    });
    expect(made.body.data).toHaveLength(2);
    const found = await admin.send('GET', '/api/redemption/search', { query: { keyword: 'ht' } });
    const [code] = found.body.data.items;
    const off = await admin.send('PUT', '/api/redemption/?status_only=true', {
      body: { id: code.id, status: 2 },
    });
    expect(off.body.data).toMatchObject({ status: 2, name: 'http', key: code.key });
    const count = await admin.send('GET', '/api/redemption/count-by-name', {
      query: { name: 'http' },
    });
    expect(count.body).toEqual({ success: true, message: '', data: 2 });

    const gift = {
      name: '',
      quota: 500_000,
      is_gift: true,
      max_uses: '',
      key: 'gift-without-name',
    };
    expect((await admin.send('POST', '/api/redemption/', { body: gift })).body.success).toBe(true);
    const gifts = await admin.send('GET', '/api/redemption/search', {
      query: { keyword: gift.key },
    });
    expect(gifts.body.data.items).toMatchObject([{ name: '$1.00', max_uses: -1 }]);

    const before = await quota();
    const refused = await browser.send('POST', '/api/user/topup', { body: { key: code.key } });
    expect(refused).toMatchObject({ status: 200, body: { success: false } });
    const key = made.body.data.find((one: string) => one !== code.key);
    const response = await browser.send('POST', '/api/user/topup', { body: { key } });
    expect(response.body.data).toEqual({ quota: 777, is_gift: false });
    expect((await quota()) - before).toBe(777);

    const gone = await admin.send('DELETE', '/api/redemption/delete-disabled');
    expect(gone.body.data).toBe(1);
    const used = await admin.send('DELETE', '/api/redemption/delete-used');
    expect(used.body.data).toBe(1);
    const none = await admin.send('DELETE', '/api/redemption/delete-by-name', {
      query: { name: 'http' },
    });
    expect(none.body.data).toBe(0);
  });

  it('is protected by a 429 with the time to wait after too many guesses', async () => {
    const guesser = await signedIn(site, await site.addUser());
    const guess = () => guesser.send('POST', '/api/user/topup', { body: { key: 'guess' } });
    for (let index = 0; index < 10; index += 1) expect((await guess()).status).toBe(200);
    const response = await guess();
    expect(response.status).toBe(429);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('requires a sign-in', async () => {
    const response = await apiClient(site).send('POST', '/api/user/topup', { body: { key: 'x' } });
    expect(response.status).toBe(401);
  });
});

describe('API tokens over HTTP', () => {
  it('are switched by status_only in the query, without other changes', async () => {
    const made = await browser.send('POST', '/api/token/', { body: { name: 'mine' } });
    const { id, key } = made.body.data;
    const off = await browser.send('PUT', '/api/token/?status_only=true', {
      body: { id, status: 2, name: 'other' },
    });
    expect(off.body.data).toMatchObject({ status: 2, name: 'mine' });
    const listed = await browser.send('GET', '/api/token/', { query: { p: 0, size: 100 } });
    expect(listed.body.data.items[0].key).not.toBe(key);
    const shown = await browser.send('POST', `/api/token/${id}/reveal`);
    expect(shown.body.data).toEqual({ key });
    const other = await signedIn(site, await site.addUser());
    expect((await other.send('POST', `/api/token/${id}/reveal`)).body.success).toBe(false);
    expect((await other.send('POST', '/api/token/batch', { body: { ids: [id] } })).body.data).toBe(
      0,
    );
    const gone = await browser.send('POST', '/api/token/batch', { body: { ids: [id] } });
    expect(gone.body.data).toBe(1);
  });
});
