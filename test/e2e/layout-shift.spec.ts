/** Pages do not move under the reader's eyes while their data arrives. */
import { expect, type Page } from '@playwright/test';
import { signIn, test, WINDOWS } from './support/browser.ts';

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

async function shiftOf(page: Page, address: string): Promise<number> {
  await page.goto(address);
  await page.waitForLoadState('networkidle');
  await expect(page.locator('.mantine-Skeleton-root')).toHaveCount(0);
  return page.evaluate<number>('window.layoutShift');
}

for (const { name, use } of WINDOWS)
  test.describe(name, () => {
    test.use(use);
    test('no page shifts its content while it loads', async ({ page, gateway }) => {
      await page.addInitScript(`{
        window.layoutShift = 0;
        const add = (list) => list.getEntries().forEach((entry) => (window.layoutShift += entry.value));
        new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true });
      }`);
      await signIn(page, gateway.url);
      for (const path of PAGES)
        expect(await shiftOf(page, `${gateway.url}${path}`), path).toBeLessThan(MOST_SHIFT);
    });
  });
