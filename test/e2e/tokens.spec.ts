import { expect, type Page } from '@playwright/test';
import type { Token } from '../../web/src/features/token/calls.ts';
import type { FakeUpstream } from '../upstream/server.ts';
import { call, onlyChannel } from './admin-calls.ts';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  expectReadable,
  isPhone,
  test,
} from './browser.ts';
import { asNewUser, asRoot } from './own-account.ts';

test.slow();
// One test replaces the groups of its site, which users of other files are in.
test.use({ site: 'tokens' });

const makeToken = (page: Page, url: string, fields: object) =>
  call<Token>(page, 'POST', `${url}/api/token/`, fields);
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

async function withChannel(page: Page, url: string, upstream: FakeUpstream): Promise<void> {
  await asRoot(page, url);
  const models = 'gpt-4o-mini,gpt-4o,claude-sonnet-4-5,text-embedding-3-small';
  await onlyChannel(page, url, upstream, models);
}

test('a token is made and leads to a working call', async ({
  page,
  gateway,
  upstream,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await withChannel(page, gateway.url, upstream);
  await asNewUser(page, gateway.url);
  await page.goto(`${gateway.url}/app/tokens`);
  await expect(page.getByText('还没有令牌')).toBeVisible();
  await expect(page.getByRole('note')).toContainText('并非单独的余额');
  await page.getByRole('button', { name: '新建令牌' }).first().click();

  const drawer = page.getByRole('dialog', { name: '新建令牌' });
  await drawer.getByRole('button', { name: '新建', exact: true }).click();
  await expect(drawer.getByText('请输入名称')).toBeVisible();
  await expect(drawer.getByText('= 500,000 额度单位')).toBeVisible();
  await expectAccessible(page);
  await drawer.getByLabel('名称').fill('笔记本');
  await page.keyboard.press('Control+Enter');

  const toast = page.getByText('令牌创建成功，请在列表中点击复制获取令牌！');
  await expect(toast).toBeVisible();
  const dialog = page.getByRole('dialog', { name: '已创建 1 个令牌' });
  await dialog.getByRole('button', { name: '复制密钥' }).last().click();
  const key = await clipboard(page);
  expect(key).toMatch(/^sk-[0-9A-Za-z]{48}$/);
  await expect(dialog.locator('pre')).toContainText(`${gateway.url}/v1/chat/completions`);
  await expect(dialog.locator('pre')).toContainText(key);

  await dialog.getByRole('tab', { name: 'Claude Code' }).click();
  await expect(dialog.locator('pre')).toContainText(`ANTHROPIC_BASE_URL="${gateway.url}"\n`);
  await expect(dialog.locator('pre')).toContainText('unset ANTHROPIC_API_KEY');
  await expect(dialog.locator('pre')).toContainText('/status');
  await dialog.getByRole('button', { name: '测试' }).click();
  await expect(dialog.getByText(/HTTP 200，用时 .*费用 \$0\.000/)).toBeVisible();
  await expect(toast).toBeHidden();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});

test('many tokens at once come with a table of their keys and files of it', async ({
  page,
  gateway,
}) => {
  await asNewUser(page, gateway.url);
  await page.goto(`${gateway.url}/app/tokens?id=new`);
  const drawer = page.getByRole('dialog', { name: '新建令牌' });
  await drawer.getByLabel('名称').fill('batch');
  await drawer.getByText('10', { exact: true }).click();
  await expect(drawer.getByText('batch, batch-??????, batch-?????? … 另有 7 个')).toBeVisible();
  await drawer.getByRole('button', { name: '新建', exact: true }).click();

  const dialog = page.getByRole('dialog', { name: '已创建 10 个令牌' });
  await expect(dialog.getByRole('row')).toHaveCount(11);
  await expect(dialog.getByRole('cell', { name: 'batch', exact: true })).toHaveCount(1);
  await expect(dialog.getByRole('cell', { name: /^batch-[0-9A-Za-z]{6}$/ })).toHaveCount(9);
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: '.csv' }).click();
  expect((await download).suggestedFilename()).toBe('tokens-batch.csv');
});

