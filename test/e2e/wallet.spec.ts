import { expect, type Page } from '@playwright/test';
import { type FakeEpay, startFakeEpay } from '../support/fake-epay.ts';
import { call } from './admin-calls.ts';
import { expectAccessible, expectReadable, test } from './browser.ts';
import { asNewUser, asRoot } from './own-account.ts';

test.slow();

const PID = '1001';
const MERCHANT_KEY = 'merchant-key';
let epay: FakeEpay;
test.beforeAll(async () => {
  epay = await startFakeEpay(PID, MERCHANT_KEY);
});
test.afterAll(() => epay.close());

const paying = (url: string) => ({
  ServerAddress: url,
  PayAddress: epay.url,
  EpayId: PID,
  EpayKey: MERCHANT_KEY,
});

async function makeCode(page: Page, url: string, fields: object): Promise<string> {
  await asRoot(page, url);
  const [key = ''] = await call<string[]>(page, 'POST', `${url}/api/redemption/`, {
    name: 'browser',
    quota: 1_500_000,
    ...fields,
  });
  return key;
}

const balance = (page: Page) => page.getByRole('region', { name: '当前余额' });
const redeeming = (page: Page) => page.getByRole('region', { name: '兑换码兑换' });
const topUp = (page: Page) => page.getByRole('region', { name: '在线充值' });

test('a code in the address is filled in and locked until the reader changes it', async ({
  page,
  gateway,
}) => {
  const key = await makeCode(page, gateway.url, {});
  await asNewUser(page, gateway.url, { TopUpLink: 'https://shop.example.com' });
  await page.goto(`${gateway.url}/app/wallet?code=${key}`);
  const box = redeeming(page).getByLabel('兑换码', { exact: true });
  await expect(box).toHaveValue(key);
  await expect(box).not.toBeEditable();
  await expect(redeeming(page).getByRole('link', { name: '获取兑换码' })).toHaveAttribute(
    'href',
    'https://shop.example.com',
  );
  await redeeming(page).getByRole('button', { name: '更换兑换码' }).click();
  await expect(box).toBeEditable();
  await expect(box).toHaveValue(key);
  await expect(page).not.toHaveURL(/code=/);
});

test('a code adds to the balance at once; without one, and with a wrong one, the form says so', async ({
  page,
  gateway,
}) => {
  const key = await makeCode(page, gateway.url, {});
  await asNewUser(page, gateway.url, { TopUpLink: '' });
  await page.goto(`${gateway.url}/app/wallet`);
  await expect(balance(page)).toContainText('$2.00');
  await expect(page.getByText('超级管理员未设置充值链接！')).toBeVisible();
  await redeeming(page).getByRole('button', { name: '兑换', exact: true }).click();
  await expect(redeeming(page).getByText('请输入兑换码！')).toBeVisible();
  await expect(page.getByRole('alert').filter({ hasText: '请输入兑换码！' }).first()).toBeVisible();

  const box = redeeming(page).getByLabel('兑换码', { exact: true });
  await box.fill('nosuchcode');
  await redeeming(page).getByRole('button', { name: '兑换', exact: true }).click();
  await expect(redeeming(page).getByRole('alert')).toBeVisible();
  await expect(box).toHaveValue('nosuchcode');

  await box.fill(` ${key} `);
  await redeeming(page).getByRole('button', { name: '兑换', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: '兑换成功' });
  await expect(dialog).toContainText('+$3.00');
  await expect(balance(page)).toContainText('$5.00');
  await dialog.getByRole('button', { name: '好的' }).click();
  await expect(box).toHaveValue('');
  await expect(page.getByText('$3.00').last()).toBeVisible();
});

test('a gift has words of its own', async ({ page, gateway }) => {
  const key = await makeCode(page, gateway.url, { is_gift: true, max_uses: 5 });
  await asNewUser(page, gateway.url);
  await page.goto(`${gateway.url}/app/wallet?code=${key}`);
  await redeeming(page).getByRole('button', { name: '兑换', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: '礼品码兑换成功' });
  await expect(dialog).toContainText('礼品额度已到账');
  await expect(page).not.toHaveURL(/code=/);
});

test('where no payments are taken the card says so', { tag: '@phone' }, async ({
  page,
  gateway,
}) => {
  await asNewUser(page, gateway.url, { PayAddress: '' });
  await page.goto(`${gateway.url}/app/wallet`);
  await expect(topUp(page).getByText('管理员未开启在线充值！')).toBeVisible();
  await expectReadable(page);
});

