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
  });
