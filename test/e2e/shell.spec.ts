import { expect, type Page } from '@playwright/test';
import packageJson from '../../package.json' with { type: 'json' };
import { call } from './support/admin-calls.ts';
import {
  beforeScripts,
  beReader,
  expectAccessible,
  expectNoSidewaysScroll,
  expectReadable,
  forgive,
  isPhone,
  overrideStatus,
  PHONE,
  signIn,
  test,
  WINDOWS,
} from './support/browser.ts';
import { ROOT, startGateway } from './support/gateway.ts';
import { visit } from './support/visit.ts';

const PAGE_LIGHT = 'rgb(247, 248, 250)';
const PAGE_DARK = 'rgb(18, 21, 28)';

/** In its `status`: toasts are statuses too. */
const state = (page: Page) => page.getByRole('region', { name: 'Gateway' }).getByRole('status');

test('the home page shows name and status, and visitors no version', async ({ page, gateway }) => {
  await page.goto('/');

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('AI Model Gateway');
  await expect(page.getByRole('banner')).toContainText('AI Model');
  await expect(state(page)).toHaveText('Running');
  await expect(page.getByText(packageJson.version, { exact: true })).toHaveCount(0);
  await expect(page.getByText(`${gateway.url}/v1`)).toBeVisible();
  await expect(page).toHaveTitle('AI Model Gateway');
  expect((await page.getByRole('banner').boundingBox())?.height).toBe(56);
  await expectNoSidewaysScroll(page);
});

test('a selected language applies to all texts at once and is kept', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Language' }).click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await expect(page.getByText('运行中', { exact: true })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  await page.reload();
  await expect(page.getByText('运行中', { exact: true })).toBeVisible();

  await page.getByRole('button', { name: '切换语言' }).click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();
  await expect(page.getByText('Running', { exact: true })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await expect(page.locator('body')).not.toContainText(/\p{Script=Han}/u);
  await expectNoSidewaysScroll(page);
});

test('the theme is that of the system, or the selected one before scripts run', async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto('/');
  await expect(page.getByRole('button', { name: 'Switch to light mode' })).toBeVisible();
  await expect(page.locator('body')).toHaveCSS('background-color', PAGE_DARK);
  await page.emulateMedia({ colorScheme: 'light' });
  await expect(page.locator('body')).toHaveCSS('background-color', PAGE_LIGHT);

  await page.getByRole('button', { name: 'Switch to dark mode' }).click();
  await expect(page.locator('body')).toHaveCSS('background-color', PAGE_DARK);
  expect(await page.evaluate('localStorage.getItem("theme-mode")')).toBe('dark');

  // Without the application's own script only what runs before the first paint is left.
  await page.route('**/assets/*.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: '' }),
  );
  await page.reload();
  await expect(page.locator('body')).toHaveCSS('background-color', PAGE_DARK);
});

test('an unknown address shows a page with a link home', async ({ page }) => {
  await page.goto('/no/such/page');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found');
  await expectNoSidewaysScroll(page);

  await page.getByRole('main').getByRole('link', { name: 'Home' }).click();
  await expect(state(page)).toHaveText('Running');
});

test('the keyboard can skip the top bar to the content', async ({ page }) => {
  await page.goto('/');
  await expect(state(page)).toHaveText('Running');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});

test('a wrong password shows an error on the page and keeps the name', async ({ page }) => {
  await page.goto('/login');
  const form = page.getByRole('main');
  await form.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByText('Enter username and password').first()).toBeVisible();

  await page.getByLabel('Username or e-mail').fill(ROOT.username);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await form.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(form.getByRole('alert')).toBeVisible();
  await expect(page.getByLabel('Username or e-mail')).toHaveValue(ROOT.username);
});

test('a session that ended elsewhere leads to the sign-in page and back', async ({
  page,
  complaints,
}) => {
  await signIn(page);
  const read = page.waitForResponse('**/unread_count');
  await page.goto('/about?from=here');
  await read;
  // An answer that is still on its way may bring the cookie back.
  await expect(async () => {
    await page.context().clearCookies();
    await page.keyboard.press('r');
    await expect(page).toHaveURL(/\/login\?expired=true&returnTo=%2Fabout%3Ffrom%3Dhere$/, {
      timeout: 2000,
    });
  }).toPass();
  await expect(
    page.getByText('Not logged in or login has expired, please log in again!'),
  ).toBeVisible();
  await page.getByLabel('Username or e-mail').fill(ROOT.username);
  await page.getByLabel('Password', { exact: true }).fill(ROOT.password);
  await page.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page).toHaveURL('/about?from=here');
  forgive(complaints, /401/);
});

