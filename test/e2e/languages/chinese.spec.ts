/** The console in Chinese: all other files read it in English. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { call } from '../support/admin-calls.ts';
import { signIn, test } from '../support/browser.ts';

test.use({ language: 'zh' });
test.slow();

const LOCALES = new URL('../../../web/src/locales/', import.meta.url);

const chinese = textsOf('zh');
const english = textsOf('en');

/** Names such as LINUX DO stay as they are. */
const ENGLISH_TEXTS = new Set(
  [...english]
    .filter(([key, text]) => / [a-z]/.test(text) && text !== chinese.get(key))
    .map(([, text]) => text),
);

function textsOf(language: string): Map<string, string> {
  const folder = new URL(`${language}/`, LOCALES);
  return new Map(
    readdirSync(folder).flatMap((file) =>
      Object.entries<string>(JSON.parse(readFileSync(new URL(file, folder), 'utf8'))),
    ),
  );
}

/** Shows no key instead of a text, and no text of the English console. */
async function expectChinese(page: Page): Promise<void> {
  const lines = (await page.locator('body').innerText()).split('\n').map((line) => line.trim());
  expect(lines.filter((line) => chinese.has(line) || ENGLISH_TEXTS.has(line))).toEqual([]);
}

/** Of each entry of the side menu: its page's heading, and what is read or pressed there first. */
const MENU = [
  ['操练场', '操练场', '检查器'],
  ['数据看板', '数据看板', '各模型花费'],
  ['API 令牌', 'API 令牌', '创建令牌'],
  ['使用日志', '使用日志', '实时'],
  ['绘图日志', '绘图日志', '任务 ID'],
  ['任务日志', '任务日志', '任务 ID'],
  ['渠道', '渠道', '添加渠道'],
  ['兑换码', '兑换码管理', '创建兑换码'],
  ['消息管理', '消息管理', '发送消息'],
  ['用户管理', '用户管理', '添加用户'],
  ['系统设置', '系统设置', '速率限制'],
  ['钱包', '钱包', '兑换码兑换'],
  ['个人设置', '个人设置', '可用模型'],
] as const;

/** Buttons of these pages that open a form of the same name. */
const FORMS = new Set<string>(['创建令牌', '添加渠道', '创建兑换码', '发送消息', '添加用户']);

test('every page of the menu has Chinese headings, actions and texts', async ({
  page,
  gateway,
}) => {
  await signIn(page, gateway.url);
  // Without one the playground leads to the tokens.
  await call(page, 'POST', `${gateway.url}/api/token/`, { name: 'chinese' });
  await page.goto(`${gateway.url}/about`);
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  const menu = page.getByRole('navigation', { name: '功能导航' });
  for (const [name, heading, text] of MENU)
    await test.step(name, async () => {
      await menu.getByRole('link', { name, exact: true }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
      await expect(page.getByRole('main').getByText(text).first()).toBeVisible();
      await expectChinese(page);
      if (FORMS.has(text)) await expectChineseForm(page, text);
    });
});

async function expectChineseForm(page: Page, name: string): Promise<void> {
  await page.getByRole('main').getByRole('button', { name }).first().click();
  await expect(page.getByRole('dialog', { name })).toBeVisible();
  await expectChinese(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

const BEFORE_SIGN_IN = [
  ['/login', '登录'],
  ['/register', '注册'],
  ['/reset', '重置密码'],
  ['/pricing', '模型价格'],
  ['/about', '关于'],
  ['/privacy-policy', '隐私政策'],
  ['/nope', '页面不存在'],
] as const;

test('the pages for guests are Chinese', async ({ page, gateway }) => {
  for (const [path, heading] of BEFORE_SIGN_IN) {
    await page.goto(gateway.url + path);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
    await expectChinese(page);
  }
  await page.goto(`${gateway.url}/login`);
  await page.getByRole('main').getByRole('button', { name: '登录', exact: true }).click();
  await expect(page.getByText('请输入用户名和密码').first()).toBeVisible();
  await expectChinese(page);
});
