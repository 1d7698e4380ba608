import { expect, type Page } from '@playwright/test';
import packageJson from '../../package.json' with { type: 'json' };
import { call } from './admin-calls.ts';
import {
  beReader,
  expectAccessible,
  expectNoSidewaysScroll,
  expectReadable,
  isPhone,
  signIn,
  tellStatus,
  test,
} from './browser.ts';
import { ROOT, startGateway } from './gateway.ts';

const PAGE_LIGHT = 'rgb(247, 248, 250)';
const PAGE_DARK = 'rgb(18, 21, 28)';

/** In its `status`: toasts are statuses too. */
const state = (page: Page) => page.getByRole('region', { name: '网关' }).getByRole('status');

test('the front door names the system, says it runs and shows its version', {
  tag: '@phone',
}, async ({ page, gateway }) => {
  await page.goto(gateway.url);

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('AI Model Gateway');
  await expect(page.getByRole('banner')).toContainText('AI Model');
  await expect(state(page)).toHaveText('运行中');
  await expect(page.getByText(packageJson.version, { exact: true })).toBeVisible();
  await expect(page.getByText(`${gateway.url}/v1`)).toBeVisible();
  await expect(page).toHaveTitle('AI Model Gateway');
  expect((await page.getByRole('banner').boundingBox())?.height).toBe(56);
  await expectNoSidewaysScroll(page);
});

test('a chosen language changes every text at once and is kept', async ({ page, gateway }) => {
  await page.goto(gateway.url);
  await page.getByRole('button', { name: '切换语言' }).click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();

  await expect(page.getByText('Running', { exact: true })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');

  await page.reload();
  await expect(page.getByText('Running', { exact: true })).toBeVisible();
  await expect(page.locator('body')).not.toContainText(/\p{Script=Han}/u);
  await expectNoSidewaysScroll(page);
});

test('a chosen theme is kept and stands before the console starts', async ({ page, gateway }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(gateway.url);
  await expect(page.locator('body')).toHaveCSS('background-color', PAGE_LIGHT);

  await page.getByRole('button', { name: '切换到深色模式' }).click();
  await expect(page.locator('body')).toHaveCSS('background-color', PAGE_DARK);
  expect(await page.evaluate('localStorage.getItem("theme-mode")')).toBe('dark');

  // Without the application's own script only what runs before the first paint is left.
  await page.route('**/assets/*.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: '' }),
  );
  await page.reload();
  await expect(page.locator('body')).toHaveCSS('background-color', PAGE_DARK);
});

test('without a choice the theme is the system’s', async ({ page, gateway }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(gateway.url);
  await expect(page.getByRole('button', { name: '切换到浅色模式' })).toBeVisible();
  await expect(page.locator('body')).toHaveCSS('background-color', PAGE_DARK);
});

test('an unknown address leads to a page with a way home', async ({ page, gateway }) => {
  await page.goto(`${gateway.url}/no/such/page`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('页面不存在');
  await expectNoSidewaysScroll(page);

  await page.getByRole('link', { name: '回到首页' }).click();
  await expect(state(page)).toHaveText('运行中');
});

test('the keyboard reaches the content past the top bar', async ({ page, gateway }) => {
  await page.goto(gateway.url);
  await expect(state(page)).toHaveText('运行中');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: '跳到正文' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});

test('a wrong password is told on the page and keeps the name', async ({ page, gateway }) => {
  await page.goto(`${gateway.url}/login`);
  const form = page.getByRole('main');
  await form.getByRole('button', { name: '登录', exact: true }).click();
  await expect(page.getByText('请输入用户名和密码').first()).toBeVisible();

  await page.getByLabel('用户名或邮箱').fill(ROOT.username);
  await page.getByLabel('密码', { exact: true }).fill('not the password');
  await form.getByRole('button', { name: '登录', exact: true }).click();
  await expect(form.getByRole('alert')).toBeVisible();
  await expect(page.getByLabel('用户名或邮箱')).toHaveValue(ROOT.username);
});

test('a session that ended elsewhere leads to signing in, and from there back', async ({
  page,
  gateway,
  complaints,
}) => {
  await signIn(page, gateway.url);
  const read = page.waitForResponse('**/unread_count');
  await page.goto(`${gateway.url}/about?from=here`);
  await read;
  // An answer that is still on its way may bring the cookie back.
  await expect(async () => {
    await page.context().clearCookies();
    await page.keyboard.press('r');
    await expect(page).toHaveURL(/\/login\?expired=true&returnTo=%2Fabout%3Ffrom%3Dhere$/, {
      timeout: 2000,
    });
  }).toPass();
  await expect(page.getByText('未登录或登录已过期，请重新登录！')).toBeVisible();
  await page.getByLabel('用户名或邮箱').fill(ROOT.username);
  await page.getByLabel('密码', { exact: true }).fill(ROOT.password);
  await page.getByRole('main').getByRole('button', { name: '登录', exact: true }).click();
  await expect(page).toHaveURL(`${gateway.url}/about?from=here`);
  // The browser itself notes the refusal.
  expect(complaints.every((text) => text.includes('401'))).toBe(true);
  complaints.length = 0;
});

test('signing out forgets the user, keeps what was chosen, and leads to the sign-in page', async ({
  page,
  gateway,
}) => {
  await signIn(page, gateway.url);
  await page.goto(`${gateway.url}/about`);
  const choices = { 'theme-mode': 'dark', 'page-size': '50', default_collapse_sidebar: 'true' };
  await page.evaluate(
    `for (const [key, value] of Object.entries(${JSON.stringify(choices)})) localStorage.setItem(key, value)`,
  );
  await page.getByRole('button', { name: /账户菜单：\s*root/ }).click();
  await expectAccessible(page);
  // Whoever wants to be gone is gone, also when the gateway cannot be told.
  let told = 0;
  await page.route('**/api/user/logout', (route) => {
    told += 1;
    return route.fulfill({ json: { success: false, message: 'no' } });
  });
  await page.getByRole('menuitem', { name: '退出登录' }).click();
  await expect(page).toHaveURL(`${gateway.url}/login`);
  await expect(page.getByText('已退出登录')).toBeVisible();
  expect(told).toBe(1);
  expect(await page.evaluate('localStorage.getItem("user")')).toBeNull();
  expect(await page.evaluate('({ ...localStorage })')).toMatchObject(choices);
});

test('keys jump, list themselves and open the search, but not while one types', async ({
  page,
  gateway,
}) => {
  await signIn(page, gateway.url);
  await page.goto(`${gateway.url}/about`);
  await expect(page.getByRole('button', { name: /账户菜单：\s*root/ })).toBeVisible();

  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: '键盘快捷键' })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await page.keyboard.press('Control+k');
  const search = page.getByPlaceholder('搜索页面、操作或记录');
  await search.fill('gt?');
  await expect(search).toHaveValue('gt?');
  await expect(page).toHaveURL(/\/about$/);
  await search.fill('钱包');
  await search.press('Enter');
  await expect(page).toHaveURL(/\/app\/wallet$/);

  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await expect(page).toHaveURL(/\/admin\/users$/);
});

