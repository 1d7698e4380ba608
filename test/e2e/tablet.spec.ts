/** Lists keep what matters in a window of 1024 px: no table scrolls sideways under its actions. */
import { expect, type Page } from '@playwright/test';
import { call } from './support/admin-calls.ts';
import { signIn, test } from './support/browser.ts';
import { aCall, aDrawing, aTask, onOwnSite, signInAsSomeone, store } from './support/log-data.ts';
import { BUSY } from './support/page-acts.ts';
import { visit } from './support/visit.ts';

// One test opens every list.
test.slow();
test.use({ viewport: { width: 1024, height: 768 } });

onOwnSite('tablet', { logs: [aCall({})], drawings: [aDrawing()], tasks: [aTask()] });

/** Each with a column that it keeps. */
const LISTS: readonly (readonly [path: string, column?: string])[] = [
  ['/app/tokens'],
  ['/app/logs/api-usage'],
  ['/app/logs/drawing', 'Cost'],
  ['/app/logs/tasks'],
  ['/admin/channels'],
  ['/admin/budgets'],
  ['/admin/coupons'],
  ['/admin/users'],
  ['/pricing'],
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
  await signIn(page);
  await call(page, 'POST', '/api/token/', { name: 'a', unlimited_quota: true });
  const channel = { name: 'a', type: 1, key: 'sk-a', models: 'gpt-4o' };
  await call(page, 'POST', '/api/channel/', channel);
  await call(page, 'POST', '/api/redemption/', { name: 'a', quota: 1, count: 1 });
  const budget = { subject: 'site', period: 'month', limit_amount: 5_000_000 };
  await call(page, 'POST', '/api/budget/', budget);
  await page.goto('/about');
  for (const [path, column] of LISTS) {
    await visit(page, path);
    const heads = page.getByRole('main').getByRole('columnheader', column ? { name: column } : {});
    await expect(heads.first(), path).toBeVisible();
    await expect(page.locator(BUSY)).toHaveCount(0);
    expect(await excessOf(page), path).toBeLessThan(1);
  }
});

test('the groups of the settings fit a window of 1024 px', async ({ page }) => {
  await signIn(page);
  await page.goto('/admin/settings');
  await expect(page.getByLabel('Ratio: default')).toBeVisible();
  expect(await excessOf(page)).toBeLessThan(1);
});

test('users see what an entry of their log is about beside its cost', async ({ page, gateway }) => {
  const { id, username } = await signInAsSomeone(page);
  await store(gateway, { logs: [aCall({ user_id: id, username })] });
  await page.goto('/app/logs/api-usage');
  await expect(page.getByRole('columnheader', { name: 'Details', exact: true })).toBeVisible();
  await expect(page.getByRole('row', { name: /gpt-4o-mini/ })).toContainText('$0.15');
  expect(await excessOf(page)).toBeLessThan(1);
});

test('the filters of the log take one line, and further ones act there', async ({ page }) => {
  await signIn(page);
  await page.goto('/app/logs/api-usage');
  const bar = page.getByRole('search');
  const first = await bar.getByRole('combobox', { name: 'Time range' }).boundingBox();
  const last = await bar.getByRole('button', { name: 'Columns' }).boundingBox();
  expect(last?.y).toBe(first?.y);
  await bar.getByRole('button', { name: 'More filters' }).click();
  await bar.getByRole('textbox', { name: 'User', exact: true }).fill('bob');
  await expect(page).toHaveURL(/[?&]user=bob(&|$)/);
  await bar.getByRole('combobox', { name: 'Token', exact: true }).fill('a');
  await expect(page).toHaveURL(/[?&]token=a(&|$)/);
});
