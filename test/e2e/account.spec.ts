import { expect, type Page } from '@playwright/test';
import { aName, call, PASSWORD } from './admin-calls.ts';
import { expectAccessible, expectReadable, signIn, test } from './browser.ts';
import { ageSessions, asNewUser, asRoot } from './own-account.ts';

test.slow();

const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const tagged = (page: Page, name: string) => region(page, '账号').getByText(name, { exact: true });

test('the card says who one is; only the super admin reads as administrator', {
  tag: '@phone',
}, async ({ page, gateway }) => {
  await signIn(page, gateway.url);
  await page.goto(`${gateway.url}/app/me`);
  await expect(tagged(page, '管理员')).toBeVisible();
  await expectReadable(page);
});

test('an ordinary user has a role, a balance and a group, and no administrator’s tag', async ({
  page,
  gateway,
}) => {
  const { username } = await asNewUser(page, gateway.url);
  await page.goto(`${gateway.url}/app/me`);
  await expect(region(page, '账号')).toContainText(username);
  await expect(region(page, '账号')).toContainText('$2.00');
  await expect(tagged(page, '普通用户')).toBeVisible();
  await expect(tagged(page, '管理员')).toHaveCount(0);
});

test('models collapse after ten, stay as they were left, and are copied by a press', async ({
  page,
  gateway,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const group = aName('group');
  const models = Array.from({ length: 12 }, (_, index) => `${group}-m${index + 10}`);
  await asRoot(page, gateway.url);
  await call(page, 'PUT', `${gateway.url}/api/option/`, {
    key: 'GroupRatio',
    value: JSON.stringify({ default: 1, vip: 1, [group]: 1 }),
  });
  await call(page, 'POST', `${gateway.url}/api/channel/`, {
    name: group,
    type: 1,
    key: 'sk-none',
    models: models.join(','),
    group,
  });
  await asNewUser(page, gateway.url, {}, { group });
  await page.goto(`${gateway.url}/app/me`);
  const card = region(page, '可用模型');
  await expect(card.getByRole('button', { name: /-m\d\d$/ })).toHaveCount(10);
  await card.getByRole('button', { name: '展开其余 2 个' }).click();
  await expect(card.getByRole('button', { name: /-m\d\d$/ })).toHaveCount(12);
  await page.reload();
  await expect(card.getByRole('button', { name: '收起' })).toBeVisible();
  await card.getByLabel('搜索模型').fill('m21');
  await card.getByRole('button', { name: `${group}-m21` }).click();
  await expect.poll(() => clipboard(page)).toBe(`${group}-m21`);
});

test('checking in pays once a day, and is not there while it is off', async ({ page, gateway }) => {
  const { username } = await asNewUser(page, gateway.url, {
    CheckInEnabled: true,
    CheckInQuota: 250_000,
    CheckInMaxQuota: 0,
  });
  await page.goto(`${gateway.url}/app/me`);
  const card = region(page, '每日签到');
  await card.getByRole('button', { name: '签到' }).click();
  await expect(page.getByText('签到成功，获得 $0.50')).toBeVisible();
  await expect(card.getByRole('button', { name: '今日已签到' })).toBeDisabled();
  await expect(card.locator('td[aria-current="date"]')).toContainText('已签到');
  await expect(region(page, '账号')).toContainText('$2.50');

  await asRoot(page, gateway.url);
  await call(page, 'PUT', `${gateway.url}/api/option/`, { key: 'CheckInEnabled', value: false });
  await signIn(page, gateway.url, { username, password: PASSWORD });
  await page.reload();
  await expect(region(page, '可用模型')).toBeVisible();
  await expect(card).toHaveCount(0);
});

test('a check-in that fails says so and can be tried again', async ({
  page,
  gateway,
  complaints,
}) => {
  await asNewUser(page, gateway.url, { CheckInEnabled: true, CheckInQuota: 250_000 });
  await page.route('**/api/user/check_in', (route) => route.abort());
  await page.goto(`${gateway.url}/app/me`);
  await region(page, '每日签到').getByRole('button', { name: '签到' }).click();
  await expect(page.getByText('签到失败，请稍后重试')).toBeVisible();
  await expect(region(page, '每日签到').getByRole('button', { name: '签到' })).toBeEnabled();
  expect(complaints.every((text) => text.includes('ERR_FAILED'))).toBe(true);
  complaints.length = 0;
});

test('inviting has a link; its reward moves to the balance, a whole unit at least', async ({
  page,
  gateway,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await asNewUser(page, gateway.url, { AffEnabled: true, QuotaForInviter: 1_000_000 });
  const code = await call<string>(page, 'GET', `${gateway.url}/api/user/aff`);
  const guest = await context.browser()?.newContext();
  await guest?.request.post(`${gateway.url}/api/user/register`, {
    data: { username: aName('guest'), password: PASSWORD, aff_code: code },
  });
  await guest?.close();

  await page.goto(`${gateway.url}/app/me`);
  const card = region(page, '邀请');
  await expect(card).toContainText('$2.00');
  await card.getByRole('button', { name: '复制链接' }).last().click();
  await expect(page.getByText('邀请链接已复制')).toBeVisible();
  expect(await clipboard(page)).toBe(`${gateway.url}/register?aff=${code}`);
  await card.getByRole('button', { name: '二维码' }).click();
  await expect(page.getByRole('img', { name: '邀请链接的二维码' })).toBeVisible();
  await page.keyboard.press('Escape');

  await card.getByRole('button', { name: '划转到余额' }).click();
  const dialog = page.getByRole('dialog', { name: '划转到余额' });
  await dialog.getByLabel('划转额度').fill('0.5');
  await dialog.getByRole('button', { name: '划转到余额' }).click();
  await expect(dialog.getByText('划转金额最低为 $1.00')).toBeVisible();
  await dialog.getByRole('button', { name: '全部' }).click();
  await dialog.getByRole('button', { name: '划转到余额' }).click();
  await expect(page.getByText('已划转到余额')).toBeVisible();
  await expect(region(page, '账号')).toContainText('$4.00');
});

test('an e-mail address is bound with its code; the code can be sent again after 30 seconds', async ({
  page,
  gateway,
}) => {
  await asNewUser(page, gateway.url);
  await page.route('**/api/verification?**', (route) =>
    route.fulfill({ json: { success: true, message: '' } }),
  );
  await page.goto(`${gateway.url}/app/me`);
  const row = page.getByRole('listitem').filter({ hasText: '邮箱' });
  await row.getByRole('button', { name: '绑定' }).click();
  const dialog = page.getByRole('dialog', { name: '绑定邮箱' });
  await expect(dialog.getByRole('button', { name: '发送验证码' })).toBeDisabled();
  await dialog.getByLabel('邮箱').fill('ann@example.com');
  await dialog.getByRole('button', { name: '绑定' }).click();
  await expect(dialog.getByText('请输入验证码')).toBeVisible();
  await expectAccessible(page);
  const sent = page.waitForRequest('**/api/verification?**');
  await dialog.getByRole('button', { name: '发送验证码' }).click();
  expect(new URL((await sent).url()).searchParams.get('email')).toBe('ann@example.com');
  await expect(dialog.getByRole('button', { name: /(2\d|30) 秒后重发/ })).toBeDisabled();
  await dialog.getByLabel('验证码').fill('000000');
  await dialog.getByRole('button', { name: '绑定', exact: true }).click();
  await expect(dialog.getByRole('alert').or(dialog.locator('[data-error]')).first()).toBeVisible();
});

test('providers that are off say so; WeChat opens a dialog that counts down three minutes', async ({
  page,
  gateway,
}) => {
  await asNewUser(page, gateway.url, {
    WeChatServerAddress: 'https://wechat.example.com',
    WeChatServerToken: 'token',
    WeChatAuthEnabled: true,
    'oidc.enabled': false,
  });
  await page.goto(`${gateway.url}/app/me?tab=account`);
  const oidc = page.getByRole('listitem').filter({ hasText: 'OpenID Connect' });
  await expect(oidc.getByRole('button', { name: '未启用' })).toBeDisabled();
  await page.getByRole('button', { name: '绑定 WeChat' }).click();
  const dialog = page.getByRole('dialog', { name: '绑定微信' });
  await expect(dialog.getByText(/[23]:\d\d/)).toBeVisible();
  await dialog.getByRole('button', { name: '绑定' }).click();
  await expect(dialog.getByText('请输入验证码')).toBeVisible();
});

test('an access token is asked about, shown once and copied, and ends the one before', async ({
  page,
  gateway,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await asNewUser(page, gateway.url);
  await page.goto(`${gateway.url}/app/me?tab=security`);
  const make = async () => {
    await page.getByRole('button', { name: '生成系统访问令牌' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '生成系统访问令牌' }).click();
    await expect(page.getByText('令牌已重置并已复制到剪贴板').first()).toBeVisible();
    return clipboard(page);
  };
  const first = await make();
  await expect(page.getByText(first)).toBeVisible();
  const bare = await context.browser()?.newContext();
  const works = async (token: string) => {
    const answer = await bare?.request.get(`${gateway.url}/api/user/self`, {
      headers: { authorization: token },
    });
    return (await answer?.json())?.success;
  };
  expect(await works(first)).toBe(true);
  await expect.poll(async () => (await make()) !== first).toBe(true);
  expect(await works(first)).toBe(false);
  await bare?.close();
});

test('a young session sets another password; an older one asks for the password in use', async ({
  page,
  gateway,
}) => {
  const { id, username } = await asNewUser(page, gateway.url);
  await page.goto(`${gateway.url}/app/me?tab=security`);
  const form = region(page, '密码');
  const change = async (password: string) => {
    await form.getByLabel('新密码', { exact: true }).fill(password);
    await form.getByLabel('确认新密码').fill(password);
    await form.getByRole('button', { name: '修改密码' }).click();
  };
  await form.getByLabel('新密码', { exact: true }).fill('short');
  await form.getByRole('button', { name: '修改密码' }).click();
  await expect(form.getByText('密码长度不得小于 8 位！')).toBeVisible();
  await expect(form.getByText('两次输入的密码不一致！')).toBeVisible();
  await expectAccessible(page);
  await change('a second password');
  const done = page.getByText('密码已修改，其他浏览器已退出登录');
  await expect(done).toBeVisible();
  await expect(done).toBeHidden();

  await ageSessions(gateway.folder, id);
  await change('a third password');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('当前密码')).toBeFocused();
  await expectAccessible(page);
  await dialog.getByLabel('当前密码').fill('not the password');
  await dialog.getByRole('button', { name: '确认' }).click();
  await expect(dialog.getByText('密码不正确')).toBeVisible();
  await dialog.getByLabel('当前密码').fill('a second password');
  await dialog.getByRole('button', { name: '确认' }).click();
  await expect(done).toBeVisible();
  await page.reload();
  await expect(region(page, '账号')).toContainText(username);
  await signIn(page, gateway.url, { username, password: 'a third password' });
});

test('the account is deleted only when its name was typed exactly', async ({ page, gateway }) => {
  const { username } = await asNewUser(page, gateway.url);
  await page.goto(`${gateway.url}/app/me?tab=security`);
  const zone = region(page, '删除账号');
  const button = zone.getByRole('button', { name: '删除我的账号' });
  await zone.getByRole('textbox').fill(`${username} `);
  await expect(button).toBeDisabled();
  await zone.getByRole('textbox').fill(username);
  await button.click();
  await expect(page).toHaveURL(/\/login/);
  await expect(page.getByText('账号已删除')).toBeVisible();
  const again = await page.request.post(`${gateway.url}/api/user/login`, {
    data: { username, password: PASSWORD },
  });
  expect((await again.json()).success).toBe(false);
});

test('notices are set: four thresholds, https only, and the secret goes out only when typed', async ({
  page,
  gateway,
}) => {
  await asNewUser(page, gateway.url);
  await page.goto(`${gateway.url}/app/me?tab=notice`);
  const panel = page.getByRole('tabpanel', { name: '通知' });
  const threshold = panel.getByRole('textbox', { name: '余额低于此值时提醒我' });
  await expect(threshold).toHaveValue('$1');
  for (const preset of ['$0.20', '$1.00', '$2.00', '$10.00'])
    await expect(panel.getByText(preset, { exact: true })).toBeVisible();
  await expect(panel.getByText('额度预警邮件每 2 小时最多发送一封。')).toBeVisible();
  const save = panel.getByRole('button', { name: '保存' });
  await expect(save).toBeDisabled();
  await panel.getByText('$2.00', { exact: true }).click();
  await panel.getByText('Webhook', { exact: true }).click();
  await panel.getByLabel('Webhook 地址').fill('http://example.com');
  await save.click();
  await expect(panel.getByText('请输入以 https:// 开头的地址')).toBeVisible();
  await expectAccessible(page);

  const saving = () => page.waitForRequest('**/api/user/setting');
  await panel.getByLabel('Webhook 地址').fill('https://1.1.1.1/hook');
  await panel.getByLabel('接口密钥').fill('hush');
  const first = saving();
  await save.click();
  expect((await first).postDataJSON()).toEqual({
    notify_type: 'webhook',
    quota_warning_threshold: 1_000_000,
    webhook_url: 'https://1.1.1.1/hook',
    webhook_secret: 'hush',
  });
  await expect(page.getByText('设置已更新')).toBeVisible();
  await expect(panel.getByLabel('接口密钥')).toHaveValue('');
  await expect(save).toBeDisabled();
  await panel.getByLabel('Webhook 地址').fill('https://1.1.1.1/other');
  const second = saving();
  await save.click();
  expect((await second).postDataJSON()).not.toHaveProperty('webhook_secret');
});

test('the switches of price and logs are kept', async ({ page, gateway }) => {
  await asNewUser(page, gateway.url);
  for (const [tab, label] of [
    ['price', '接受未设置价格的模型'],
    ['other', '在我的日志中记录客户端 IP'],
  ] as const) {
    await page.goto(`${gateway.url}/app/me?tab=${tab}`);
    const toggle = page.getByLabel(label);
    await expect(toggle).not.toBeChecked();
    await toggle.check({ force: true });
    await page.getByRole('button', { name: '保存' }).click();
    await expect(page.getByText('设置已更新').first()).toBeVisible();
    await page.reload();
    await expect(toggle).toBeChecked();
  }
});