test('the side menu folds to icons and stays so', async ({ page, gateway }) => {
  await signIn(page, gateway.url);
  await page.goto(`${gateway.url}/about`);
  const menu = page.getByRole('navigation', { name: '功能导航' });
  const widthOf = async () => (await page.locator('.mantine-AppShell-navbar').boundingBox())?.width;
  await expect(menu.getByRole('link', { name: '渠道' })).toBeVisible();
  expect(await widthOf()).toBe(200);

  await page.getByRole('button', { name: '收起侧边栏' }).click();
  await expect.poll(widthOf).toBe(60);
  expect(await page.evaluate('localStorage.getItem("default_collapse_sidebar")')).toBe('true');
  await page.reload();
  await expect(page.getByRole('button', { name: '展开侧边栏' })).toBeVisible();
  expect(await widthOf()).toBe(60);
  await expectAccessible(page);

  await page.goto(gateway.url);
  await expect(state(page)).toHaveText('运行中');
  await expect(menu).toHaveCount(0);
});

test('a phone has everything in a drawer', { tag: '@only-phone' }, async ({ page, gateway }) => {
  await signIn(page, gateway.url);
  await page.goto(`${gateway.url}/about`);
  await page.getByRole('button', { name: '菜单', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: '菜单' });
  await expect(drawer.getByRole('link', { name: 'API 令牌' })).toBeVisible();
  await expectAccessible(page);
  await drawer.getByRole('link', { name: '首页' }).click();
  await expect(drawer).toHaveCount(0);
  await expect(state(page)).toHaveText('运行中');
  // Its width makes a phone, not its touch.
  const burger = page.getByRole('button', { name: '菜单', exact: true });
  await page.setViewportSize({ width: 600, height: 844 });
  await expect(burger).toHaveCount(0);
  await page.setViewportSize({ width: 599, height: 844 });
  await expect(burger).toBeVisible();
});

