import { expect, type Page } from '@playwright/test';
import { LOG_TYPE } from '../../src/domain/logs/log-types.ts';
import { expectAccessible, expectReadable, signIn, tellStatus, test } from './browser.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { aCall, signInAsSomeone, store } from './log-data.ts';

let gateway: Gateway;

test.beforeAll(async () => {
  gateway = await startGateway();
  await gateway.setUp();
  await store(gateway, { logs: LINES });
});

test.afterAll(() => gateway.remove());

const nowSec = Math.floor(Date.now() / 1000);

/** Ten models, 100,000 units each: two dollars in all, the last two of them in "other". */
const LINES = [
  ...Array.from({ length: 10 }, (_, place) =>
    aCall({
      model_name: `model-${place}`,
      quota: 100_000,
      created_at: nowSec - 60 - place * 3600,
      use_time_ms: 1000 * (place + 1),
    }),
  ),
  aCall({
    type: LOG_TYPE.error,
    quota: 0,
    model_name: 'model-0',
    content: 'The upstream is overloaded',
    other: '{"status_code":503}',
  }),
];

async function open(page: Page, query = '') {
  await signIn(page, gateway.url);
  await page.goto(`${gateway.url}/app/dashboard${query}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('数据看板');
}

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

test('figures, charts and tables say the same; a press shows one model alone, and leads to its lines', async ({
  page,
}) => {
  await open(page);
  await expect(page.getByText('$2.00').first()).toBeVisible();
  const spend = card(page, '各模型花费');
  await expect(spend.getByRole('img', { name: /合计 \$2\.00/ })).toBeVisible();
  const legend = spend.getByRole('button', { pressed: true });
  await expect(legend).toHaveCount(9);
  await expect(legend.last()).toHaveText('其他');

  await spend.getByRole('button', { name: 'model-3' }).click();
  await expect(spend.getByRole('button', { pressed: true })).toHaveText(['model-3']);
  await spend.getByRole('button', { name: 'model-3' }).click();
  await expect(legend).toHaveCount(9);

  await spend.getByRole('button', { name: '显示表格' }).click();
  await expect(spend.getByRole('columnheader', { name: '其他' })).toBeVisible();
  await expect(spend.getByRole('cell', { name: '$0.20' })).toHaveCount(10);
  await expect(card(page, '错误分类')).toContainText('上游故障');
  await expect(card(page, '最近的错误')).toContainText('The upstream is overloaded');

  await card(page, '花费最多的模型').getByRole('link', { name: 'model-4' }).click();
  await expect(page).toHaveURL(/\/app\/logs\/api-usage\?.*model=model-4/);
});

test('the site’s granularity holds at first, and another stays in the address', async ({
  page,
}) => {
  await open(page);
  await expect(page.getByRole('radio', { name: '小时' })).toBeChecked();
  await page.getByText('天', { exact: true }).click();
  await expect(page).toHaveURL(/step=day/);
  await page.reload();
  await expect(page.getByRole('radio', { name: '天', exact: true })).toBeChecked();
});

test('first steps are listed until they are waved away', async ({ page }) => {
  await open(page);
  const steps = card(page, '快速上手');
  await expect(steps.getByRole('link', { name: '添加渠道' })).toBeVisible();
  await steps.getByRole('button', { name: '不再显示' }).click();
  await expect(steps).toHaveCount(0);
  await page.reload();
  await expect(card(page, '模型花费占比')).toBeVisible();
  await expect(steps).toHaveCount(0);
});

test('who is no administrator sees only the own figures', async ({ page }) => {
  await signInAsSomeone(page, gateway);
  await page.goto(`${gateway.url}/app/dashboard?user=root`);
  await expect(page.getByText('还没有调用')).toBeVisible();
  await expect(page.getByLabel('用户名')).toHaveCount(0);
  await expect(card(page, '花费最多的用户')).toHaveCount(0);
  await expect(page.getByText('model-0')).toHaveCount(0);
  await expectAccessible(page);
});

test('a card that fails says so alone and tries again', async ({ page, complaints }) => {
  await signIn(page, gateway.url);
  await page.route('**/api/data/?*', (route) =>
    route.fulfill({ status: 400, json: { success: false, message: 'Not today' } }),
  );
  await page.goto(`${gateway.url}/app/dashboard`);
  const spend = card(page, '各模型花费');
  await expect(spend.getByRole('alert')).toContainText('Not today');
  await expect(card(page, '请求与错误').getByRole('img', { name: /./ })).toBeVisible();
  await page.unroute('**/api/data/?*');
  await spend.getByRole('button', { name: '重试' }).click();
  await expect(spend.getByRole('img', { name: /./ })).toBeVisible();
  // The browser itself notes the refusals.
  expect(complaints.every((text) => text.includes('400'))).toBe(true);
  complaints.length = 0;
});

test('without the option the log’s own sums remain, and a word on how to turn it on', async ({
  page,
}) => {
  await signIn(page, gateway.url);
  await tellStatus(page, { enable_data_export: false });
  await page.goto(`${gateway.url}/app/dashboard`);
  await expect(page.getByText('数据看板未开启')).toBeVisible();
  await expect(page.getByText('RPM')).toBeVisible();
  await expect(page.getByRole('link', { name: '打开系统设置' })).toBeVisible();
  await expectAccessible(page);
});

test('the dashboard is readable by everyone on every width', { tag: '@phone' }, async ({
  page,
}) => {
  await open(page, '?compare=true&step=day');
  await expect(card(page, '各模型花费').getByRole('img', { name: /./ })).toBeVisible();
  await expect(card(page, '最近 90 天活跃度').getByRole('img', { name: /./ })).toBeVisible();
  await expectReadable(page);
});
