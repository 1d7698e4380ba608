/** Whole journeys through the console, from the first page to the last. */
import { expect, type Page } from '@playwright/test';
import { aMailServer, MAIL_ACCOUNT } from '../support/mail-server.ts';
import type { FakeUpstream } from '../upstream/server.ts';
import { aName, call, makeUser, onlyChannel, PASSWORD } from './admin-calls.ts';
import {
  beReader,
  expectAccessible,
  expectNoSidewaysScroll,
  signIn,
  test,
  UPSTREAM_KEY,
} from './browser.ts';
import { ROOT, startGateway } from './gateway.ts';

test.slow();

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

async function enterAs(page: Page, { username, password }: typeof ROOT | Account): Promise<void> {
  await page.getByLabel('用户名或邮箱').fill(username);
  await page.getByLabel('密码', { exact: true }).fill(password);
  await page.getByRole('main').getByRole('button', { name: '登录', exact: true }).click();
}

interface Account {
  readonly username: string;
  readonly password: string;
}

/** Fills the open form of a new channel with the upstream's address and one of its models; tests it too. */
async function connect(page: Page, upstream: FakeUpstream, name: string, model: string) {
  const drawer = page.getByRole('dialog', { name: '添加渠道' });
  await drawer.getByRole('textbox', { name: '名称' }).fill(name);
  await drawer.getByRole('textbox', { name: 'Base URL' }).fill(upstream.url);
  await drawer.getByRole('textbox', { name: '密钥' }).fill(UPSTREAM_KEY);
  await drawer.getByRole('button', { name: '从上游获取' }).click();
  const found = page.getByRole('dialog', { name: '与上游模型对比' });
  await found.getByRole('button', { name: '反选' }).click();
  await found.getByLabel(model, { exact: true }).check();
  await found.getByRole('button', { name: '应用' }).click();
  await drawer.getByRole('button', { name: '保存并测试' }).click();
  await expect(page.getByText(`渠道 ${name} 创建成功`)).toBeVisible();
  await expect(drawer).toBeHidden();
}

/** Makes a token on the page of tokens and calls a model with it from the dialog that shows it. */
async function makeTokenAndCall(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: '新建令牌' }).first().click();
  const drawer = page.getByRole('dialog', { name: '新建令牌' });
  await drawer.getByLabel('名称').fill(name);
  await drawer.getByRole('button', { name: '新建', exact: true }).click();
  const made = page.getByRole('dialog', { name: '已创建 1 个令牌' });
  await made.getByRole('button', { name: '测试' }).click();
  await expect(made.getByText(/HTTP 200，用时 .*费用 \$/)).toBeVisible();
  await page.keyboard.press('Escape');
}

