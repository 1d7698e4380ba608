/** Lists keep what matters in a window of 1024 px: no table scrolls sideways under its actions. */
import { expect, type Page } from '@playwright/test';
import { call } from './support/admin-calls.ts';
import { signIn, test } from './support/browser.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { aCall, aDrawing, aTask, signInAsSomeone, store } from './support/log-data.ts';

// One test opens every list.
test.slow();
test.use({ viewport: { width: 1024, height: 768 } });

let gateway: Gateway;

test.beforeAll(async () => {
  gateway = await startGateway();
  await gateway.setUp();
  await store(gateway, { logs: [aCall({})], drawings: [aDrawing()], tasks: [aTask()] });
});

test.afterAll(() => gateway.remove());

const LISTS = [
  '/app/tokens',
  '/app/logs/api-usage',
  '/app/logs/drawing',
  '/app/logs/tasks',
  '/admin/channels',
  '/admin/budgets',
  '/admin/coupons',
  '/admin/users',
  '/pricing',
];

/** Pixels that the widest table exceeds its box by. */
function excessOf(page: Page): Promise<number> {
  return page.getByRole('main').evaluate((main) =>
    Math.max(
      ...[...main.querySelectorAll('table')].map((table) => {
        const box = table.parentElement ?? table;
        return box.scrollWidth - box.clientWidth;
      }),
    ),
  );
}

test('every list fits a window of 1024 px', async ({ page }) => {
  await signIn(page, gateway.url);
  await call(page, 'POST', `${gateway.url}/api/token/`, { name: 'a', unlimited_quota: true });
  const channel = { name: 'a', type: 1, key: 'sk-a', models: 'gpt-4o' };
  await call(page, 'POST', `${gateway.url}/api/channel/`, channel);
  await call(page, 'POST', `${gateway.url}/api/redemption/`, { name: 'a', quota: 1, count: 1 });
  const budget = { subject: 'site', period: 'month', limit_amount: 5_000_000 };
  await call(page, 'POST', `${gateway.url}/api/budget/`, budget);
  for (const path of LISTS) {
    await page.goto(`${gateway.url}${path}`);
    await expect(page.getByRole('main').getByRole('columnheader').first(), path).toBeVisible();
    await page.waitForLoadState('networkidle');
    expect(await excessOf(page), path).toBeLessThan(1);
  }
});

test('the groups of the settings fit a window of 1024 px', async ({ page }) => {
  await signIn(page, gateway.url);
  await page.goto(`${gateway.url}/admin/settings`);
  await expect(page.getByLabel('Ratio: default')).toBeVisible();
  expect(await excessOf(page)).toBeLessThan(1);
});

test('the cost of image tasks is shown', async ({ page }) => {
  await signIn(page, gateway.url);
  await page.goto(`${gateway.url}/app/logs/drawing`);
  await expect(page.getByRole('columnheader', { name: 'Cost' })).toBeVisible();
});

test('users see what an entry of their log is about beside its cost', async ({ page }) => {
  const { id, username } = await signInAsSomeone(page, gateway);
  await store(gateway, { logs: [aCall({ user_id: id, username })] });
  await page.goto(`${gateway.url}/app/logs/api-usage`);
  await expect(page.getByRole('columnheader', { name: 'Details', exact: true })).toBeVisible();
  await expect(page.getByRole('row', { name: /gpt-4o-mini/ })).toContainText('$0.15');
  expect(await excessOf(page)).toBeLessThan(1);
});
