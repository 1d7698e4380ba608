/** The form of a channel, beside the list and on pages of its own. */
import { expect } from '@playwright/test';
import { aName } from '../support/admin-calls.ts';
import { expectAccessible, expectToFit, signIn, UPSTREAM_KEY } from '../support/browser.ts';
import { stored, test } from '../support/channel-data.ts';

test.beforeEach(({ page }) => signIn(page));

test('the form names missing fields, and saves and tests in one step', async ({
  page,
  upstream,
}) => {
  const name = aName('added-');
  await page.goto('/admin/channels?id=new');
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByText('Fetch from upstream')).toBeVisible();
  await drawer.getByRole('button', { name: 'Submit' }).click();
  await expect(drawer.getByText('Enter the name')).toBeVisible();
  await expect(drawer.getByText('Select at least one model')).toBeVisible();
  await expect(drawer.getByText('Enter the key')).toBeVisible();
  await expect(drawer.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await expectAccessible(page);

  await drawer.getByRole('textbox', { name: 'Name' }).fill(name);
  await drawer.getByRole('textbox', { name: 'Base URL' }).fill(`${upstream.url}/`);
  await drawer.getByRole('textbox', { name: 'Key' }).fill(UPSTREAM_KEY);
  const sent = page.waitForRequest('**/api/channel/fetch_models');
  await drawer.getByRole('button', { name: 'Fetch from upstream' }).click();
  expect((await sent).postDataJSON()).toMatchObject({
    base_url: upstream.url,
    type: 1,
    key: UPSTREAM_KEY,
  });
  const diff = page.getByRole('dialog', { name: 'Compare with upstream models' });
  await diff.getByRole('button', { name: 'Invert' }).click();
  await diff.getByLabel('gpt-4o-mini', { exact: true }).check();
  await diff.getByRole('button', { name: 'Apply' }).click();
  await expect(drawer.getByText('Models: 1')).toBeVisible();

  await drawer.getByRole('button', { name: 'Save and test' }).click();
  await expect(page.getByText(`Channel ${name} created`)).toBeVisible();
  await expect(page.getByText('Test passed in')).toBeVisible();
  await expect(drawer).toBeHidden();
  await expect(page.getByText(name, { exact: true })).toBeVisible();
});

test('the form stays open if the test after saving fails', async ({ page, makeChannel }) => {
  const { id } = await makeChannel();
  await page.goto(`/admin/channels?id=${id}`);
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: 'Key' }).fill('sk-wrong');
  await drawer.getByRole('button', { name: 'Save and test' }).click();
  await expect(drawer.getByRole('alert')).toContainText('The last test failed');
  await expect(drawer.getByRole('textbox', { name: 'Key' })).toHaveValue('');
});

