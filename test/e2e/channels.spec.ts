import { expect, type Page } from '@playwright/test';
import type { FakeUpstream } from '../upstream/server.ts';
import { aName, call } from './admin-calls.ts';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  expectReadable,
  signIn,
  test,
  UPSTREAM_KEY,
} from './browser.ts';

let upstream: FakeUpstream;

interface Made {
  readonly id: number;
  readonly name: string;
}

function makeChannel(page: Page, url: string, fields: object = {}): Promise<Made> {
  const name = aName('channel-');
  const usual = {
    name,
    type: 1,
    key: UPSTREAM_KEY,
    base_url: upstream.url,
    models: 'gpt-4o,gpt-4o-mini',
  };
  return call(page, 'POST', `${url}/api/channel/`, { ...usual, ...fields });
}

interface Stored {
  readonly status: number;
  readonly priority: number;
  readonly weight: number;
  readonly tag: string;
  readonly models: string;
  readonly base_url: string;
  readonly key: string;
  readonly auto_ban: number;
}

const stored = (page: Page, url: string, id: number): Promise<Stored> =>
  call(page, 'GET', `${url}/api/channel/${id}`);

async function testAll(page: Page): Promise<void> {
  await page.getByRole('button', { name: '批量操作' }).click();
  await page.getByRole('menuitem', { name: '测试所有渠道' }).click();
  await page.getByRole('dialog').getByRole('button', { name: '测试所有渠道' }).click();
}

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

test.beforeEach(async ({ page, gateway, upstream: started }) => {
  upstream = started;
  await signIn(page, gateway.url);
});

test('a channel is added: the form says what is missing, and its test is part of saving it', async ({
  page,
  gateway,
}) => {
  const name = aName('added-');
  await page.goto(`${gateway.url}/admin/channels?id=new`);
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByText('从上游获取')).toBeVisible();
  await drawer.getByRole('button', { name: '提交' }).click();
  await expect(drawer.getByText('请填写渠道名称')).toBeVisible();
  await expect(drawer.getByText('请至少选择一个模型')).toBeVisible();
  await expect(page.getByRole('alert').filter({ hasText: '请填写密钥' }).first()).toBeVisible();
  await expect(drawer.getByRole('textbox', { name: '名称' })).toBeFocused();
  await expectAccessible(page);

  await drawer.getByRole('textbox', { name: '名称' }).fill(name);
  await drawer.getByRole('textbox', { name: 'Base URL' }).fill(`${upstream.url}/`);
  await drawer.getByRole('textbox', { name: '密钥' }).fill(UPSTREAM_KEY);
  const asked = page.waitForRequest('**/api/channel/fetch_models');
  await drawer.getByRole('button', { name: '从上游获取' }).click();
  expect((await asked).postDataJSON()).toMatchObject({
    base_url: upstream.url,
    type: 1,
    key: UPSTREAM_KEY,
  });
  const diff = page.getByRole('dialog', { name: '与上游模型对比' });
  await diff.getByRole('button', { name: '反选' }).click();
  await diff.getByLabel('gpt-4o-mini', { exact: true }).check();
  await diff.getByRole('button', { name: '应用' }).click();
  await expect(drawer.getByText('1 个模型')).toBeVisible();

  await drawer.getByRole('button', { name: '保存并测试' }).click();
  await expect(page.getByText(`渠道 ${name} 创建成功`)).toBeVisible();
  await expect(page.getByText('测试成功')).toBeVisible();
  await expect(drawer).toBeHidden();
  await expect(page.getByText(name, { exact: true })).toBeVisible();
});

test('saving and testing stays open with the reason when the upstream refuses', async ({
  page,
  gateway,
}) => {
  const { id } = await makeChannel(page, gateway.url);
  await page.goto(`${gateway.url}/admin/channels?id=${id}`);
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: '密钥' }).fill('sk-wrong');
  await drawer.getByRole('button', { name: '保存并测试' }).click();
  await expect(drawer.getByRole('alert')).toContainText('最近一次测试失败');
  await expect(drawer.getByRole('textbox', { name: '密钥' })).toHaveValue('');
});

