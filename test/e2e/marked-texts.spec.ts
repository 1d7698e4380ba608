/** Every page shows only texts of the locale files, and no page is painted before its texts. */
import { expect, type Page } from '@playwright/test';
import { call } from './support/admin-calls.ts';
import { signIn, test } from './support/browser.ts';
import { expectNoKeys, markTexts, unmarkedTexts, watchKeys } from './support/marked-texts.ts';

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
  '/admin/users',
  '/admin/users?id=new',
  '/admin/settings',
  '/admin/settings?tab=ratelimit',
  '/admin/settings?tab=models',
  '/admin/settings?tab=system',
  '/admin/settings?tab=other',
];

test.slow();
// Data of other tests would be found.
test.use({ site: 'marked' });

for (const language of ['en', 'zh'] as const) {
  test.describe(language, () => {
    test.use({ language });

    test('every page shows only texts of the locale files, and data', async ({
      page,
      gateway,
      complaints,
    }) => {
      await markTexts(page);
      await watchKeys(page);
      const found: string[] = [];
      const walk = async (paths: readonly string[]) => {
        await page.goto(`${gateway.url}/about`);
        for (const path of paths) {
          await open(page, path);
          const texts = await unmarkedTexts(page, language);
          found.push(...texts.map((text) => `${path}: ${text}`));
        }
      };
      await walk(GUEST_PATHS);
      await signIn(page, gateway.url);
      await call(page, 'POST', `${gateway.url}/api/token/`, { name: '1' });
      await walk(PATHS);
      // The router warns that `open` is no navigation of its own.
      const others = complaints.filter((text) => !text.includes('use a blocker on a POP'));
      complaints.splice(0, Number.POSITIVE_INFINITY, ...others);
      expect(found).toEqual([]);
      await expectNoKeys(page);
    });
  });
}

/** Opens a page without loading the console again, which would take most of the time. */
async function open(page: Page, path: string): Promise<void> {
  const heading = page.getByRole('heading', { level: 1 }).first();
  await expect(heading).toBeVisible();
  const before = await heading.innerText();
  const isSamePage = new URL(path, page.url()).pathname === new URL(page.url()).pathname;
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  if (!isSamePage) await expect(heading).not.toHaveText(before);
  await expect(page.getByRole('dialog')).toHaveCount(path.endsWith('?id=new') ? 1 : 0);
  await expect(page.locator('.mantine-Skeleton-root, [aria-busy="true"]')).toHaveCount(0);
}

test('no key is painted while the texts of a page load late, also after a change of language', async ({
  page,
  gateway,
  complaints,
}) => {
  await watchKeys(page);
  await signIn(page, gateway.url);
  const held: (() => void)[] = [];
  await page.route(/\/assets\/user-[\w-]+\.js$/, async (route) => {
    const answer = await route.fetch();
    const isTexts = (await answer.text()).includes('"user.added":');
    if (isTexts) await new Promise<void>((resolve) => held.push(resolve));
    await route.fulfill({ response: answer });
  });
  await page.goto(`${gateway.url}/app/me`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Personal settings');
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await expect.poll(() => held.length).toBe(1);
  await page.getByRole('button', { name: 'Language' }).click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await expect.poll(() => held.length).toBe(2);
  for (const release of held) release();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('用户管理');
  await expectNoKeys(page);
  expect(complaints).toEqual([]);
});