test('the price of an amount is asked for when typing stops, and old answers are dropped', async ({
  page,
  gateway,
}) => {
  await asNewUser(page, gateway.url, { ...paying(gateway.url), MinTopUp: 5 });
  const asked: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/user/amount')) asked.push(request.postDataJSON());
  });
  await page.goto(`${gateway.url}/app/wallet`);
  await expect(topUp(page).getByText('¥36.50')).toBeVisible();
  const amount = topUp(page).getByLabel('充值金额（美元）');
  await amount.fill('1');
  await expect(topUp(page).getByText('充值数量不能小于 5')).toBeVisible();
  await topUp(page).getByRole('button', { name: '充值', exact: true }).click();
  await expect(
    page.getByRole('alert').filter({ hasText: '充值数量不能小于 5' }).first(),
  ).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await amount.fill('');
  await amount.pressSequentially('120', { delay: 50 });
  await expect(topUp(page).getByText('¥876.00')).toBeVisible();
  expect(asked).toEqual([
    { amount: 5, top_up_code: '' },
    { amount: 120, top_up_code: '' },
  ]);

  await topUp(page).getByRole('button', { name: '我有充值优惠码' }).click();
  await topUp(page).getByLabel('充值优惠码（可选）').fill('SAVE');
  await expect.poll(() => asked.at(-1)).toEqual({ amount: 120, top_up_code: 'SAVE' });
  await expectAccessible(page);
});

test('a price that cannot be told says why', async ({ page, gateway }) => {
  await asNewUser(page, gateway.url, { ...paying(gateway.url), MinTopUp: 1 });
  await page.route('**/api/user/amount', (route) =>
    route.fulfill({ json: { message: 'error', data: 'no such luck' } }),
  );
  await page.goto(`${gateway.url}/app/wallet`);
  await expect(topUp(page).getByText('错误：no such luck')).toBeVisible();
});

test('paying leads to the payment page in a tab of its own, and what arrives is celebrated', async ({
  page,
  gateway,
  context,
}) => {
  await asNewUser(page, gateway.url, { ...paying(gateway.url), MinTopUp: 1 });
  await page.goto(`${gateway.url}/app/wallet`);
  await topUp(page).getByText('$10', { exact: true }).click();
  await topUp(page).getByRole('button', { name: '微信支付' }).click();
  await expect(topUp(page).getByRole('button', { name: '微信支付' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await expect(topUp(page).getByText('¥73.00')).toBeVisible();
  await topUp(page).getByRole('button', { name: '充值', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: '确认充值' });
  await expect(dialog).toContainText('¥73.00');
  await expectAccessible(page);

  const sent = page.waitForRequest('**/api/user/pay');
  const opened = context.waitForEvent('page');
  await dialog.getByRole('button', { name: '前往支付' }).click();
  expect((await sent).postDataJSON()).toEqual({
    amount: 10,
    top_up_code: '',
    payment_method: 'wx',
  });
  const payment = await opened;
  await expect(payment.getByText('pay here')).toBeVisible();
  await expect(topUp(page).getByText('请在新打开的页面完成支付，正在等待到账…')).toBeVisible();

  const tradeNo = [...epay.orders.keys()].at(-1) ?? '';
  expect(await epay.send(tradeNo, epay.notice(tradeNo))).toBe('success');
  await payment.close();
  const arrived = page.getByRole('dialog', { name: '充值到账' });
  await expect(arrived).toContainText('+$10.00', { timeout: 15_000 });
  await arrived.getByRole('button', { name: '好的' }).click();
  await expect(balance(page)).toContainText('$12.00');
  await page.getByText('充值订单').click();
  await expect(page.getByText('已支付')).toBeVisible();
});

test('a refused payment says so and stays where it is', async ({ page, gateway }) => {
  await asNewUser(page, gateway.url, { ...paying(gateway.url), MinTopUp: 1 });
  await page.route('**/api/user/pay', (route) =>
    route.fulfill({ json: { message: 'error', data: 'the shop is closed' } }),
  );
  await page.goto(`${gateway.url}/app/wallet`);
  await topUp(page).getByRole('button', { name: '充值', exact: true }).click();
  await page.getByRole('button', { name: '前往支付' }).click();
  await expect(page.getByText('支付请求失败')).toBeVisible();
  await expect(page.getByText('the shop is closed')).toBeVisible();
});
