import { expect, type Page } from '@playwright/test';
import { type FakeEpay, startFakeEpay } from '../../support/fake-epay.ts';
import { call } from '../support/admin-calls.ts';
import { expectAccessible, expectReadable, test } from '../support/browser.ts';
import { asNewUser, asRoot } from '../support/own-account.ts';

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

async function makeCode(page: Page, fields: object): Promise<string> {
  await asRoot(page);
  const [key = ''] = await call<string[]>(page, 'POST', '/api/redemption/', {
    name: 'browser',
    quota: 1_500_000,
    ...fields,
  });
  return key;
}

const balance = (page: Page) => page.getByRole('region', { name: 'Balance' });
const redeeming = (page: Page) => page.getByRole('region', { name: 'Redeem a code' });
const topUp = (page: Page) => page.getByRole('region', { name: 'Top up online' });

test('a code in the address fills the field and locks it', async ({ page }) => {
  const key = await makeCode(page, {});
  await asNewUser(page, { TopUpLink: 'https://shop.example.com' });
  await page.goto(`/app/wallet?code=${key}`);
  const box = redeeming(page).getByLabel('Redemption code', { exact: true });
  await expect(box).toHaveValue(key);
  await expect(box).not.toBeEditable();
  await expect(redeeming(page).getByRole('link', { name: 'Buy one' })).toHaveAttribute(
    'href',
    'https://shop.example.com',
  );
  await redeeming(page).getByRole('button', { name: 'Change it' }).click();
  await expect(box).toBeEditable();
  await expect(box).toHaveValue(key);
  await expect(page).not.toHaveURL(/code=/);
});