test('both pages of the editor have addresses of their own; a blank key is no change', {
  tag: '@phone',
}, async ({ page, gateway }) => {
  const { id } = await makeChannel(page, gateway.url);
  const before = await stored(page, gateway.url, id);
  await page.goto(`${gateway.url}/channel/edit/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`编辑渠道 #${id}`);
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.getByRole('textbox', { name: 'Base URL' }).fill('https://relay.example.test/v1/');
  await page.getByRole('button', { name: '提交' }).click();
  const question = page.getByRole('dialog');
  await expect(question).toContainText('/v1');
  await question.getByRole('button', { name: '取消' }).click();
  await expect(page).toHaveURL(new RegExp(`/channel/edit/${id}$`));
  await page.getByRole('textbox', { name: 'Base URL' }).fill('https://relay.example.test/x/');
  await page.getByRole('button', { name: '提交' }).click();
  await expect(page).toHaveURL(/\/admin\/channels$/);
  const { base_url, key } = await stored(page, gateway.url, id);
  expect([base_url, key]).toEqual(['https://relay.example.test/x', before.key]);

  await page.goto(`${gateway.url}/channel/add`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('添加渠道');
  await page.getByRole('textbox', { name: '名称' }).fill('unsaved');
  await page.getByRole('link', { name: '返回渠道列表' }).click();
  await page.getByRole('dialog').getByRole('button', { name: '取消' }).click();
  await expect(page.getByRole('textbox', { name: '名称' })).toHaveValue('unsaved');
  await page.goto(`${gateway.url}/channel/edit/999999`);
  await expect(page.getByText('渠道不存在，请刷新页面后重试')).toBeVisible();
});

test('a mapped name that is not among the models is pointed out, and added by one click', async ({
  page,
  gateway,
}) => {
  const { id } = await makeChannel(page, gateway.url, {
    model_mapping: '{"gpt-4o":"gpt-4o-2026"}',
  });
  await page.goto(`${gateway.url}/channel/edit/${id}`);
  const mapping = page.getByLabel('模型映射', { exact: true });
  await mapping.fill('{"my-alias":"gpt-4o-2026"}');
  await page.getByRole('button', { name: '提交' }).click();
  const question = page.getByRole('dialog', { name: '映射的模型名不在模型列表中' });
  await expect(question).toContainText('my-alias');
  await question.getByRole('button', { name: '取消' }).click();
  await page.getByRole('button', { name: '添加到模型列表' }).click();
  await page.getByRole('button', { name: '提交' }).click();
  await expect
    .poll(async () => (await stored(page, gateway.url, id)).models)
    .toBe('gpt-4o,gpt-4o-mini,my-alias');
});

test('a second submit is refused while the first is on its way', async ({ page, gateway }) => {
  const { id } = await makeChannel(page, gateway.url);
  let sent = 0;
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/api/channel/', async (route) => {
    if (route.request().method() === 'PUT') {
      sent += 1;
      await held;
    }
    await route.continue();
  });
  await page.goto(`${gateway.url}/admin/channels?id=${id}`);
  await page.getByRole('dialog').getByRole('textbox', { name: '标签' }).fill('twice');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('提交失败，请勿重复提交')).toBeVisible();
  letGo();
  await expect(page.getByRole('dialog')).toBeHidden();
  expect(sent).toBe(1);
});

test('the type decides what is asked, and fixed models are not typed', async ({
  page,
  gateway,
}) => {
  await page.goto(`${gateway.url}/channel/add`);
  const type = page.getByRole('combobox', { name: '类型', exact: true });
  const choose = async (name: string) => {
    await type.click();
    await type.fill(name);
    await page.getByRole('option', { name, exact: false }).first().click();
  };
  await choose('Suno');
  await expect(page.getByLabel('/suno 之前的地址')).toBeVisible();
  await expect(page.getByText('suno_lyrics', { exact: true }).first()).toBeVisible();
  await expect(page.getByText('该类型的模型是固定的')).toBeVisible();
  await choose('Vertex AI');
  await expect(page.getByText('0 个模型')).toBeVisible();
  await expect(page.getByLabel('部署地区')).toBeVisible();
  await choose('Coze');
  await page.getByRole('button', { name: '提交' }).click();
  await expect(page.getByText('请填写智能体 ID')).toBeVisible();
  await expect(page.getByRole('button', { name: '从上游获取' })).toBeDisabled();
  await choose('Dify');
  await page.getByRole('combobox', { name: '应用类型' }).click();
  await expect(page.getByRole('option')).toHaveText(['默认', 'completion', 'workflow']);
  await page.getByRole('option', { name: 'workflow' }).click();
  await choose('iFlytek');
  await expect(page.getByLabel('模型版本')).toHaveAttribute('placeholder', 'v2.1');
  await expect(page.getByLabel('模型版本')).toHaveValue('');
  await page.getByRole('button', { name: '填入相关模型' }).click();
  await expect(page.getByText('0 个模型')).toHaveCount(0);
  const kept = await page.evaluate<string>('localStorage.getItem("channel-models")');
  expect(Object.keys(JSON.parse(kept))).toContain('18');
});

