import { expect, type Locator, type Page } from '@playwright/test';
import { LOG_TYPE } from '../../src/domain/logs/log-types.ts';
import { call } from './support/admin-calls.ts';
import {
  beforeScripts,
  expectAccessible,
  expectNoSidewaysScroll,
  expectReadable,
  PHONE,
  signIn,
  test,
} from './support/browser.ts';
import { aCall, onOwnSite, signInAsSomeone, store } from './support/log-data.ts';

const LOGS = '/app/logs/api-usage';

const nowSec = Math.floor(Date.now() / 1000);

/** Just the lines below, whatever other tests of this gateway do meanwhile. */
const RANGE = `from=${nowSec - 3600}&to=${nowSec}`;

const CLAUDE = aCall({
  request_id: 'req-claude',
  created_at: nowSec - 20,
  model_name: 'claude-sonnet',
  token_name: 'server',
  quota: 3638,
  prompt_tokens: 100,
  completion_tokens: 300,
  use_time_ms: 150_000,
  first_token_ms: 12_000,
  client_ip: '203.0.113.7',
  other: JSON.stringify({
    claude: true,
    rate_conditions: [{ prompt_above: 2_000 }, { tier: 'priority' }],
    model_ratio: 1.5,
    completion_ratio: 5,
    group_ratio: 1,
    cache_tokens: 2000,
    cache_ratio: 0.1,
    cache_creation_tokens: 500,
    cache_creation_ratio: 1.25,
    is_model_mapped: true,
    upstream_model_name: 'claude-sonnet-upstream',
    context: '[{"role":"system","content":"Be kind"}]',
    input_content: '{"role":"user","content":"What is a gateway?"}',
    output_content: 'A door.',
    admin_info: {
      use_channel: ['3', '7'],
      attempts: [
        {
          channel_id: 3,
          channel_name: 'first',
          status: 429,
          code: 'limited',
          message: 'Too fast',
          duration_ms: 2000,
        },
        { channel_id: 7, channel_name: 'second', status: 200, code: '', duration_ms: 9000 },
      ],
    },
  }),
});

const LINES = [
  ...Array.from({ length: 12 }, (_, place) =>
    aCall({ request_id: `req-${place}`, created_at: nowSec - 600 - place }),
  ),
  CLAUDE,
  aCall({
    created_at: nowSec - 15,
    type: LOG_TYPE.error,
    quota: 0,
    model_name: 'gpt-4o',
    content: 'The upstream is overloaded',
    other: '{"error_type":"upstream_error","error_code":"overloaded","status_code":503}',
  }),
  aCall({ created_at: nowSec - 10, model_name: 'broken', other: '{"model_ratio"' }),
  aCall({
    created_at: nowSec - 5,
    type: 42,
    model_name: '',
    content: 'From the future',
    other: '',
  }),
];

onOwnSite('log', { logs: LINES });

