/** Tests of channels: of one, of all its models, of all channels; and what they leave behind. */
import { expect, type Page } from '@playwright/test';
import { call } from '../support/admin-calls.ts';
import { expectAccessible, forgive, PHONE, signIn, UPSTREAM_KEY } from '../support/browser.ts';
import { rowOf, stored, test } from '../support/channel-data.ts';

test.beforeEach(({ page }) => signIn(page));

async function testAll(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Batch actions' }).click();
  await page.getByRole('menuitem', { name: 'Test all channels' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Test all channels' }).click();
}

test('one click tests a channel with its test model; a tooltip shows when, also on keyboard focus', async ({
  page,
  makeChannel,
}) => {
  const { name } = await makeChannel();
  await page.goto(`/admin/channels?q=${name}`);
  const row = rowOf(page, name);
  await expect(row.getByText('Untested')).toBeVisible();
  await row.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(page.getByText(`${name}: test passed`)).toBeVisible();
  await expect(row.getByText('Untested')).toBeHidden();
  await expect(page.getByText(`Testing ${name}`)).toBeHidden();

  const time = row.getByText(/^[\d.]+ (ms|s)$/);
  await page.keyboard.press('Tab');
  await time.focus();
  const hint = page.getByRole('tooltip');
  await expect(hint).toContainText('Tested at');
  await page.keyboard.press('Escape');
  await expect(hint).toBeHidden();
});

test('a failed test names the channel and the reason', async ({ page, makeChannel }) => {
  const { name } = await makeChannel({ key: 'sk-wrong' });
  await page.goto(`/admin/channels?q=${name}`);
  await rowOf(page, name).getByRole('button', { name: 'Test', exact: true }).click();
  await expect(page.getByText(`${name}: test failed`)).toBeVisible();
});

test.describe(PHONE.name, () => {
  test.use(PHONE.use);
  test('a tap opens a tooltip or triggers a control', async ({ page, makeChannel }) => {
    const { id, name } = await makeChannel();
    await call(page, 'GET', `/api/channel/test/${id}`);
    await page.goto(`/admin/channels?q=${name}`);
    const card = page.getByRole('listitem').filter({ hasText: name });
    const hint = page.getByRole('tooltip');
    await card.getByText(/^[\d.]+ (ms|s)$/).tap();
    await expect(hint).toContainText('Tested at');
    await page.getByRole('heading', { level: 1 }).tap();
    await expect(hint).toBeHidden();
    await card.getByRole('button', { name: 'More actions' }).tap();
    await expect(page.getByRole('menu')).toBeVisible();
    await expect(hint).toBeHidden();
  });
});

test('one dialog tests all models, shows successes and failures, and keeps the results', async ({
  page,
  complaints,
  makeChannel,
}) => {
  const { id, name } = await makeChannel({
    models: 'gpt-4o,gpt-4o-mini,broken+status:500',
  });
  await page.goto(`/admin/channels?q=${name}`);
  const openTests = async () => {
    await rowOf(page, name).getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Test models' }).click();
  };
  await openTests();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('switch', { name: 'Stream' }).check();
  await dialog.getByRole('button', { name: 'Test all' }).click();
  await expect(dialog.getByText('2 ok, 1 failed')).toBeVisible();
  await expect(dialog.getByText('first token').first()).toBeVisible();
  // Long answers are cut: they push nothing out of the dialog.
  await expect(dialog.getByRole('button', { name: 'More actions' }).first()).toBeInViewport({
    ratio: 1,
  });
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await openTests();
  await expect(dialog.getByText('2 ok, 1 failed')).toBeVisible();
  await dialog.getByRole('button', { name: 'More actions' }).last().click();
  await page.getByRole('menuitem', { name: 'Remove model from channel' }).click();
  // No other channel has the model.
  await page.getByRole('button', { name: 'Go on anyway' }).click();
  await expect.poll(async () => (await stored(page, id)).models).toBe('gpt-4o,gpt-4o-mini');
  forgive(complaints, /409/);
});

test('the test of all channels runs in the background; its results can be repeated and exported', async ({
  page,
  makeChannel,
}) => {
  const { id, name } = await makeChannel({ key: 'sk-refused' });
  await page.goto(`/admin/channels?q=${name}`);
  await testAll(page);
  await expect(
    page.getByText('The test runs in the background; results appear as they arrive'),
  ).toBeVisible();
  const results = page.getByRole('dialog', { name: 'Test results' });
  const again = results.getByRole('button', { name: `Test ${name} again` });
  await expect(again).toBeVisible();
  const file = page.waitForEvent('download');
  await results.getByRole('button', { name: 'Export CSV' }).click();
  expect((await file).suggestedFilename()).toMatch(/^channel-tests-\d{4}-\d\d-\d\d\.csv$/);
  await call(page, 'PUT', '/api/channel/', { id, key: UPSTREAM_KEY });
  await again.click();
  await expect(again).toHaveCount(0);
  await expect(results).toContainText('OK');
  await results.getByRole('link', { name, exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`[?&]q=${name}&id=${id}`));
  await expect(page.getByRole('dialog').getByRole('textbox', { name: 'Name' })).toHaveValue(name);
});

test('stopping the test of all channels also stops it in the gateway', async ({
  page,
  makeChannel,
  upstream,
}) => {
  const { name } = await makeChannel();
  upstream.setDefault('hold');
  try {
    await page.goto(`/admin/channels?q=${name}`);
    await testAll(page);
    await upstream.until((stats) => stats.openCalls > 0);
    await page.getByRole('button', { name: 'Stop' }).click();
    await upstream.until((stats) => stats.openCalls === 0);
    await expect(page.getByRole('dialog', { name: 'Test results' })).toBeVisible();
    expect(await call(page, 'POST', '/api/channel/test/stop')).toBe(false);
  } finally {
    upstream.reset();
  }
});

test('a channel is failing until a test succeeds', async ({ page, makeChannel }) => {
  const { id, name } = await makeChannel({ key: 'sk-refused', auto_ban: 0 });
  await page.request.post(`/api/channel/test/${id}`);
  await page.goto(`/admin/channels?q=${name}`);
  const row = rowOf(page, name);
  await expect(row.getByText('Failing')).toBeVisible();
  await expect(row.getByText('Failed', { exact: true })).toBeVisible();
  await expect(row.getByText('Enabled')).toHaveCount(0);
  await call(page, 'PUT', '/api/channel/', { id, key: UPSTREAM_KEY });
  await row.getByRole('button', { name: 'Test' }).click();
  await expect(row.getByText('Enabled')).toBeVisible();
});

test('the status of an automatically disabled channel shows the reason', async ({
  page,
  makeChannel,
}) => {
  await call(page, 'PUT', '/api/option/', {
    key: 'AutomaticDisableChannelEnabled',
    value: 'true',
  });
  const { id, name } = await makeChannel({ key: 'sk-refused' });
  await page.request.post(`/api/channel/test/${id}`);
  await page.goto(`/admin/channels?q=${name}`);
  const badge = rowOf(page, name).getByText('Auto-disabled');
  await badge.hover();
  await expect(page.getByRole('tooltip')).toContainText(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d · \S/);
  await expect(rowOf(page, name).getByLabel('0 of 1 ok')).toBeVisible();
  await page.getByRole('button', { name: /^[1-9]\d* auto-disabled/ }).click();
  await expect(page).toHaveURL(/[?&]status=auto_disabled/);
  await expect(rowOf(page, name)).toBeVisible();
});