test('many keys keep their content in either view, and may become one channel each', async ({
  page,
  gateway,
}) => {
  const name = aName('keys-');
  await page.goto(`${gateway.url}/channel/add`);
  await page.getByRole('textbox', { name: '名称' }).fill(name);
  await page.getByRole('textbox', { name: '密钥' }).fill('sk-first-key-000001,sk-second-key-00002');
  await page.getByText('列表', { exact: true }).click();
  await expect(page.getByText('共 2 个密钥')).toBeVisible();
  await page.getByText('文本', { exact: true }).first().click();
  await expect(page.getByRole('textbox', { name: '密钥' })).toHaveValue(
    /sk-first.*[,\n].*sk-second/s,
  );
  await page.getByLabel('为 2 个密钥各建一个渠道').check();
  await page.getByRole('button', { name: '填入相关模型' }).click();
  await page.getByRole('button', { name: '提交' }).click();
  await expect(page.getByText('已创建 2 个渠道')).toBeVisible();
});

test('priority and weight are changed where they stand: Enter saves, Esc takes back', async ({
  page,
  gateway,
}) => {
  const { id, name } = await makeChannel(page, gateway.url);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  const priority = page.getByLabel(`${name} 的优先级`);
  await priority.fill('7');
  await priority.press('Escape');
  await expect(priority).toHaveValue('0');
  await priority.fill('-1000');
  await expect(page.getByText('优先级必须是不小于 -999 的整数')).toBeVisible();
  await priority.press('Enter');
  await expect(priority).toHaveValue('0');
  await priority.fill('12');
  await priority.press('Enter');
  await expect(page.getByText(`已保存 ${name}`)).toBeVisible();
  const weight = page.getByLabel(`${name} 的权重`);
  await weight.fill('3');
  await weight.blur();
  await expect.poll(() => stored(page, gateway.url, id)).toMatchObject({ priority: 12, weight: 3 });
});

test('a channel is switched off at once and back by Undo; a refusal takes it back by itself', async ({
  page,
  gateway,
  complaints,
}) => {
  const { id, name } = await makeChannel(page, gateway.url);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  const toggle = page.getByRole('switch', { name: `启用渠道 ${name}` });
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await toggle.click({ force: true });
  expect((await sent).postDataJSON()).toEqual({ id, status: 2 });
  await page.getByRole('button', { name: '撤销' }).click();
  await expect(toggle).toBeChecked();
  await expect.poll(async () => (await stored(page, gateway.url, id)).status).toBe(1);
  // It is said once the list has been read again: nothing fetches the row away after this.
  await expect(page.getByText(`已启用 ${name}`)).toBeVisible();

  await call(page, 'DELETE', `${gateway.url}/api/channel/${id}/`);
  await toggle.click({ force: true });
  await expect(page.getByText('渠道不存在，请刷新页面后重试')).toBeVisible();
  // The browser notes the refusal by itself.
  expect(complaints.every((text) => text.includes('404'))).toBe(true);
  complaints.length = 0;
});

test('why a channel switched itself off is told where its status stands', async ({
  page,
  gateway,
}) => {
  await call(page, 'PUT', `${gateway.url}/api/option/`, {
    key: 'AutomaticDisableChannelEnabled',
    value: 'true',
  });
  const { id, name } = await makeChannel(page, gateway.url, { key: 'sk-refused' });
  await page.request.post(`${gateway.url}/api/channel/test/${id}`);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  const badge = rowOf(page, name).getByText('自动禁用');
  await badge.hover();
  await expect(page.getByRole('tooltip')).toContainText(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d · \S/);
  await expect(rowOf(page, name).getByLabel('1 次中 0 次成功')).toBeVisible();
  await page.getByRole('button', { name: /^自动禁用 [1-9]/ }).click();
  await expect(page).toHaveURL(/[?&]status=auto_disabled/);
  await expect(rowOf(page, name)).toBeVisible();
});

