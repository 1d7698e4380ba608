/** The statement in the wallet, and that of any account for administrators. */
import { expect, type Page } from '@playwright/test';
import { call, onlyChannel } from '../support/admin-calls.ts';
import { expectReadable, signIn, test } from '../support/browser.ts';
import { asNewUser, asRoot } from '../support/own-account.ts';

test.slow();

const days = (page: Page) => page.getByRole('table', { name: 'Days of the statement' });
const lineOf = (page: Page, name: string) => days(page).getByRole('row').filter({ hasText: name });

async function makeCode(page: Page): Promise<string> {
  const code = { name: 'statement', quota: 1_500_000 };
  const [key = ''] = await call<string[]>(page, 'POST', '/api/redemption/', code);
  return key;
}

/** A call of the signed-in user, which is charged. */
async function chat(page: Page): Promise<void> {
  const token = { name: 'statement', unlimited_quota: true };
  const made = await call<{ id: number }>(page, 'POST', '/api/token/', token);
  const { key } = await call<{ key: string }>(page, 'POST', `/api/token/${made.id}/key`);
  const answer = await page.request.post('/v1/chat/completions', {
    headers: { authorization: `Bearer ${key}` },
    data: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] },
  });
  expect(answer.status()).toBe(200);
}

test('the statement follows each event and leads to its entries', async ({ page, upstream }) => {
  await asRoot(page);
  await onlyChannel(page, upstream, 'gpt-4o-mini');
  const code = await makeCode(page);
  const user = await asNewUser(page);
  await page.goto('/app/wallet');
  await expect(days(page)).toContainText('Credit +$2.00');

  await page.getByLabel('Redemption code', { exact: true }).fill(code);
  await page.getByRole('button', { name: 'Redeem', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Good' }).click();
  await expect(days(page)).toContainText('Credit +$5.00');

  await chat(page);
  await page.reload();
  await days(page).getByRole('button').first().click();
  await expect(lineOf(page, 'Opening credit')).toContainText('+$2.00');
  await expect(lineOf(page, 'Redemption code')).toContainText('+$3.00');
  const charge = lineOf(page, 'gpt-4o-mini').getByRole('link');
  await expect(charge).toHaveText(/^-\$0\.0/);
  await expect(lineOf(page, 'gpt-4o-mini')).toContainText('1 call');
  await expectReadable(page);
  const units = (await charge.textContent())?.replace('-', '') ?? '';

  await charge.click();
  const sum = page.getByLabel('Sums of the filter').locator('dd').first();
  await expect(sum).toHaveText(units);

  await signIn(page);
  await page.goto(`/admin/users?id=${user.id}`);
  await page.getByRole('dialog').getByRole('link', { name: 'Statement' }).click();
  await expect(page.getByText(`Statement of ${user.username}, `)).toBeVisible();
  await days(page).getByRole('button').first().click();
  await expect(lineOf(page, 'gpt-4o-mini').getByRole('link')).toHaveText(`-${units}`);
  await expectReadable(page);
  await lineOf(page, 'gpt-4o-mini').getByRole('link').click();
  await expect(sum).toHaveText(units);
});

test('the statement of another month is reached by its arrows, and as CSV', async ({ page }) => {
  const { username } = await asNewUser(page);
  await page.goto('/app/wallet');
  await expect(days(page)).toContainText('Credit +$2.00');
  const address = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
  const csv = await (await page.request.get(`${address}`)).text();
  expect(csv).toContain(',opening,,1,1000000,2.000000,1000000');
  await page.getByRole('button', { name: 'Previous month' }).click();
  await expect(page).toHaveURL(/month=20\d\d-\d\d/);
  await expect(page.getByText('Nothing changed the balance in this month.')).toBeVisible();
  await expect(page.getByText(`Statement of ${username}, `)).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('button', { name: 'Previous month' })).toBeHidden();
  await expect(page.getByText(`Statement of ${username}, `)).toBeVisible();
});