test('a code adds to the balance at once; a wrong one shows an error', async ({ page }) => {
  const key = await makeCode(page, {});
  await asNewUser(page, { TopUpLink: '' });
  await page.goto('/app/wallet');
  await expect(balance(page)).toContainText('$2.00');
  await expect(page.getByText('The super administrator has not set a top-up link')).toBeVisible();
  await redeeming(page).getByRole('button', { name: 'Redeem', exact: true }).click();
  await expect(redeeming(page).getByText('Please enter redemption code!')).toBeVisible();
  await expect(
    page.getByRole('alert').filter({ hasText: 'Please enter redemption code!' }).first(),
  ).toBeVisible();

  const box = redeeming(page).getByLabel('Redemption code', { exact: true });
  await box.fill('nosuchcode');
  await redeeming(page).getByRole('button', { name: 'Redeem', exact: true }).click();
  await expect(redeeming(page).getByRole('alert')).toBeVisible();
  await expect(box).toHaveValue('nosuchcode');

  await box.fill(` ${key} `);
  await redeeming(page).getByRole('button', { name: 'Redeem', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Redeemed' });
  await expect(dialog).toContainText('+$3.00');
  await expect(balance(page)).toContainText('$5.00');
  await dialog.getByRole('button', { name: 'Good' }).click();
  await expect(box).toHaveValue('');
  await expect(page.getByRole('table', { name: 'Days of the statement' })).toContainText('+$5.00');
});

test('a redeemed gift code shows its own message', async ({ page }) => {
  const key = await makeCode(page, { is_gift: true, max_uses: 5 });
  await asNewUser(page);
  await page.goto(`/app/wallet?code=${key}`);
  await redeeming(page).getByRole('button', { name: 'Redeem', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Gift received' });
  await expect(dialog).toContainText('The quota of the gift was added');
  await expect(page).not.toHaveURL(/code=/);
});

test('the card says if online top-up is not enabled', async ({ page }) => {
  await asNewUser(page, { PayAddress: '' });
  await page.goto('/app/wallet');
  await expect(topUp(page).getByText('Administrator has not enabled online top-up!')).toBeVisible();
  await expectReadable(page);
});

test('the price of an amount is requested when typing stops', async ({ page, gateway }) => {
  await asNewUser(page, { ...paying(gateway.url), MinTopUp: 5 });
  const requests: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/user/amount')) requests.push(request.postDataJSON());
  });
  await page.goto('/app/wallet');
  await expect(topUp(page).getByText('¥36.50')).toBeVisible();
  const amount = topUp(page).getByRole('textbox', { name: 'Amount in dollars' });
  await amount.fill('1');
  await expect(topUp(page).getByText('Top-up amount cannot be less than 5')).toBeVisible();
  await topUp(page).getByRole('button', { name: 'Top up', exact: true }).click();
  await expect(
    page.getByRole('alert').filter({ hasText: 'Top-up amount cannot be less than 5' }).first(),
  ).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await amount.fill('');
  await amount.pressSequentially('120', { delay: 50 });
  await expect(topUp(page).getByText('¥876.00')).toBeVisible();
  expect(requests).toEqual([
    { amount: 5, top_up_code: '' },
    { amount: 120, top_up_code: '' },
  ]);

  await topUp(page).getByRole('button', { name: 'I have a top-up code' }).click();
  await topUp(page).getByLabel('Top-up code (optional)').fill('SAVE');
  await expect.poll(() => requests.at(-1)).toEqual({ amount: 120, top_up_code: 'SAVE' });
  await expectAccessible(page);
});

test('a price that cannot be computed shows the reason', async ({ page, gateway }) => {
  await asNewUser(page, { ...paying(gateway.url), MinTopUp: 1 });
  await page.route('**/api/user/amount', (route) =>
    route.fulfill({ json: { message: 'error', data: 'no such luck' } }),
  );
  await page.goto('/app/wallet');
  await expect(topUp(page).getByText('Error: no such luck')).toBeVisible();
});

test('paying opens a new tab, and what arrives is announced', async ({
  page,
  gateway,
  context,
}) => {
  await asNewUser(page, { ...paying(gateway.url), MinTopUp: 1 });
  await page.goto('/app/wallet');
  await topUp(page).getByText('$10', { exact: true }).click();
  await topUp(page).getByRole('button', { name: 'WeChat Pay' }).click();
  await expect(topUp(page).getByRole('button', { name: 'WeChat Pay' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await expect(topUp(page).getByText('¥73.00')).toBeVisible();
  await topUp(page).getByRole('button', { name: 'Top up', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm the top-up' });
  await expect(dialog).toContainText('¥73.00');
  await expectAccessible(page);

  const sent = page.waitForRequest('**/api/user/pay');
  const opened = context.waitForEvent('page');
  await dialog.getByRole('button', { name: 'Go and pay' }).click();
  expect((await sent).postDataJSON()).toEqual({
    amount: 10,
    top_up_code: '',
    payment_method: 'wx',
  });
  const payment = await opened;
  await expect(payment.getByText('pay here')).toBeVisible();
  await expect(
    topUp(page).getByText('Waiting for your payment. Complete it in the other tab.'),
  ).toBeVisible();

  const tradeNo = [...epay.orders.keys()].at(-1) ?? '';
  expect(await epay.send(tradeNo, epay.notice(tradeNo))).toBe('success');
  await payment.close();
  const arrived = page.getByRole('dialog', { name: 'Top-up received' });
  await expect(arrived).toContainText('+$10.00', { timeout: 15_000 });
  await arrived.getByRole('button', { name: 'Good' }).click();
  await expect(balance(page)).toContainText('$12.00');
  await page.getByText('Orders').click();
  await expect(page.locator('tbody').getByText('Paid')).toBeVisible();
});

test('a refused payment shows an error and stays on the page', async ({ page, gateway }) => {
  await asNewUser(page, { ...paying(gateway.url), MinTopUp: 1 });
  await page.route('**/api/user/pay', (route) =>
    route.fulfill({ json: { message: 'error', data: 'the shop is closed' } }),
  );
  await page.goto('/app/wallet');
  await topUp(page).getByRole('button', { name: 'Top up', exact: true }).click();
  await page.getByRole('button', { name: 'Go and pay' }).click();
  await expect(page.getByText('Payment request failed')).toBeVisible();
  await expect(page.getByText('the shop is closed')).toBeVisible();
});

test('a low balance is shown on every page but the wallet, and leads there', async ({ page }) => {
  await asNewUser(page, {}, { quota: 500 });
  await page.goto('/app/tokens');
  const banner = page.getByRole('status').filter({ hasText: 'Your balance is low: $0.001 left.' });
  await expect(banner).toBeVisible();
  await expectReadable(page);
  await banner.getByRole('link', { name: 'Top up' }).click();
  await expect(balance(page)).toContainText('$0.001');
  await expect(banner).toHaveCount(0);
});
