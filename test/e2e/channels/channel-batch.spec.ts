/** What is done to many channels at once: by tag, by choice, by document. */
import { expect } from '@playwright/test';
import { aName } from '../support/admin-calls.ts';
import { expectAccessible, signIn } from '../support/browser.ts';
import { rowOf, stored, test } from '../support/channel-data.ts';

test.beforeEach(({ page }) => signIn(page));

test('the tag view is remembered and changes many channels', async ({ page, makeChannel }) => {
  const tag = aName('tag-');
  const one = await makeChannel({ tag, priority: 5 });
  const two = await makeChannel({ tag, priority: 5 });
  await page.goto('/admin/channels?q=channel-');
  const sent = page.waitForRequest(/\/api\/channel\/search\?.*tag_mode=true/);
  await page.getByRole('switch', { name: 'Tag view' }).check();
  expect((await sent).url()).toMatch(/keyword=channel-/);
  await page.reload();
  await page.getByRole('button', { name: new RegExp(tag) }).click();
  await expect(rowOf(page, one.name)).toBeVisible();
  const priority = page.getByLabel(`Priority of ${tag}`);
  await expect(priority).toHaveValue('5');
  await priority.fill('9');
  await priority.press('Enter');
  const question = page.getByRole('dialog');
  await expect(question).toContainText('with this tag: 2');
  await question.getByRole('button', { name: 'Change channels (2)' }).click();
  await expect(page.getByText('Channels of the tag changed: 2')).toBeVisible();
  expect((await stored(page, two.id)).priority).toBe(9);

  await rowOf(page, tag).first().getByRole('button', { name: 'Edit tag' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('No changes')).toBeVisible();
  await drawer.getByLabel('Tag name').fill(`${tag}-b`);
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expect(drawer).toBeHidden();
  expect((await stored(page, one.id)).tag).toBe(`${tag}-b`);
});

test('bulk deletion, tagging and index repair report their counts', async ({
  page,
  makeChannel,
}) => {
  const start = aName('bulk-');
  for (const end of ['a', 'b', 'c'])
    await makeChannel({ name: `${start}${end}`, status: end === 'c' ? 2 : 1 });
  await page.goto(`/admin/channels?q=${start}`);
  const batch = async (item: string) => {
    await page.getByRole('button', { name: 'Batch actions' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await batch('Delete selected channels');
  await expect(page.getByText('Select the channels to delete first')).toBeVisible();
  await batch('Set tag');
  await expect(page.getByText('Select the channels to tag first')).toBeVisible();

  for (const end of ['a', 'b'])
    await rowOf(page, `${start}${end}`).getByRole('checkbox', { name: 'Select this row' }).check();
  await expect(page.getByText('2 selected')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Set tag' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Set tag' }).click();
  await expect(dialog.getByText('Tag cannot be empty')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Tag' }).fill('bulk-tag');
  await dialog.getByRole('button', { name: 'Set tag' }).click();
  await expect(page.getByText('Channels tagged: 2')).toBeVisible();

  await batch('Delete selected channels');
  await expect(dialog).toContainText(`(2): ${start}`);
  await dialog.getByRole('button', { name: 'Delete channels (2)' }).click();
  await expect(page.getByText('Channels deleted: 2')).toBeVisible();
  await batch('Fix consistency');
  await dialog.getByRole('button', { name: 'Fix consistency' }).click();
  await expect(page.getByText(/Index of channels rebuilt, entries: \d+/)).toBeVisible();
  await batch('Delete disabled channels');
  await dialog.getByRole('button', { name: /^Delete channels \(\d+\)$/ }).click();
  await expect(rowOf(page, `${start}c`)).toHaveCount(0);
});

test('channels are exported, and imported after a preview', async ({ page, makeChannel }) => {
  const { id, name } = await makeChannel();
  await page.goto(`/admin/channels?q=${name}`);
  const open = async (item: string) => {
    await page.getByRole('button', { name: 'Batch actions' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await open('Export channels');
  const file = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click();
  expect((await file).suggestedFilename()).toMatch(/^channels-\d{4}-\d\d-\d\d\.json$/);

  await open('Import channels');
  const dialog = page.getByRole('dialog');
  const document = { version: 1, channels: [{ name, weight: 8 }] };
  await dialog.locator('input[type="file"]').setInputFiles({
    name: 'channels.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(document)),
  });
  await expect(dialog.getByText('New: 0, changed: 1, unchanged: 0')).toBeVisible();
  await expect(dialog.getByText('weight')).toBeVisible();
  expect((await stored(page, id)).weight).toBe(0);
  await dialog.getByRole('button', { name: 'Import channels (1)' }).click();
  await expect(page.getByText('Imported. New: 0, changed: 1')).toBeVisible();
  expect((await stored(page, id)).weight).toBe(8);

  await open('Import channels');
  await dialog.locator('input[type="file"]').setInputFiles({
    name: 'channels.yaml',
    mimeType: 'application/yaml',
    buffer: Buffer.from(`version: 1\nchannels:\n  - name: ${name}\n    weight: 9 # heavier\n`),
  });
  await dialog.getByRole('button', { name: 'Import channels (1)' }).click();
  await expect(page.getByText('Imported. New: 0, changed: 1').last()).toBeVisible();
  await expect(dialog).toHaveCount(0);
  expect((await stored(page, id)).weight).toBe(9);
});