test('the tag view is kept, opens into its channels, and asks before all of them change', async ({
  page,
  gateway,
}) => {
  const tag = aName('tag-');
  const one = await makeChannel(page, gateway.url, { tag, priority: 5 });
  const two = await makeChannel(page, gateway.url, { tag, priority: 5 });
  await page.goto(`${gateway.url}/admin/channels?q=channel-`);
  const asked = page.waitForRequest(/\/api\/channel\/search\?.*tag_mode=true/);
  await page.getByRole('switch', { name: '标签聚合' }).check();
  expect((await asked).url()).toMatch(/keyword=channel-/);
  await page.reload();
  await page.getByRole('button', { name: new RegExp(tag) }).click();
  await expect(rowOf(page, one.name)).toBeVisible();
  const priority = page.getByLabel(`${tag} 的优先级`);
  await expect(priority).toHaveValue('5');
  await priority.fill('9');
  await priority.press('Enter');
  const question = page.getByRole('dialog');
  await expect(question).toContainText('2 个渠道');
  await question.getByRole('button', { name: '修改 2 个渠道' }).click();
  await expect(page.getByText('已修改该标签下的 2 个渠道')).toBeVisible();
  expect((await stored(page, gateway.url, two.id)).priority).toBe(9);

  await rowOf(page, tag).first().getByRole('button', { name: '编辑标签' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: '保存' }).click();
  await expect(page.getByText('没有任何修改')).toBeVisible();
  await drawer.getByLabel('标签名称').fill(`${tag}-b`);
  await drawer.getByRole('button', { name: '保存' }).click();
  await expect(drawer).toBeHidden();
  expect((await stored(page, gateway.url, one.id)).tag).toBe(`${tag}-b`);
});

test('one press tests a channel with its test model; a hint says when, to the keyboard as well', async ({
  page,
  gateway,
}) => {
  const { name } = await makeChannel(page, gateway.url);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  const row = rowOf(page, name);
  await expect(row.getByText('未测试')).toBeVisible();
  await row.getByRole('button', { name: '测试', exact: true }).click();
  await expect(page.getByText(`${name} 测试成功`)).toBeVisible();
  await expect(row.getByText('未测试')).toBeHidden();
  await expect(page.getByText(`正在测试 ${name}`)).toBeHidden();

  const time = row.getByText(/^[\d.]+ (ms|s)$/);
  await page.keyboard.press('Tab');
  await time.focus();
  const hint = page.getByRole('tooltip');
  await expect(hint).toContainText('测试于');
  await page.keyboard.press('Escape');
  await expect(hint).toBeHidden();
});

test('a failed test of a row says which channel and why', async ({ page, gateway }) => {
  const { name } = await makeChannel(page, gateway.url, { key: 'sk-wrong' });
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  await rowOf(page, name).getByRole('button', { name: '测试', exact: true }).click();
  await expect(page.getByText(`${name} 测试失败`)).toBeVisible();
});

test('a finger taps a hint open and away, and what it presses says nothing', {
  tag: '@only-phone',
}, async ({ page, gateway }) => {
  const { id, name } = await makeChannel(page, gateway.url);
  await call(page, 'GET', `${gateway.url}/api/channel/test/${id}`);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  const card = page.getByRole('listitem').filter({ hasText: name });
  const hint = page.getByRole('tooltip');
  await card.getByText(/^[\d.]+ (ms|s)$/).tap();
  await expect(hint).toContainText('测试于');
  await page.getByRole('heading', { level: 1 }).tap();
  await expect(hint).toBeHidden();
  await card.getByRole('button', { name: '更多操作' }).tap();
  await expect(page.getByRole('menu')).toBeVisible();
  await expect(hint).toBeHidden();
});