test('a token may be limited: models, addresses, rate; what cannot be is told at its field', async ({
  page,
  gateway,
  upstream,
}) => {
  await withChannel(page, gateway.url, upstream);
  await asNewUser(page, gateway.url, {
    GroupRatio: '{"default":1,"vip":0.8}',
    UserUsableGroups: '{"default":"默认分组","vip":"会员八折"}',
  });
  await page.goto(`${gateway.url}/app/tokens?id=new`);
  const drawer = page.getByRole('dialog', { name: '新建令牌' });
  await drawer.getByLabel('名称').fill('limited');
  await drawer.getByText('1 个月').click();
  await drawer.getByLabel('无限额度').check({ force: true });
  await expect(drawer.getByRole('textbox', { name: '额度' })).toBeDisabled();

  await drawer.getByRole('combobox', { name: '分组' }).click();
  const vip = page.getByRole('option', { name: /vip/ });
  await expect(vip).toContainText('会员八折');
  await expect(vip).toContainText('0.8x');
  await vip.click();

  await drawer.getByLabel('限制可用模型').check({ force: true });
  await drawer.getByRole('combobox', { name: '模型' }).fill('gpt');
  await drawer.getByRole('button', { name: '选择全部 2 个匹配项' }).click();
  await expect(drawer.getByText('已选 2 个模型')).toBeVisible();
  await expect(drawer.getByLabel('周期（秒）')).toHaveCount(0);
  await drawer.getByLabel('限制调用频率').check({ force: true });
  await expect(drawer.getByLabel('周期（秒）')).toHaveValue('60');
  await expect(drawer.getByLabel('调用次数')).toHaveValue('1,000');
  await expect(drawer.getByLabel('成功次数')).toHaveValue('10');
  await drawer.getByLabel('允许的地址').fill('10.0.0.0/8\nhome');
  await drawer.getByRole('button', { name: '新建', exact: true }).click();
  await expect(
    drawer.getByText('每行必须是一个 IP 地址或 CIDR 网段', { exact: true }),
  ).toBeVisible();
  await drawer.getByLabel('允许的地址').fill('10.0.0.0/8');
  const sent = page.waitForRequest('**/api/token/');
  await drawer.getByRole('button', { name: '新建', exact: true }).click();
  const { expired_time, ...fields } = (await sent).postDataJSON();
  expect(fields).toMatchObject({
    unlimited_quota: true,
    group: 'vip',
    model_limits: 'gpt-4o,gpt-4o-mini',
    allow_ips: '10.0.0.0/8',
    rate_limit_enabled: true,
  });
  expect(Math.abs(expired_time - Date.now() / 1000 - 30 * 86_400)).toBeLessThan(60);
});

test('without groups to choose the form says whose matter that is', async ({ page, gateway }) => {
  await asNewUser(page, gateway.url);
  await page.route('**/api/user/self/groups', (route) =>
    route.fulfill({ json: { success: true, message: '', data: {} } }),
  );
  await page.goto(`${gateway.url}/app/tokens?id=new`);
  await expect(page.getByText('管理员未设置用户可选分组')).toBeVisible();
});

test('rows say what a token is: limited, unlimited, for ever, and shaded when it is off', {
  tag: '@phone',
}, async ({ page, gateway, upstream }) => {
  await withChannel(page, gateway.url, upstream);
  await asNewUser(page, gateway.url);
  const limits = { model_limits_enabled: true, model_limits: 'gpt-4o' };
  await makeToken(page, gateway.url, { name: 'some-models', unlimited_quota: true, ...limits });
  const off = await makeToken(page, gateway.url, { name: 'turned-off' });
  await call(page, 'POST', `${gateway.url}/api/token/${off.id}/status`, { status: 2 });
  await page.goto(`${gateway.url}/app/tokens`);
  await expect(page.getByText('已启用：限制模型')).toBeVisible();
  await expect(page.getByText('无限制', { exact: true })).toBeVisible();
  await expect(page.getByText('永不过期', { exact: true }).first()).toBeVisible();
  await expect(page.getByText('已禁用', { exact: true })).toBeVisible();
  await expectReadable(page);
  if (isPhone(page)) return;
  const ground = (name: string) =>
    rowOf(page, name)
      .getByRole('cell')
      .first()
      .evaluate((cell) => getComputedStyle(cell).backgroundColor);
  expect(await ground('turned-off')).not.toBe(await ground('some-models'));
});

test('a name and a pasted key find a token, and the key stays out of the address', async ({
  page,
  gateway,
}) => {
  await asNewUser(page, gateway.url);
  const wanted = await makeToken(page, gateway.url, { name: 'wanted' });
  await makeToken(page, gateway.url, { name: 'another' });
  await page.goto(`${gateway.url}/app/tokens`);
  await page.getByLabel('名称', { exact: true }).fill('want');
  await page.keyboard.press('Enter');
  await expect(rowOf(page, 'another')).toHaveCount(0);
  await expect(rowOf(page, 'wanted')).toBeVisible();
  await expect(page).toHaveURL(/q=want/);

  await page.getByRole('button', { name: '重置' }).click();
  await expect(rowOf(page, 'another')).toBeVisible();
  const asked = page.waitForRequest('**/api/token/search?**');
  await page.getByLabel('名称', { exact: true }).fill(` ${wanted.key} `);
  await page.keyboard.press('Enter');
  const query = new URL((await asked).url()).searchParams;
  expect(query.get('token')).toBe(wanted.key.replace('sk-', ''));
  await expect(rowOf(page, 'another')).toHaveCount(0);
  await expect(rowOf(page, 'wanted')).toBeVisible();
  expect(page.url()).not.toContain(wanted.key.slice(3, 20));
  await page.getByLabel('名称', { exact: true }).fill('nothing-like-it');
  await page.keyboard.press('Enter');
  await expect(page.getByText('没有符合筛选条件的记录')).toBeVisible();
});