test('the pages for new and existing channels have their own addresses; an empty key keeps the stored one', async ({
  page,
  makeChannel,
}) => {
  const { id } = await makeChannel();
  const before = await stored(page, id);
  await page.goto(`/channel/edit/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`Edit channel #${id}`);
  await expectToFit(page);
  await page.getByRole('textbox', { name: 'Base URL' }).fill('https://relay.example.test/v1/');
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(page).toHaveURL(/\/admin\/channels$/);
  const { base_url, key } = await stored(page, id);
  expect([base_url, key]).toEqual(['https://relay.example.test/v1', before.key]);

  await page.goto('/channel/add');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add channel');
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.getByRole('textbox', { name: 'Base URL' }).focus();
  await page.getByRole('button', { name: '3 fields need correction' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.getByRole('textbox', { name: 'Name' }).fill('unsaved');
  await page.getByRole('link', { name: 'Back to channels' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('unsaved');
  await page.goto('/channel/edit/999999');
  await expect(
    page.getByText('The channel was not found. It may have been deleted.'),
  ).toBeVisible();
});

test('a mapped name that no model has is added by a click', async ({ page, makeChannel }) => {
  const { id } = await makeChannel({
    model_mapping: '{"gpt-4o":"gpt-4o-2026"}',
  });
  await page.goto(`/channel/edit/${id}`);
  const mapping = page.getByLabel('Model mapping', { exact: true });
  await mapping.fill('{"my-alias":"gpt-4o-2026"}');
  await page.getByRole('button', { name: 'Submit' }).click();
  const question = page.getByRole('dialog', { name: 'Mapped names are missing in the model list' });
  await expect(question).toContainText('my-alias');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Add to the models' }).click();
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect
    .poll(async () => (await stored(page, id)).models)
    .toBe('gpt-4o,gpt-4o-mini,my-alias');
});

test('a JSON field is read-only until its editor has loaded', async ({ page, makeChannel }) => {
  const { id } = await makeChannel({ model_mapping: '{"gpt-4o":"gpt-4o-2026"}' });
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/assets/CodeArea-*.js', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`/channel/edit/${id}`);
  const mapping = page.getByLabel('Model mapping', { exact: true });
  await expect(mapping).toHaveValue(/gpt-4o-2026/);
  await expect(mapping).not.toBeEditable();
  letGo();
  await mapping.fill('{}');
  await expect(mapping).toHaveText('{}');
});

test('a second submission is refused while the first is running', async ({ page, makeChannel }) => {
  const { id } = await makeChannel();
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
  await page.goto(`/admin/channels?id=${id}`);
  await page.getByRole('dialog').getByRole('textbox', { name: 'Tag' }).fill('twice');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('This is already being submitted')).toBeVisible();
  letGo();
  await expect(page.getByRole('dialog')).toBeHidden();
  expect(sent).toBe(1);
});

test('the channel type determines the fields; fixed models cannot be edited', async ({ page }) => {
  await page.goto('/channel/add');
  const type = page.getByRole('combobox', { name: 'Type', exact: true });
  const choose = async (name: string) => {
    await type.click();
    await type.fill(name);
    await page.getByRole('option', { name, exact: false }).first().click();
  };
  await choose('Suno');
  await expect(page.getByLabel('Address before /suno')).toBeVisible();
  await expect(page.getByText('suno_lyrics', { exact: true }).first()).toBeVisible();
  await expect(page.getByText('The models of this type are fixed')).toBeVisible();
  await choose('Vertex AI');
  await expect(page.getByText('Models: 0')).toBeVisible();
  await expect(page.getByLabel('Deployment region')).toBeVisible();
  await choose('Coze');
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByText('Bot ID is required')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Fetch from upstream' })).toBeDisabled();
  await choose('Dify');
  await page.getByRole('combobox', { name: 'Kind of application' }).click();
  await expect(page.getByRole('option')).toHaveText(['Default', 'completion', 'workflow']);
  await page.getByRole('option', { name: 'workflow' }).click();
  await choose('iFlytek');
  await expect(page.getByLabel('Model version')).toHaveAttribute('placeholder', 'v2.1');
  await expect(page.getByLabel('Model version')).toHaveValue('');
  await page.getByRole('button', { name: 'Fill related models' }).click();
  await expect(page.getByText('Models: 0')).toHaveCount(0);
  const kept = await page.evaluate<string>('localStorage.getItem("channel-models")');
  expect(Object.keys(JSON.parse(kept))).toContain('18');
});

test('several keys are the same in both views and make separate channels', async ({ page }) => {
  const name = aName('keys-');
  await page.goto('/channel/add');
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('textbox', { name: 'Key' }).fill('sk-first-key-000001,sk-second-key-00002');
  await page.getByText('List', { exact: true }).click();
  await expect(page.getByText('Keys: 2')).toBeVisible();
  await page.getByText('Text', { exact: true }).first().click();
  await expect(page.getByRole('textbox', { name: 'Key' })).toHaveValue(
    /sk-first.*[,\n].*sk-second/s,
  );
  await page.getByLabel('One channel per key (2)').check();
  await page.getByRole('button', { name: 'Fill related models' }).click();
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByText('Channels created: 2')).toBeVisible();
});

test('a key is disabled and enabled by itself, and the list counts those in use', async ({
  page,
  makeChannel,
}) => {
  const { id, name } = await makeChannel({ key: 'sk-first-key-000001\nsk-second-key-00002' });
  const states = page.locator('[data-section="connection"]').getByText('Disabled', { exact: true });
  const row = page.getByRole('row', { name });
  await page.goto(`/admin/channels?id=${id}&q=${name}`);
  await page
    .getByRole('button', { name: /^Disable key/ })
    .last()
    .click();
  await expect(states).toHaveCount(1);
  await page.goto(`/admin/channels?q=${name}`);
  await expect(row).toContainText('1 of 2 keys');

  await page.goto(`/admin/channels?id=${id}&q=${name}`);
  await expect(states).toHaveCount(1);
  await page.getByRole('button', { name: /^Enable key/ }).click();
  await expect(page.getByRole('button', { name: /^Disable key/ })).toHaveCount(2);
  await expect(states).toHaveCount(0);
  await page.goto(`/admin/channels?q=${name}`);
  await expect(row).toContainText('Enabled');
  await expect(row).not.toContainText('of 2 keys');
});