test('all models are tested in one dialog; what works and what fails is told, and kept', async ({
  page,
  gateway,
}) => {
  const { id, name } = await makeChannel(page, gateway.url, {
    models: 'gpt-4o,gpt-4o-mini,broken+status:500',
  });
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  const openTests = async () => {
    await rowOf(page, name).getByRole('button', { name: '更多操作' }).click();
    await page.getByRole('menuitem', { name: '测试模型' }).click();
  };
  await openTests();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('switch', { name: '流式' }).check();
  await dialog.getByRole('button', { name: '测试全部' }).click();
  await expect(dialog.getByText('成功 2，失败 1')).toBeVisible();
  await expect(dialog.getByText('首字').first()).toBeVisible();
  // Long answers are cut: they push nothing out of the dialog.
  await expect(dialog.getByRole('button', { name: '更多操作' }).first()).toBeInViewport({
    ratio: 1,
  });
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await openTests();
  await expect(dialog.getByText('成功 2，失败 1')).toBeVisible();
  await dialog.getByRole('button', { name: '更多操作' }).last().click();
  await page.getByRole('menuitem', { name: '从渠道移除该模型' }).click();
  await expect
    .poll(async () => (await stored(page, gateway.url, id)).models)
    .toBe('gpt-4o,gpt-4o-mini');
});

