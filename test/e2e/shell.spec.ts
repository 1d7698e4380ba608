import { expect } from '@playwright/test';
import packageJson from '../../package.json' with { type: 'json' };
import { expectNoSidewaysScroll, test } from './browser.ts';
import { startGateway } from './gateway.ts';

const PAGE_LIGHT = 'rgb(247, 248, 250)';
const PAGE_DARK = 'rgb(18, 21, 28)';

test('the front door names the system, says it runs and shows its version', async ({
  page,
  gateway,
}) => {
  await page.goto(gateway.url);

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('AI Model Gateway');
  await expect(page.getByRole('banner')).toContainText('AI Model Gateway');
  await expect(page.getByRole('status')).toHaveText('运行中');
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

  await expect(page.getByRole('status')).toHaveText('Running');
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');

  await page.reload();
  await expect(page.getByRole('status')).toHaveText('Running');
  await expect(page.locator('body')).not.toContainText('版本');
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
  await expect(page.getByRole('status')).toHaveText('运行中');
});

test('the keyboard reaches the content past the top bar', async ({ page, gateway }) => {
  await page.goto(gateway.url);
  await expect(page.getByRole('status')).toHaveText('运行中');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: '跳到正文' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});

test('an installation without an administrator says how to make one, and sees it made', async ({
  page,
}) => {
  const gateway = await startGateway();
  try {
    await page.clock.install();
    await page.goto(gateway.url);
    await expect(page.getByRole('status')).toHaveText('待初始化');
    await expect(page.getByRole('note')).toContainText('gateway setup');
    await expectNoSidewaysScroll(page);

    await gateway.setUp();
    await page.clock.fastForward('00:31');
    await expect(page.getByRole('status')).toHaveText('运行中');
    await expect(page.getByRole('note')).toHaveCount(0);
  } finally {
    await gateway.remove();
  }
});

test('a gateway that goes away is told beside what was last known, and can be asked again', async ({
  page,
  complaints,
}) => {
  const gateway = await startGateway();
  try {
    await gateway.setUp();
    await page.clock.install();
    await page.goto(gateway.url);
    await expect(page.getByRole('status')).toHaveText('运行中');

    await gateway.stop();
    await page.clock.fastForward('00:31');
    await expect(page.getByRole('alert')).toContainText('无法连接到服务器');
    await expect(page.getByRole('status')).toHaveText('无法连接');
    await expect(page.getByText(packageJson.version, { exact: true })).toBeVisible();
    await expectNoSidewaysScroll(page);

    const asked = page.waitForRequest('**/api/status');
    await page.getByRole('button', { name: '重试' }).click();
    await asked;
  } finally {
    await gateway.remove();
  }
  // The browser itself notes every request that found nobody.
  expect(complaints.every((text) => text.includes('ERR_CONNECTION_REFUSED'))).toBe(true);
  complaints.length = 0;
});