test('the copied key begins with sk-, and a chat program opens with it', async ({
  page,
  gateway,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await asNewUser(page, gateway.url, {
    Chats: `[{"Mine":"${gateway.url}/about?a={address}&k={key}"}]`,
  });
  const token = await makeToken(page, gateway.url, { name: 'copied' });
  await page.goto(`${gateway.url}/app/tokens`);
  await rowOf(page, 'copied').getByRole('button', { name: '复制密钥' }).click();
  await expect.poll(() => clipboard(page)).toBe(token.key);

  await rowOf(page, 'copied').getByRole('button', { name: '更多操作' }).click();
  await page.getByRole('menuitem', { name: '聊天' }).hover();
  const opened = context.waitForEvent('page');
  await page.getByRole('menuitem', { name: 'Mine' }).click();
  const chat = await opened;
  await chat.waitForLoadState('domcontentloaded');
  expect(new URL(chat.url()).searchParams.get('k')).toBe(token.key);
});

test('a token is switched in place and back; one that lacks quota leads to its form', async ({
  page,
  gateway,
}) => {
  await asNewUser(page, gateway.url);
  const empty = await makeToken(page, gateway.url, { name: 'empty', remain_quota: 0 });
  await call(page, 'POST', `${gateway.url}/api/token/${empty.id}/status`, { status: 2 });
  await makeToken(page, gateway.url, { name: 'switched' });
  await page.goto(`${gateway.url}/app/tokens`);
  const sent = page.waitForRequest('**/api/token/?status_only=true');
  await rowOf(page, 'switched').getByRole('button', { name: '更多操作' }).click();
  await page.getByRole('menuitem', { name: '禁用' }).click();
  expect(Object.keys((await sent).postDataJSON()).sort()).toEqual(['id', 'status']);
  await expect(rowOf(page, 'switched')).toContainText('已禁用');
  await page.getByRole('button', { name: '撤销' }).click();
  await expect(rowOf(page, 'switched')).toContainText('已启用');

  await rowOf(page, 'empty').getByRole('button', { name: '更多操作' }).click();
  await page.getByRole('menuitem', { name: '启用' }).click();
  await expect(page.getByText('额度已用尽，请先增加额度。')).toBeVisible();
  await page.getByRole('button', { name: '编辑令牌' }).click();
  const drawer = page.getByRole('dialog', { name: '编辑令牌“empty”' });
  await drawer.getByText('$10', { exact: true }).click();
  const saved = page.waitForRequest((request) => request.method() === 'PUT');
  await drawer.getByRole('button', { name: '保存' }).click();
  expect((await saved).postDataJSON()).toEqual({ id: empty.id, remain_quota: 5_000_000 });
  await expect(rowOf(page, 'empty')).toContainText('$10.00');
});

test('chosen tokens are copied, switched and deleted together; without a choice it says so', async ({
  page,
  gateway,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await asNewUser(page, gateway.url);
  const one = await makeToken(page, gateway.url, { name: 'one' });
  const two = await makeToken(page, gateway.url, { name: 'two' });
  await makeToken(page, gateway.url, { name: 'three' });
  await page.goto(`${gateway.url}/app/tokens`);
  await page.getByRole('button', { name: '复制所选令牌' }).click();
  await expect(page.getByText('请至少选择一个令牌！')).toBeVisible();

  for (const name of ['one', 'two'])
    await rowOf(page, name).getByRole('checkbox', { name: '选择此行' }).check();
  await page.getByRole('button', { name: '复制所选令牌' }).click();
  await expect(page.getByText('已复制 2 个密钥')).toBeVisible();
  expect((await clipboard(page)).split('\n').sort()).toEqual([
    `one\t${one.key}`,
    `two\t${two.key}`,
  ]);
  const bar = page.getByRole('toolbar', { name: '批量操作' }).or(page.getByLabel('批量操作'));
  await bar.getByRole('button', { name: '禁用' }).click();
  await expect(page.getByText('已禁用 2 个令牌')).toBeVisible();
  await expect(rowOf(page, 'one')).toContainText('已禁用');
  await expect(rowOf(page, 'three')).toContainText('已启用');

  await rowOf(page, 'one').getByRole('checkbox', { name: '选择此行' }).check();
  await bar.getByRole('button', { name: '删除' }).click();
  await page.getByRole('dialog').getByRole('button', { name: '删除 1 个令牌' }).click();
  await expect(rowOf(page, 'one')).toHaveCount(0);
  await expect(rowOf(page, 'two')).toBeVisible();
});

test('the page size is kept, and the open form is in the address', async ({ page, gateway }) => {
  await asNewUser(page, gateway.url);
  await makeToken(page, gateway.url, { name: 'paged', count: 12 });
  await page.goto(`${gateway.url}/app/tokens`);
  await expect(page.getByText('第 1-10 条，共 12 条')).toBeVisible();
  await page.getByRole('combobox', { name: '每页条数' }).click();
  await page.getByRole('option', { name: '20' }).click();
  await expect(page.getByText('第 1-12 条，共 12 条')).toBeVisible();
  await page.goto(`${gateway.url}/app/tokens?id=new`);
  await expect(page.getByRole('dialog', { name: '新建令牌' })).toBeVisible();
  await expect(page.getByText('第 1-12 条，共 12 条')).toBeVisible();
});