test('the shell shows what the site says of itself', { tag: '@phone' }, async ({
  browser,
  gateway,
}) => {
  // Its clock would go on in the pages of later tests.
  const context = await browser.newContext();
  const page = await context.newPage();
  const logo = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAICTAEAOw==';
  const unread = [0, 100];
  try {
    await page.clock.install({ time: new Date(2027, 0, 1, 12) });
    await tellStatus(page, {
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
    await page.goto(`${gateway.url}/about`);
    await expect(page).toHaveTitle('关于 - Acme AI');
    await expect(page.locator('link[rel=icon]')).toHaveAttribute('href', logo);
    const bar = page.getByRole('banner');
    await expect(bar.getByText('Acme AI')).toBeVisible();
    await expect(bar.getByRole('link', { name: '登录' })).toBeVisible();
    await expect(bar.getByRole('link', { name: '注册' })).toHaveCount(0);
    const footer = page.getByRole('contentinfo');
    await expect(footer.getByText('Acme Ltd')).toBeVisible();
    await expect(footer.getByRole('link', { name: 'AI Model Gateway' })).toHaveCount(1);
    expect(await page.evaluate('window.ran')).toBeUndefined();
    await bar.getByRole('button', { name: '新年快乐！' }).click();

    await signIn(page, gateway.url);
    await page.reload();
    await expect(bar.getByRole('link', { name: '消息', exact: true })).toBeVisible();
    await page.clock.fastForward('00:31');
    await expect(bar.getByRole('link', { name: '消息：100 条未读' })).toBeVisible();
    await expect(bar.getByText('99+')).toBeVisible();
    // A phone has them in its menu.
    if (isPhone(page)) await page.getByRole('button', { name: '菜单', exact: true }).click();
    const place = isPhone(page) ? page.getByRole('dialog', { name: '菜单' }) : bar;
    await expect(place.getByText('自用模式')).toBeVisible();
    await expect(place.getByText('演示站点')).toBeVisible();
    const docs = place.getByRole('link', { name: '文档' });
    await expect(docs).toHaveAttribute('href', 'https://docs.example.com');
    await expect(docs).toHaveAttribute('rel', /noopener/);
    await expect(place.getByRole('link', { name: '控制台' })).toHaveAttribute(
      'href',
      '/app/dashboard',
    );
    await expectNoSidewaysScroll(page);
  } finally {
    // Its clock has it ask for the status again and again: an answer on its way is for nobody any more.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  }
});

test('where nothing may be put on the clipboard the text is there to copy by hand', async ({
  page,
  gateway,
}) => {
  await page.addInitScript(`
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    document.execCommand = () => false;`);
  await page.goto(gateway.url);
  await page.getByRole('button', { name: /复制/ }).click();
  const dialog = page.getByRole('dialog', { name: '手动复制' });
  await expect(dialog.getByText('无法复制到剪贴板，请手动复制。')).toBeVisible();
  await expect(dialog.getByRole('textbox')).toHaveValue(`${gateway.url}/v1`);
  await expect(dialog.getByRole('textbox')).toBeFocused();
  expect(await page.evaluate('String(getSelection())')).toBe(`${gateway.url}/v1`);
});

const SCREENS = [
  '/',
  '/about',
  '/login',
  '/register?aff=abcd',
  '/reset',
  '/user/reset?email=a%40b.c&token=t',
  '/nope',
];

test('every screen before sign-in is readable by everyone', { tag: '@phone' }, async ({
  page,
  gateway,
}) => {
  for (const path of SCREENS) {
    await page.goto(gateway.url + path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByRole('contentinfo')).toBeVisible();
    await expectReadable(page);
  }
});

test('a notice opens once on the front door', async ({ page, gateway }) => {
  await beReader(page, gateway.url, ROOT);
  const notify = (value: string) =>
    call(page, 'PUT', `${gateway.url}/api/option/`, { key: 'Notice', value });
  await notify('Maintenance on **Sunday**');
  try {
    await page.goto(gateway.url);
    const notice = page.getByRole('dialog', { name: '公告' });
    await expect(notice).toContainText('Maintenance on Sunday');
    await notice.getByRole('button', { name: '关闭' }).click();
    await expect(notice).toHaveCount(0);
    await page.reload();
    await expect(state(page)).toHaveText('运行中');
    await expect(notice).toHaveCount(0);
  } finally {
    await notify('');
  }
});

test('a gateway that goes away is told beside what was last known, and can be asked again', async ({
  browser,
}) => {
  const gateway = await startGateway();
  // Its clock would go on in the pages of later tests.
  const context = await browser.newContext();
  const page = await context.newPage();
  try {
    await gateway.setUp();
    await page.clock.install();
    await page.goto(gateway.url);
    await expect(state(page)).toHaveText('运行中');

    await gateway.stop();
    await page.clock.fastForward('00:31');
    await expect(page.getByRole('alert')).toContainText('无法连接到服务器');
    await expect(state(page)).toHaveText('无法连接');
    await expect(page.getByText(packageJson.version, { exact: true })).toBeVisible();
    await expectNoSidewaysScroll(page);

    const asked = page.waitForRequest('**/api/status');
    await page.getByRole('button', { name: '重试' }).click();
    await asked;
  } finally {
    await context.close();
    await gateway.remove();
  }
});
