/** Pages do not move under the reader's eyes while their data arrives. */
import { expect, type Page } from '@playwright/test';
import { signIn, test, WINDOWS } from './support/browser.ts';
import { aCall, store } from './support/log-data.ts';

const PAGES = [
  '/app/dashboard',
  '/app/tokens',
  '/app/logs/api-usage',
  '/app/wallet',
  '/pricing',
  '/admin/channels',
  '/admin/coupons',
  '/admin/users',
];
/** What browsers call a good page. */
const MOST_SHIFT = 0.1;

async function shiftOf(page: Page, path: string): Promise<number> {
  await page.goto(path);
  await page.waitForLoadState('networkidle');
  await expect(page.locator('.mantine-Skeleton-root')).toHaveCount(0);
  return page.evaluate<number>('window.layoutShift');
}

const TABLET = { name: 'on a tablet', use: { viewport: { width: 1024, height: 768 } } };

for (const { name, use } of [...WINDOWS, TABLET])
  test.describe(name, () => {
    test.use(use);
    test('no page shifts its content while it loads', async ({ page, gateway }) => {
      const created_at = Math.floor(Date.now() / 1000) - 60;
      await store(gateway, { logs: [aCall({ created_at, quota: 100_000 })] });
      await page.addInitScript(`{
        window.layoutShift = 0;
        const add = (list) => list.getEntries().forEach((entry) => (window.layoutShift += entry.value));
        new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true });
      }`);
      await signIn(page);
      for (const path of PAGES) expect(await shiftOf(page, path), path).toBeLessThan(MOST_SHIFT);
    });

    test('the filters of the log stay at their place when its sums arrive', async ({
      page,
      gateway,
    }) => {
      await store(gateway, { logs: [aCall({ quota: 100_000, cost: 50_000 })] });
      await signIn(page);
      let letGo = () => {};
      const isSeen = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await page.route('**/api/log/stat?*', async (route) => {
        await isSeen;
        await route.continue();
      });
      await page.goto('/app/logs/api-usage');
      const filters = page.getByRole('search');
      const sums = page.getByLabel('Sums of the filter');
      await expect(page.getByText('gpt-4o-mini').first()).toBeVisible();
      await expect(sums.locator('.mantine-Skeleton-root').first()).toBeVisible();
      const before = await filters.boundingBox();
      letGo();
      await expect(sums.locator('.mantine-Skeleton-root')).toHaveCount(0);
      expect(await filters.boundingBox()).toEqual(before);
    });
  });