test('a fresh installation leads from anywhere to its set-up, and from there to the first call', async ({
  page,
  upstream,
}) => {
  const gateway = await startGateway();
  try {
    await page.goto(`${gateway.url}/about`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('初始化');
    await expect(page.getByText('SQLite', { exact: true })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('button', { name: '下一步' }).click();
    await expect(page.getByText('请输入初始化码')).toBeVisible();
    await page.goto(gateway.setupLink);
    await expect(page.getByLabel('一次性初始化码')).toHaveValue(/^[\w-]{24}$/);
    await page.getByRole('button', { name: '下一步' }).click();

    await page.getByRole('button', { name: '下一步' }).click();
    await expect(page.getByText('密码长度不能少于 8 个字符')).toBeVisible();
    await page.getByLabel('密码', { exact: true }).fill(ROOT.password);
    await page.getByLabel('确认密码').fill('another');
    await page.getByRole('button', { name: '下一步' }).click();
    await expect(page.getByText('两次输入的密码不一致')).toBeVisible();
    await page.getByLabel('确认密码').fill(ROOT.password);
    await expectAccessible(page);
    await page.getByRole('button', { name: '下一步' }).click();

    await page.getByRole('radio', { name: /自用/ }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: '下一步' }).click();
    await expect(page.getByText('自用', { exact: true })).toBeVisible();
    await expectNoSidewaysScroll(page);
    await page.getByRole('button', { name: '完成初始化' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('初始化完成');

    await page.getByRole('link', { name: '前往登录' }).click();
    await enterAs(page, ROOT);
    await expect(page.getByRole('button', { name: /账户菜单：\s*root/ })).toBeVisible();
    await expect(page).toHaveURL(/\/admin\/channels$/);

    await page.getByRole('button', { name: '添加渠道' }).first().click();
    await connect(page, upstream, 'first', 'gpt-4o-mini');
    await expect(page.getByText('测试成功')).toBeVisible();
    const menu = page.getByRole('navigation', { name: '功能导航' });
    await menu.getByRole('link', { name: 'API 令牌' }).click();
    await makeTokenAndCall(page, 'laptop');
    await menu.getByRole('link', { name: '使用日志' }).click();
    // The test of the channel and the call of the token.
    await expect(page.getByRole('row').filter({ hasText: 'gpt-4o-mini' })).toHaveCount(2);

    await page.goto(`${gateway.url}/setup`);
    await expect(page).toHaveURL(`${gateway.url}/`);
    await page.waitForLoadState('networkidle');
  } finally {
    await gateway.remove();
  }
});

test('a model without a price is refused until an admin gives it one; then everybody reads it', async ({
  page,
  gateway,
  upstream,
}) => {
  await signIn(page, gateway.url);
  await page.goto(`${gateway.url}/admin/channels?id=new`);
  await connect(page, upstream, aName('house-'), 'demo-reasoner');
  const { key } = await call<{ key: string }>(page, 'POST', `${gateway.url}/api/token/`, {
    name: 'house',
    unlimited_quota: true,
  });
  const ask = () =>
    page.request.post(`${gateway.url}/v1/chat/completions`, {
      headers: { authorization: `Bearer ${key}` },
      data: { model: 'demo-reasoner', messages: [{ role: 'user', content: 'hello' }] },
    });
  expect((await ask()).ok()).toBe(false);

  await page.goto(`${gateway.url}/admin/settings`);
  const prices = page.locator('[data-section="prices"]');
  await prices.getByLabel('搜索模型').fill('demo-reasoner');
  const ratio = prices.getByLabel('demo-reasoner 的模型倍率', { exact: true });
  await ratio.fill('2');
  await ratio.press('Enter');
  await prices.getByRole('button', { name: '应用更改（1）' }).click();
  await page.getByRole('button', { name: '保存 1 处修改' }).click();
  await expect(page.getByText('保存成功')).toBeVisible();
  expect((await ask()).ok()).toBe(true);
  await page.goto(`${gateway.url}/pricing?q=demo-reasoner`);
  await expect(page.getByText('$4.00').first()).toBeVisible();
});

test('somebody invited registers with a mailed code, redeems a code, calls a model and reads the bill', async ({
  page,
  gateway,
  upstream,
}) => {
  await beReader(page, gateway.url, ROOT);
  const mail = await aMailServer();
  const set = (key: string, value: unknown) =>
    call(page, 'PUT', `${gateway.url}/api/option/`, { key, value });
  await set('SMTPServer', 'localhost');
  await set('SMTPPort', mail.port);
  await set('SMTPAccount', MAIL_ACCOUNT.user);
  await set('SMTPToken', MAIL_ACCOUNT.password);
  await set('EmailVerificationEnabled', true);
  try {
    await onlyChannel(page, gateway.url, upstream, 'gpt-4o-mini');
    const [coupon = ''] = await call<string[]>(page, 'POST', `${gateway.url}/api/redemption/`, {
      name: 'welcome',
      quota: 1_500_000,
      count: 1,
    });
    const invite = await call<string>(page, 'GET', `${gateway.url}/api/user/aff`);
    await page.context().clearCookies();

    const guest = { username: aName('guest'), password: PASSWORD };
    const address = `${guest.username}@mail.example`;
    await page.goto(`${gateway.url}/register?aff=${invite}`);
    await expect(page.getByText(`邀请码：${invite}`)).toBeVisible();
    await page.getByLabel('用户名（最多 12 个字符）').fill(guest.username);
    await page.getByLabel('密码', { exact: true }).fill(guest.password);
    await page.getByLabel('确认密码').fill(guest.password);
    await page.getByLabel('邮箱', { exact: true }).fill(address);
    await page.getByRole('button', { name: '发送验证码' }).click();
    await expect.poll(() => mail.letters.find(({ to }) => to.includes(address))).toBeTruthy();
    const [letter] = mail.letters;
    await page.getByLabel('验证码').fill(/\b\d{6}\b/.exec(letter?.text ?? '')?.[0] ?? '');
    await page.getByRole('main').getByRole('button', { name: '注册', exact: true }).click();
    await expect(page).toHaveURL(/\/login/);
    await enterAs(page, guest);
    await expect(page.getByRole('button', { name: '账户菜单' })).toBeVisible();

    await page.goto(`${gateway.url}/app/wallet?code=${coupon}`);
    await region(page, '兑换码兑换').getByRole('button', { name: '兑换', exact: true }).click();
    await page.getByRole('button', { name: '好的' }).click();
    await expect(region(page, '当前余额')).toContainText('$3.00');
    const menu = page.getByRole('navigation', { name: '功能导航' });
    await menu.getByRole('link', { name: 'API 令牌' }).click();
    await makeTokenAndCall(page, 'phone');

    await menu.getByRole('link', { name: '使用日志' }).click();
    const line = page.getByRole('row').filter({ hasText: 'gpt-4o-mini' });
    await line.getByRole('button', { name: '展开详情' }).click();
    await expect(page.getByRole('table', { name: '计费明细' })).toContainText('合计');
    await expect(page.getByText('计算结果与实际扣费一致')).toBeVisible();
  } finally {
    await beReader(page, gateway.url, ROOT);
    await set('EmailVerificationEnabled', false);
    await mail.close();
  }
});

test('a message to all reaches whoever is there, and its sender sees it read', async ({
  page,
  gateway,
}) => {
  await signIn(page, gateway.url);
  const reader = await makeUser(page, gateway.url);
  const title = aName('news');
  await page.goto(`${gateway.url}/admin/messages?id=new`);
  const drawer = page.getByRole('dialog', { name: '发送消息' });
  await drawer.getByLabel('标题').first().fill(title);
  await drawer.getByLabel('内容').fill('The prices **fall**.');
  await drawer.getByRole('button', { name: /选择全部匹配/ }).click();
  await drawer.getByRole('button', { name: '发送', exact: true }).click();
  await expect(drawer).toBeHidden();

  await signIn(page, gateway.url, { username: reader.username, password: PASSWORD });
  await page.goto(`${gateway.url}/app/inbox`);
  await page.getByRole('link', { name: title }).click();
  await expect(page.getByRole('article').getByRole('strong')).toHaveText('fall');
  await expect(page.getByRole('link', { name: '消息', exact: true })).toBeVisible();

  await signIn(page, gateway.url);
  await page.goto(`${gateway.url}/admin/messages?q=${title}`);
  const line = page.getByRole('row').filter({ hasText: title });
  await expect(line.getByRole('progressbar', { name: /人中 1 人已读$/ })).toBeVisible();
});

test('what one tab does to the session, the language and the theme, the other one does too', async ({
  page,
  context,
  gateway,
}) => {
  await signIn(page, gateway.url);
  await page.goto(`${gateway.url}/app/tokens`);
  const other = await context.newPage();
  await other.goto(`${gateway.url}/app/wallet`);
  await expect(region(other, '当前余额')).toBeVisible();

  await page.getByRole('button', { name: '切换到深色模式' }).click();
  await expect(other.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await page.getByRole('button', { name: '切换语言' }).click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Wallet');
  await page.getByRole('button', { name: /Account menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(other).toHaveURL(/\/login/);
});

test('on a slow line the page stands while its list comes; what fails keeps the form and can be sent again', async ({
  page,
  gateway,
  complaints,
}) => {
  await signIn(page, gateway.url);
  let arrive = () => {};
  const held = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await page.route('**/api/token/?*', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${gateway.url}/app/tokens`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('API 令牌');
  await page.getByRole('button', { name: '新建令牌' }).first().click();
  const drawer = page.getByRole('dialog', { name: '新建令牌' });
  const name = aName('slow');
  await drawer.getByLabel('名称').fill(name);
  await page.route('**/api/token/', (route) => route.abort('connectionreset'));
  await drawer.getByRole('button', { name: '新建', exact: true }).click();
  await expect(page.getByText('网关没有应答').first()).toBeVisible();
  await expect(drawer.getByLabel('名称')).toHaveValue(name);

  await page.unroute('**/api/token/');
  await drawer.getByRole('button', { name: '新建', exact: true }).click();
  await expect(page.getByRole('dialog', { name: '已创建 1 个令牌' })).toBeVisible();
  arrive();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('row').filter({ hasText: name })).toHaveCount(1);
  // The browser itself notes the broken connection.
  expect(complaints.every((text) => text.includes('ERR_CONNECTION_RESET'))).toBe(true);
  complaints.length = 0;
});

test('with a phone one signs in, makes a token, uses it and signs out', {
  tag: '@only-phone',
}, async ({ page, gateway, upstream }) => {
  await beReader(page, gateway.url, ROOT);
  await onlyChannel(page, gateway.url, upstream, 'gpt-4o-mini');
  const { username } = await makeUser(page, gateway.url);
  await page.context().clearCookies();
  await page.goto(`${gateway.url}/app/tokens`);
  await enterAs(page, { username, password: PASSWORD });
  await expect(page.getByText('还没有令牌')).toBeVisible();
  await makeTokenAndCall(page, 'phone');
  await expectNoSidewaysScroll(page);
  await page.getByRole('button', { name: '菜单', exact: true }).click();
  await page.getByRole('dialog', { name: '菜单' }).getByRole('link', { name: '使用日志' }).click();
  await expect(page.getByText('gpt-4o-mini').first()).toBeVisible();
  await expectNoSidewaysScroll(page);
  await page.getByRole('button', { name: /账户菜单/ }).click();
  await page.getByRole('menuitem', { name: '退出登录' }).click();
  await expect(page).toHaveURL(`${gateway.url}/login`);
});