test('signing out removes the user and keeps preferences', async ({ page }) => {
  await signIn(page);
  await page.goto('/about');
  const choices = { 'theme-mode': 'dark', 'page-size': '50', default_collapse_sidebar: 'true' };
  await page.evaluate(
    `for (const [key, value] of Object.entries(${JSON.stringify(choices)})) localStorage.setItem(key, value)`,
  );
  await page.getByRole('button', { name: /Account menu:\s*root/ }).click();
  await expectAccessible(page);
  // Signing out works even if the gateway cannot be reached.
  let received = 0;
  await page.route('**/api/user/logout', (route) => {
    received += 1;
    return route.fulfill({ json: { success: false, message: 'no' } });
  });
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page).toHaveURL('/login');
  await expect(page.getByText('Signed out')).toBeVisible();
  expect(received).toBe(1);
  expect(await page.evaluate('localStorage.getItem("user")')).toBeNull();
  expect(await page.evaluate('({ ...localStorage })')).toMatchObject(choices);
});

test('open menus, lists and popups are part of a landmark', async ({ page }) => {
  await signIn(page);
  await call(page, 'POST', '/api/token/', { name: 'a', unlimited_quota: true });
  await page.goto('/app/tokens');
  const opened = [
    [page.getByRole('button', { name: 'More actions' }).first(), page.getByRole('menu')],
    [page.getByRole('button', { name: 'Columns' }), page.getByRole('dialog')],
    [page.getByRole('combobox', { name: 'Rows per page' }), page.getByRole('listbox')],
  ] as const;
  for (const [button, layer] of opened) {
    await button.click();
    await expect(layer).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect(layer).toHaveCount(0);
  }
});

test('shortcuts navigate, list themselves and search, not in text fields', async ({ page }) => {
  await signIn(page);
  await page.goto('/about');
  await expect(page.getByRole('button', { name: /Account menu:\s*root/ })).toBeVisible();

  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await page.keyboard.press('Control+k');
  const search = page.getByPlaceholder('Search pages, actions and records');
  await search.fill('gt?');
  await expect(search).toHaveValue('gt?');
  await expect(page).toHaveURL(/\/about$/);
  await search.fill('Wallet');
  await search.press('Enter');
  await expect(page).toHaveURL(/\/app\/wallet$/);

  // Where no page matches, Enter opens the first record.
  await page.keyboard.press('Control+k');
  await search.fill('root');
  await expect(page.getByText('User #1')).toBeVisible();
  await search.press('Enter');
  await expect(page).toHaveURL(/\/admin\/users\?id=1$/);
  await expect(search).toHaveCount(0);
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await expect(page).toHaveURL(/\/admin\/channels$/);
});

test('the side menu collapses to icons and stays collapsed', async ({ page }) => {
  await signIn(page);
  await page.goto('/about');
  const menu = page.getByRole('navigation', { name: 'Pages' });
  const widthOf = async () => (await page.locator('.mantine-AppShell-navbar').boundingBox())?.width;
  await expect(menu.getByRole('link', { name: 'Channels' })).toBeVisible();
  expect(await widthOf()).toBe(200);

  await page.getByRole('button', { name: 'Collapse the side menu' }).click();
  await expect.poll(widthOf).toBe(60);
  expect(await page.evaluate('localStorage.getItem("default_collapse_sidebar")')).toBe('true');
  await page.reload();
  await expect(page.getByRole('button', { name: 'Expand the side menu' })).toBeVisible();
  expect(await widthOf()).toBe(60);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectAccessible(page);

  await page.goto('/');
  await expect(state(page)).toHaveText('Running');
  await expect(menu).toHaveCount(0);
});

test.describe(PHONE.name, () => {
  test.use(PHONE.use);
  test('on a phone the menu is in a drawer', async ({ page }) => {
    await signIn(page);
    await page.goto('/about');
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'Menu' });
    await expect(drawer.getByRole('link', { name: 'API tokens' })).toBeVisible();
    await expectAccessible(page);
    await drawer.getByRole('link', { name: 'Home' }).click();
    await expect(drawer).toHaveCount(0);
    await expect(state(page)).toHaveText('Running');
    // Its width makes a phone, not its touch.
    const burger = page.getByRole('button', { name: 'Menu', exact: true });
    await page.setViewportSize({ width: 600, height: 844 });
    await expect(burger).toHaveCount(0);
    await page.setViewportSize({ width: 599, height: 844 });
    await expect(burger).toBeVisible();
  });
});

