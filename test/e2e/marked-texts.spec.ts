/** Every page shows only texts of the locale files, and no page is painted before its texts. */
import { expect, type Page } from '@playwright/test';
import { call } from './admin-calls.ts';
import { signIn, test } from './browser.ts';
import { expectNoKeys, markTexts, unmarkedTexts, watchKeys } from './marked-texts.ts';

const GUEST_PATHS = ['/', '/login', '/register', '/reset', '/pricing', '/about', '/nope'];
const PATHS = [
  '/app/dashboard',
  '/app/tokens',
  '/app/tokens?id=new',
  '/app/logs/api-usage',
  '/app/logs/drawing',
  '/app/logs/tasks',
  '/app/wallet',
  '/app/me',
  '/app/me?tab=security',
  '/app/me?tab=notice',
  '/app/me?tab=other',
  '/app/inbox',
  '/playground',
  '/user/edit',
  '/admin/channels',
  '/admin/channels?id=new',
  '/admin/coupons',
  '/admin/coupons?id=new',
  '/admin/messages',
  '/admin/messages?id=new',
  '/admin/users',
  '/admin/users?id=new',
  '/admin/settings',
  '/admin/settings?tab=ratelimit',
  '/admin/settings?tab=models',
  '/admin/settings?tab=system',
  '/admin/settings?tab=other',
];

for (const language of ['en', 'zh'] as const) {
  test.describe(language, () => {
    test.use({ language });

    test('every page shows only marked texts and data', async ({ page, gateway }) => {
      await markTexts(page);
      await watchKeys(page);
      const found: string[] = [];
      const look = async (path: string) => {
        await page.waitForLoadState('networkidle');
        await expect(page.locator('.mantine-Skeleton-root')).toHaveCount(0);
        const texts = await unmarkedTexts(page, language);
        found.push(...texts.map((text) => `${path}: ${text}`));
      };
      await page.goto(gateway.url);
      for (const path of GUEST_PATHS) {
        await open(page, path);
        await look(path);
      }
      await signIn(page, gateway.url);
      await call(page, 'POST', `${gateway.url}/api/token/`, { name: '1' });
      await page.goto(gateway.url);
      for (const path of PATHS) {
        await open(page, path);
        await look(path);
      }
      expect(found).toEqual([]);
      await expectNoKeys(page);
    });
  });
}

/** Without loading the console again. */
async function open(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
}

test('no key is painted while the texts of a page load late, also after a change of language', async ({
  page,
  gateway,
}) => {
  await watchKeys(page);
  await signIn(page, gateway.url);
  const held: (() => void)[] = [];
  await page.route(/\/assets\/(user|wallet)-[\w-]+\.js$/, async (route) => {
    await new Promise<void>((resolve) => held.push(resolve));
    await route.continue();
  });
  await page.goto(`${gateway.url}/app/me`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await open(page, '/admin/users');
  await expect.poll(() => held.length).toBe(1);
  await page.getByRole('button', { name: 'Language' }).click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await expect.poll(() => held.length).toBe(2);
  for (const release of held.splice(0)) release();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('用户管理');
  await expectNoKeys(page);
});