async function open(page: Page, query = RANGE, heading = 'Usage logs') {
  await signIn(page);
  await page.goto(`${LOGS}?${query}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
}

test('the log opens with the range of the site, and a link keeps its own', async ({ page }) => {
  await signIn(page);
  const setRange = (value: string) =>
    call(page, 'PUT', '/api/option/', { key: 'LogDefaultRange', value });
  await setRange('7d');
  try {
    const range = page.getByRole('combobox', { name: 'Time range' });
    await page.goto(`${LOGS}`);
    await expect(range).toHaveValue('Last 7 days');
    await page.goto(`${LOGS}?from=24h`);
    await expect(range).toHaveValue('Last 24 hours');
  } finally {
    await setRange('24h');
  }
});

test('the token filter suggests own tokens and finds parts of names', async ({ page }) => {
  await open(page, RANGE);
  const mine = { name: 'a-server-of-mine', unlimited_quota: true, expired_time: -1 };
  await call(page, 'POST', '/api/token/', mine);
  const token = page.getByRole('combobox', { name: 'Token', exact: true });
  await token.fill('server');
  await expect(page.getByRole('option', { name: 'a-server-of-mine' })).toBeVisible();
  await token.fill('*erv*');
  await token.press('Enter');
  await expect(page.getByText('Token: *erv*')).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: 'claude-sonnet' })).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: 'The upstream is overloaded' })).toHaveCount(
    0,
  );
});

test('an expanded log entry shows how its cost was computed', async ({ page }) => {
  await open(page);
  const row = page.getByRole('row').filter({ hasText: 'claude-sonnet' });
  await expect(row).toContainText('claude-sonnet → claude-sonnet-upstream');
  await expect(row).toContainText('-$0.0073');
  // All of the input, as sums count it, and the share that was read from the cache.
  await expect(row).toContainText('2,60077%');
  await row.getByRole('button', { name: 'Show details' }).click();

  const price = page.getByRole('table', { name: 'Price' });
  await expect(price.getByRole('row', { name: /Input \(uncached\)/ })).toContainText('100');
  await expect(price.getByRole('row', { name: /Cache read/ })).toContainText('2,000');
  await expect(price.getByRole('row', { name: /Cache write/ })).toContainText('500');
  await expect(price.getByRole('row', { name: /Total/ })).toContainText('$0.007275');
  const conditions = 'Rates: Prompts above 2,000 tokens, Service tier priority';
  await expect(price.getByRole('row', { name: conditions })).toBeVisible();
  await expect(page.getByText('The result equals the charge:')).toBeVisible();
  await expect(page.getByText('What is a gateway?')).toBeVisible();
  await expect(page.getByText('429 · limited · Too fast')).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});

test('the price table is laid out alike in an expanded row and the drawer', async ({ page }) => {
  for (const [language, width] of [
    ['zh', 1440],
    ['en', 1440],
    ['zh', 1100],
  ] as const) {
    await beforeScripts(page, `localStorage.setItem('language', '${language}')`);
    await page.setViewportSize({ width, height: 900 });
    await open(page, `${RANGE}&type=2`, language === 'zh' ? '使用日志' : 'Usage logs');
    const price = page.getByRole('table', { name: PRICE_TABLE });
    const row = page.getByRole('row').filter({ hasText: 'claude-sonnet' }).first();
    await row.getByRole('button', { name: /^(展开详情|Show details)/ }).click();
    const inRow = await shapeOf(price);
    await row.press('Enter');
    await expect(price).toHaveCount(2);
    const inDrawer = await shapeOf(price.last());
    expect(inRow).toEqual(inDrawer);
    await page.keyboard.press('Escape');
  }
});

const ONE_LINE_PX = 40;
const PRICE_TABLE = /^(计费明细|Price)$/;

/** Of each row: in which of the four columns its cells end, and whether they hold one line of text. */
async function shapeOf(table: Locator): Promise<unknown> {
  await expect(table).toBeVisible();
  const [heads = [], ...rows] = await table.evaluate((element) =>
    [...element.querySelectorAll('tr')].map((row) =>
      [...row.cells].map((cell): Box => {
        const { right, height } = cell.getBoundingClientRect();
        return { right: Math.round(right), height: Math.round(height) };
      }),
    ),
  );
  const columns = heads.map(({ right }) => right);
  return rows.map((cells) =>
    cells.map(({ right, height }) => [columns.indexOf(right), height < ONE_LINE_PX]),
  );
}

interface Box {
  readonly right: number;
  readonly height: number;
}

test('an administrator sees error texts and all figures at once', async ({ page }) => {
  await open(page);
  for (const width of [1440, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const message = page.getByRole('row').getByText('503 The upstream is overloaded');
    await expect(message).toBeVisible();
    const spare = await message.evaluate((text) => {
      const { scrollWidth = 0, clientWidth = 0 } = text.closest('table')?.parentElement ?? {};
      return Math.max(scrollWidth - clientWidth, text.scrollHeight - text.clientHeight);
    });
    expect(spare).toBeLessThanOrEqual(0);
    for (const title of ['Channel', 'User', 'Model', 'Input', 'Output', 'Retry', 'Details'])
      await expect(page.getByRole('columnheader', { name: title, exact: true })).toBeInViewport({
        ratio: 1,
      });
  }
  await expect(page.getByRole('columnheader', { name: 'Stream' })).toBeVisible();
});

test('a log entry has its own address, and j and k open its neighbours', async ({ page }) => {
  await open(page, `${RANGE}&type=2`);
  await page.getByRole('row').nth(2).focus();
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('dialog');
  await expect(drawer).toContainText('claude-sonnet');
  await expect(page).toHaveURL(/id=\d+/);
  await expect(drawer.getByText('"claude": true')).toBeVisible();
  await expectAccessible(page);

  await page.keyboard.press('j');
  await expect(drawer).toContainText('gpt-4o-mini');
  await page.keyboard.press('k');
  await expect(drawer).toContainText('claude-sonnet');
  await page.reload();
  await expect(drawer).toContainText('claude-sonnet');
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/id=/);
});

test('filters are in the address, narrow list and sums, and end by chips', async ({ page }) => {
  await open(page);
  await expect(page.getByText('1-10 of 16')).toBeVisible();
  await page.getByRole('combobox', { name: 'Token', exact: true }).fill('server');
  await page.getByRole('combobox', { name: 'Token', exact: true }).press('Enter');
  await expect(page).toHaveURL(/token=server/);
  await expect(page.getByText('1-1 of 1')).toBeVisible();
  await expect(page.locator('dl').first()).toContainText('$0.0073');

  await page.reload();
  await expect(page.getByText('1-1 of 1')).toBeVisible();
  await page.getByRole('button', { name: 'Remove filter: Token: server' }).click();
  await expect(page.getByText('1-10 of 16')).toBeVisible();

  await page.getByRole('row').filter({ hasText: 'overloaded' }).getByText('gpt-4o').click();
  await page.getByRole('button', { name: 'Filter by this' }).click();
  await expect(page).toHaveURL(/model=gpt-4o/);
  await expect(page.getByText('1-1 of 1')).toBeVisible();
});

test('an empty result shows a message and offers to reset the filters', async ({ page }) => {
  await open(page, 'model=no-such-model');
  await expect(page.getByText('Nothing matches these filters')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Last 30 days' }).click();
  await expect(page).toHaveURL(/from=30d/);
});

test('errors, unreadable entries and unknown types are all shown', async ({ page }) => {
  await open(page);
  const future = page.getByRole('row').filter({ hasText: 'From the future' });
  await expect(future).toContainText('Unknown');
  const failed = page.getByRole('row').filter({ hasText: 'overloaded' });
  await failed.getByRole('button', { name: 'Show details' }).click();
  await expect(page.getByText('upstream_error')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Retry in the playground' })).toBeVisible();
  const broken = page.getByRole('row').filter({ hasText: 'broken' });
  await broken.getByRole('button', { name: 'Show details' }).click();
  await expect(broken.getByRole('button', { name: 'Show details', expanded: true })).toBeVisible();
});

test('a user name opens the account', async ({ page }) => {
  await open(page, `${RANGE}&type=2`);
  await page.getByRole('row').nth(2).getByText('root').click();
  const card = page.getByRole('dialog', { name: 'root' });
  await expect(card.getByText('Requests')).toBeVisible();
  await expect(card.getByRole('link', { name: 'Open the user' })).toHaveAttribute(
    'href',
    '/user/edit/1',
  );
  await expectAccessible(page);
});

test('a filter is saved as a view and restored', async ({ page }) => {
  await open(page, `${RANGE}&type=6`);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByLabel('Save the current filters as').fill('Failures');
  await page.getByLabel('Save the current filters as').press('Enter');
  await page.goto(`${LOGS}`);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('button', { name: 'Failures', exact: true }).click();
  await expect(page).toHaveURL(/type=6/);
});

test('all matching entries are exported to a file', async ({ page }) => {
  await open(page, `${RANGE}&type=6`);
  await page.getByRole('button', { name: 'Export everything that matches' }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'CSV table' }).click(),
  ]);
  const text = await (await file.createReadStream()).toArray();
  const lines = Buffer.concat(text).toString().trim().split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain('The upstream is overloaded');
});

test('new entries appear automatically in live mode', async ({ page, gateway }) => {
  await open(page, 'type=2');
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Every 5 s' }).click();
  await store(gateway, {
    logs: [aCall({ model_name: 'late', created_at: nowSec + 60 })],
  });
  await expect(page.getByText('late', { exact: true })).toBeVisible({ timeout: 20_000 });
});

test('an ordinary user sees their own entries, without channels', async ({ page, gateway }) => {
  const { id, username } = await signInAsSomeone(page);
  const mine = aCall({ user_id: id, username, model_name: 'my-own-model', other: CLAUDE.other });
  await store(gateway, { logs: [mine] });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  // As if an administrator had chosen columns in this browser before.
  await beforeScripts(
    page,
    `localStorage.setItem('log-columns', '{"order":["retry","channel","user","model"],"hidden":[]}')`,
  );
  await page.goto(`${LOGS}?user=root&channel=3`);

  await expect(page.getByText('my-own-model').first()).toBeVisible();
  await expect(page.getByText('gpt-4o-mini')).toHaveCount(0);
  for (const title of ['Channel', 'User', 'Retry'])
    await expect(page.getByRole('columnheader', { name: title, exact: true })).toHaveCount(0);
  await expect(page.getByText('3 › 7')).toHaveCount(0);
  const logCalls = requests.filter((path) => path.startsWith('/api/log'));
  expect(logCalls.length).toBeGreaterThan(0);
  expect(logCalls.every((path) => path.startsWith('/api/log/self'))).toBe(true);
  await expectAccessible(page);
});

test('the log is accessible and fits every window', async ({ page }) => {
  await open(page);
  await expect(page.getByText('claude-sonnet').first()).toBeVisible();
  await expectReadable(page);
  await page.setViewportSize(PHONE.use.viewport);
  await page.getByRole('button', { name: /^Filters \(/ }).click();
  await expect(page.getByRole('dialog').getByLabel('Channel ID')).toBeVisible();
  await expectAccessible(page);
});