for (const { name, use } of WINDOWS)
  test.describe(name, () => {
    test.use(use);
    test('the shell shows the texts of the site', async ({ ownPage: page }) => {
      const logo = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAICTAEAOw==';
      const unread = [2, 100];
      try {
        await page.clock.install({ time: new Date(2027, 0, 1, 12) });
        await overrideStatus(page, {
          system_name: 'Acme AI',
          logo,
          footer_html: '<b>Acme Ltd</b><img src="x:" onerror="window.ran = true">',
          docs_link: 'https://docs.example.com',
          self_use_mode_enabled: true,
          demo_site_enabled: true,
        });
        await page.route('**/api/user/messages/unread_count', (route) =>
          route.fulfill({
            json: { success: true, message: '', data: { unread_count: unread.shift() ?? 100 } },
          }),
        );
        await page.goto('/about');
        await expect(page).toHaveTitle('About - Acme AI');
        await expect(page.locator('link[rel=icon]')).toHaveAttribute('href', logo);
        const bar = page.getByRole('banner');
        await expect(bar.getByText('Acme AI')).toBeVisible();
        await expect(bar.getByRole('link', { name: 'Sign in' })).toBeVisible();
        await expect(bar.getByRole('link', { name: 'Register' })).toHaveCount(0);
        const footer = page.getByRole('contentinfo');
        await expect(footer.getByText('Acme Ltd')).toBeVisible();
        await expect(footer.getByRole('link', { name: 'AI Model Gateway' })).toHaveCount(1);
        expect(await page.evaluate('window.ran')).toBeUndefined();
        await bar.getByRole('button', { name: 'Happy new year!' }).click();

        await signIn(page);
        await page.reload();
        // The bell asks again 30 s after an answer, so the answer must be there first.
        await expect(bar.getByRole('link', { name: 'Inbox: 2 unread' })).toBeVisible();
        await page.clock.fastForward('00:31');
        await expect(bar.getByRole('link', { name: 'Inbox: 100 unread' })).toBeVisible();
        await expect(bar.getByText('99+')).toBeVisible();
        // A phone has them in its menu.
        if (isPhone(page)) await page.getByRole('button', { name: 'Menu', exact: true }).click();
        const place = isPhone(page) ? page.getByRole('dialog', { name: 'Menu' }) : bar;
        await expect(place.getByText('Self-use mode')).toBeVisible();
        await expect(place.getByText('Demo site')).toBeVisible();
        const docs = place.getByRole('link', { name: 'Docs' });
        await expect(docs).toHaveAttribute('href', 'https://docs.example.com');
        await expect(docs).toHaveAttribute('rel', /noopener/);
        await expect(place.getByRole('link', { name: 'Console' })).toHaveAttribute(
          'href',
          '/app/dashboard',
        );
        await expectNoSidewaysScroll(page);
      } finally {
        // The page polls the status, so a request may still be open when the test ends.
        await page.unrouteAll({ behavior: 'ignoreErrors' });
      }
    });
  });

test('without the clipboard the text is shown for manual copying', async ({ page, gateway }) => {
  await beforeScripts(
    page,
    `
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    document.execCommand = () => false;`,
  );
  await page.goto('/');
  await page.getByRole('button', { name: /Copy/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Copy by hand' });
  await expect(
    dialog.getByText(
      'The browser did not allow copying to the clipboard. Please copy the text by hand.',
    ),
  ).toBeVisible();
  await expect(dialog.getByRole('textbox')).toHaveValue(`${gateway.url}/v1`);
  await expect(dialog.getByRole('textbox')).toBeFocused();
  expect(await page.evaluate('String(getSelection())')).toBe(`${gateway.url}/v1`);
});

const SCREENS = [
  '/',
  '/about',
  '/user-agreement',
  '/login',
  '/register?aff=abcd',
  '/reset',
  '/user/reset?email=a%40b.c&token=t',
  '/nope',
];

test('every screen before sign-in is accessible', async ({ page }) => {
  test.slow();
  await page.goto('/pricing');
  for (const path of SCREENS) {
    await visit(page, path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByRole('contentinfo')).toBeVisible();
    await expectReadable(page);
  }
});

test('a site notice opens once on the home page', async ({ page }) => {
  await beReader(page, ROOT);
  const notify = (value: string) => call(page, 'PUT', '/api/option/', { key: 'Notice', value });
  await notify('Maintenance on **Sunday**');
  try {
    await page.goto('/');
    const notice = page.getByRole('dialog', { name: 'Notice' });
    await expect(notice).toContainText('Maintenance on Sunday');
    await notice.getByRole('button', { name: 'Close' }).click();
    await expect(notice).toHaveCount(0);
    await page.reload();
    await expect(state(page)).toHaveText('Running');
    await expect(notice).toHaveCount(0);
  } finally {
    await notify('');
  }
});

test('an unreachable gateway shows an error beside the last data', async ({ ownPage: page }) => {
  const gateway = await startGateway();
  try {
    await gateway.setUp();
    await page.clock.install();
    await page.goto(gateway.url);
    await expect(state(page)).toHaveText('Running');

    await gateway.stop();
    await page.clock.fastForward('00:31');
    await expect(page.getByRole('alert')).toContainText('Unable to connect to server');
    await expect(state(page)).toHaveText('Unreachable');
    await expect(page.getByText(`${gateway.url}/v1`)).toBeVisible();
    await expectNoSidewaysScroll(page);

    const sent = page.waitForRequest('**/api/status');
    await page.getByRole('button', { name: 'Retry' }).click();
    await sent;
  } finally {
    await page.close();
    await gateway.remove();
  }
});