test('many are deleted, tagged and put right at once, and the toast counts them', async ({
  page,
  gateway,
}) => {
  const start = aName('bulk-');
  for (const end of ['a', 'b', 'c'])
    await makeChannel(page, gateway.url, { name: `${start}${end}`, status: end === 'c' ? 2 : 1 });
  await page.goto(`${gateway.url}/admin/channels?q=${start}`);
  const batch = async (item: string) => {
    await page.getByRole('button', { name: '批量操作' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await batch('删除已选渠道');
  await expect(page.getByText('请先选择要删除的渠道')).toBeVisible();
  await batch('设置标签');
  await expect(page.getByText('请先选择要设置标签的渠道')).toBeVisible();

  for (const end of ['a', 'b'])
    await rowOf(page, `${start}${end}`).getByRole('checkbox', { name: '选择此行' }).check();
  await expect(page.getByText('已选 2 项')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: '设置标签' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: '设置标签' }).click();
  await expect(dialog.getByText('标签不能为空')).toBeVisible();
  await dialog.getByRole('textbox', { name: '标签' }).fill('bulk-tag');
  await dialog.getByRole('button', { name: '设置标签' }).click();
  await expect(page.getByText('已为 2 个渠道设置标签')).toBeVisible();

  await batch('删除已选渠道');
  await dialog.getByRole('button', { name: '删除 2 个渠道' }).click();
  await expect(page.getByText('已删除 2 个渠道')).toBeVisible();
  await batch('修复数据一致性');
  await dialog.getByRole('button', { name: '开始修复' }).click();
  await expect(page.getByText(/修复完成，共重建 \d+ 条/)).toBeVisible();
  await batch('删除已禁用的渠道');
  await dialog.getByRole('button', { name: '删除已禁用的渠道' }).click();
  await expect(rowOf(page, `${start}c`)).toHaveCount(0);
});

test('one channel is copied with a suffix, and deleted after a question', async ({
  page,
  gateway,
}) => {
  const { name } = await makeChannel(page, gateway.url);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  await rowOf(page, name).getByRole('button', { name: '更多操作' }).click();
  await page.getByRole('menuitem', { name: '复制渠道' }).click();
  await expect(page.getByRole('dialog')).toContainText(`${name}_copy`);
  await page.getByRole('dialog').getByRole('button', { name: '取消' }).click();
  const copied = rowOf(page, `${name}_copy`);
  await copied.getByRole('button', { name: '更多操作' }).click();
  await page.getByRole('menuitem', { name: '删除' }).click();
  const gone = page.waitForRequest((request) => request.method() === 'DELETE');
  await page.getByRole('dialog').getByRole('button', { name: '删除渠道' }).click();
  expect(new URL((await gone).url()).pathname).toMatch(/^\/api\/channel\/\d+\/?$/);
  await expect(copied).toHaveCount(0);
});

test('the test of all channels runs by itself: results come in, and are listed at the end', async ({
  page,
  gateway,
}) => {
  const { name } = await makeChannel(page, gateway.url);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  await testAll(page);
  await expect(page.getByText('测试已在后台开始，结果会陆续显示')).toBeVisible();
  const results = page.getByRole('dialog', { name: '测试结果' });
  await expect(results).toContainText(name);
  await expect(results).toContainText('成功');
});

test('results of the test of all channels link to the channel, are tested again and exported', async ({
  page,
  gateway,
}) => {
  const { id, name } = await makeChannel(page, gateway.url, { key: 'sk-refused' });
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  await testAll(page);
  const results = page.getByRole('dialog', { name: '测试结果' });
  const again = results.getByRole('button', { name: `重新测试 ${name}` });
  await expect(again).toBeVisible();
  const file = page.waitForEvent('download');
  await results.getByRole('button', { name: '导出 CSV' }).click();
  expect((await file).suggestedFilename()).toMatch(/^channel-tests-\d{4}-\d\d-\d\d\.csv$/);
  await call(page, 'PUT', `${gateway.url}/api/channel/`, { id, key: UPSTREAM_KEY });
  await again.click();
  await expect(again).toHaveCount(0);
  await results.getByRole('link', { name, exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`[?&]q=${name}&id=${id}`));
  await expect(page.getByRole('dialog').getByLabel('名称')).toHaveValue(name);
});

test('stopping the test of all channels ends it in the gateway as well', async ({
  page,
  gateway,
}) => {
  const { name } = await makeChannel(page, gateway.url);
  upstream.setDefault('hold');
  try {
    await page.goto(`${gateway.url}/admin/channels?q=${name}`);
    await testAll(page);
    await upstream.until((stats) => stats.openCalls > 0);
    await page.getByRole('button', { name: '停止' }).click();
    await upstream.until((stats) => stats.openCalls === 0);
    await expect(page.getByRole('dialog', { name: '测试结果' })).toBeVisible();
    expect(await call(page, 'POST', `${gateway.url}/api/channel/test/stop`)).toBe(false);
  } finally {
    upstream.reset();
  }
});

test('an enabled channel whose test failed is shown as failing, until a test succeeds', async ({
  page,
  gateway,
}) => {
  const { id, name } = await makeChannel(page, gateway.url, { key: 'sk-refused', auto_ban: 0 });
  await page.request.post(`${gateway.url}/api/channel/test/${id}`);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  const row = rowOf(page, name);
  await expect(row.getByText('异常')).toBeVisible();
  await expect(row.getByText('失败', { exact: true })).toBeVisible();
  await expect(row.getByText('已启用')).toHaveCount(0);
  await call(page, 'PUT', `${gateway.url}/api/channel/`, { id, key: UPSTREAM_KEY });
  await row.getByRole('button', { name: '测试' }).click();
  await expect(row.getByText('已启用')).toBeVisible();
});

test('channels leave as a document and come back changed, after the plan was seen', async ({
  page,
  gateway,
}) => {
  const { id, name } = await makeChannel(page, gateway.url);
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  const open = async (item: string) => {
    await page.getByRole('button', { name: '批量操作' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await open('导出渠道');
  const file = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: '下载' }).click();
  expect((await file).suggestedFilename()).toMatch(/^channels-\d{4}-\d\d-\d\d\.json$/);

  await open('导入渠道');
  const dialog = page.getByRole('dialog');
  const document = { version: 1, channels: [{ name, weight: 8 }] };
  await dialog.locator('input[type="file"]').setInputFiles({
    name: 'channels.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(document)),
  });
  await expect(dialog.getByText('新建 0，更新 1，不变 0')).toBeVisible();
  await expect(dialog.getByText('weight')).toBeVisible();
  expect((await stored(page, gateway.url, id)).weight).toBe(0);
  await dialog.getByRole('button', { name: '导入 1 个渠道' }).click();
  await expect(page.getByText('导入完成：新建 0，更新 1')).toBeVisible();
  expect((await stored(page, gateway.url, id)).weight).toBe(8);
});

test('the list stands on a phone and on a desk without faults, in both themes', {
  tag: '@phone',
}, async ({ page, gateway }) => {
  const { name } = await makeChannel(page, gateway.url, { tag: 'looks', group: 'default' });
  await page.goto(`${gateway.url}/admin/channels?q=${name}`);
  await expect(page.getByText(name, { exact: true })).toBeVisible();
  await expectReadable(page);
});
