/** What a channel costs: its setting, the log entries and the dashboard; and models no longer sold. */
import { expect } from '@playwright/test';
import { aName, call } from '../support/admin-calls.ts';
import { expectAccessible, expectReadable, signIn } from '../support/browser.ts';
import { test } from '../support/channel-data.ts';
import { aCall, signInAsSomeone, store } from '../support/log-data.ts';

test.beforeEach(({ page }) => signIn(page));

test('the cost factor of a channel is set in its editor', async ({ page, makeChannel }) => {
  const { id } = await makeChannel();
  const cost = async () => {
    const stored = await call<{ cost: string }>(page, 'GET', `/api/channel/${id}`);
    return stored.cost === '' ? undefined : JSON.parse(stored.cost);
  };
  await page.goto(`/admin/channels?id=${id}`);
  const drawer = page.getByRole('dialog').first();
  await drawer.getByRole('button', { name: 'Cost', exact: true }).click();
  await drawer.getByRole('textbox', { name: 'Cost factor' }).fill('0.5');
  await expectAccessible(page);
  await drawer.getByRole('button', { name: 'Submit' }).click();
  await expect.poll(cost).toEqual({ factor: 0.5 });
});

test('cost and margin are shown to administrators only', async ({ page, gateway }) => {
  const request_id = aName('costed-');
  const { id: user_id, username } = await signInAsSomeone(page);
  const line = aCall({ request_id, user_id, username, quota: 500_000, cost: 100_000 });
  await store(gateway, { logs: [line] });
  const log = `/app/logs/api-usage?request=${request_id}`;
  await page.goto(log);
  await page.getByRole('row').nth(1).click();
  await expect(page.getByText('gpt-4o-mini').first()).toBeVisible();
  await expect(page.getByText('Upstream cost')).toBeHidden();

  await signIn(page);
  await page.goto(log);
  await page.getByRole('row').nth(1).click();
  await expect(page.getByRole('row', { name: 'Upstream cost' })).toContainText('$0.2');
  await expect(page.getByRole('row', { name: 'Margin' })).toContainText('$0.8');

  await page.goto(`/app/dashboard?user=${username}`);
  const chart = page.getByRole('region', { name: 'Cost and margin' });
  await expect(chart).toContainText('Charged');
  await expectReadable(page);
});

test('models that their vendors retired are marked', async ({ page, makeChannel }) => {
  const { id } = await makeChannel({ models: 'gpt-4o,grok-code-fast-1' });
  await page.goto(`/admin/channels?id=${id}`);
  const drawer = page.getByRole('dialog').first();
  await expect(drawer.getByText('Retired by the vendor: grok-code-fast-1')).toBeVisible();
});
