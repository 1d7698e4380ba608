/** Options that hold JSON: as text, and as the tables of groups and prices. */
import { expect, type Page } from '@playwright/test';
import { call } from '../support/admin-calls.ts';
import { forgive, signIn, test } from '../support/browser.ts';
import { field, save, section, storedValue } from '../support/settings-page.ts';

// What is set here would hold for every test after it.
test.use({ site: 'settings' });

// A test has what is done on a page that is slow to load.
test.slow();

test.beforeEach(async ({ page }) => signIn(page));

test('JSON that is not valid is scrolled to and focused, and reported once', async ({ page }) => {
  await page.goto('/admin/settings?tab=models');
  const editor = field(page, 'gemini.safety_settings', '.cm-content');
  const gemini = section(page, 'gemini');
  // Text that arrives while the editor starts may be lost.
  await expect(async () => {
    await editor.fill('{"default": OFF');
    await expect(gemini).toContainText('1 changed');
  }).toPass();
  await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
  await save(page, 'gemini');
  await expect(gemini).toContainText('The text is not valid JSON');
  await expect(page.getByText(/^Check the input/)).toHaveText('Check the input');
  await expect(editor).toBeFocused();
  await expect(editor).toHaveAttribute('aria-invalid', 'true');
  await expect(editor).toBeInViewport();
});

test('groups and prices are edited in their tables, and previewed before saving', async ({
  page,
}) => {
  await call(page, 'POST', '/api/channel/', {
    name: 'odd',
    type: 1,
    key: 'sk-x',
    models: 'odd-model-1,odd-model-2',
    group: 'default',
  });
  await page.goto('/admin/settings');
  await test.step('a group is added in the table', async () => {
    const groups = section(page, 'groups');
    await groups.getByRole('button', { name: 'Add a group' }).click();
    const name = groups.locator('input[aria-label^="Group: group"]');
    await name.fill('team');
    await name.blur();
    await groups.getByLabel('Ratio: team').fill('0.5');
    await groups.getByLabel('Users may choose: team').check();
    await save(page, 'groups');
    await expect(page.getByRole('dialog')).toContainText('team');
    await page.getByRole('button', { name: 'Save changes (2)' }).click();
    await expect(page.getByText('Saved', { exact: true })).toBeVisible();
    await expect.poll(() => storedJson(page, 'GroupRatio')).toMatchObject({ team: 0.5 });
  });
  await test.step('a price is edited in its cell, previewed and applied', async () => {
    const prices = section(page, 'prices');
    await prices.getByLabel('Search models').fill('gpt-4o-mini');
    const cell = prices.getByLabel('Ratio of gpt-4o-mini', { exact: true });
    await cell.fill('x');
    await cell.blur();
    await expect(prices).toContainText('Enter a number');
    await cell.fill('9');
    await cell.press('Enter');
    // The edit stays while another view is open, and leaving the page asks.
    await prices.getByRole('tab', { name: 'JSON' }).click();
    await page.getByRole('tab', { name: 'System', exact: true }).click();
    await expect(prices).toBeHidden();
    await page.getByRole('tab', { name: 'Operation', exact: true }).click();
    await page.getByRole('link', { name: 'Channels', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await prices.getByRole('button', { name: 'Apply changes (1)' }).click();
    await page.getByRole('button', { name: 'Save changes (1)' }).click();
    await expect(page.getByText('Saved', { exact: true })).toBeVisible();
    await expect.poll(() => storedJson(page, 'ModelRatio')).toMatchObject({ 'gpt-4o-mini': 9 });
  });
  await test.step('models without a price are priced together and leave the list', async () => {
    const prices = section(page, 'prices');
    await prices.getByRole('tab', { name: 'Models without a price' }).click();
    await prices.getByRole('button', { name: 'Set for the selection' }).click();
    await expect(page.getByText('Select models first')).toBeVisible();
    // Nothing can be chosen of rows that are still on their way.
    await expect(prices.getByText('odd-model-1')).toBeVisible();
    await prices.getByRole('checkbox', { name: 'Select this page' }).check();
    await prices.getByRole('button', { name: 'Set for the selection' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Ratio', exact: true }).fill('1.5');
    await page.getByRole('button', { name: 'OK', exact: true }).click();
    await page.getByRole('button', { name: 'Save changes (2)' }).click();
    await expect(prices).toContainText('Every enabled model has a price');
  });
});

/** Asked again until it has a value: the notice may be that of an earlier change. */
async function storedJson(page: Page, key: string): Promise<unknown> {
  return JSON.parse((await storedValue(page, key)).value);
}

test('prices are loaded from the source after a preview', async ({ page, complaints }) => {
  await page.goto('/admin/settings');
  const presets = section(page, 'presets');
  const fetchPrices = presets.getByRole('button', { name: 'Fetch prices' });
  await fetchPrices.click();
  await expect(page.getByText('Choose a price list above and save it')).toBeVisible();
  await field(page, 'PriceSourceUrl').fill('http://127.0.0.1:9/prices.json');
  await fetchPrices.click();
  await expect(page.getByText('Save the price list that you chose first')).toBeVisible();
  await save(page, 'presets');
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await fetchPrices.click();
  await expect(page.getByText('127.0.0.1:9')).toBeVisible();

  const price = { model: 'preset-model', rates: { input: 6, output: 18 }, variants: [] };
  const when = { prompt_above: 200_000 };
  const changes = [
    { field: 'input', from: null, to: 6 },
    { field: 'output', from: null, to: 18 },
    { field: 'input', when, from: null, to: 12 },
  ];
  const items = [{ price, changes, origin: 'earlier 2026-08-01', since: '2026-08-01' }];
  const reply = { source: 'a list', date: '2026-11-01', items, same: 0, own: 2, skipped: [] };
  await page.route('**/api/price/source?*', (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ json: { success: true, message: '', data: reply } })
      : route.continue(),
  );
  await fetchPrices.click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('preset-model');
  await expect(dialog).toContainText('Input · Prompts above 200,000 tokens');
  await expect(dialog).toContainText("The site's own prices that differ and are kept: 2");
  await expect(dialog).toContainText('current price: earlier 2026-08-01');
  await dialog.getByRole('checkbox', { name: 'preset-model: Output' }).uncheck();
  await page.getByRole('button', { name: 'Save changes (2)' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect
    .poll(async () => (await storedValue(page, 'SyncedRates')).value)
    .toContain('"preset-model":{"rates":{"input":6}');
  await presets.getByRole('button', { name: 'Remove synced prices' }).click();
  await expect(dialog).toContainText('Models: 1. preset-model.');
  await dialog.getByRole('button', { name: 'Remove synced prices' }).click();
  await expect(page.getByText('The synced prices were removed: 1')).toBeVisible();
  forgive(complaints);
});
