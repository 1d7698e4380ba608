/** The list of channels and what is changed in its rows. */
import { expect } from '@playwright/test';
import { call } from '../support/admin-calls.ts';
import { expectReadable, forgive, signIn } from '../support/browser.ts';
import { rowOf, stored, test } from '../support/channel-data.ts';

test.beforeEach(({ page }) => signIn(page));

test('priority and weight are edited in place: Enter saves, Esc cancels', async ({
  page,
  makeChannel,
}) => {
  const { id, name } = await makeChannel();
  await page.goto(`/admin/channels?q=${name}`);
  const priority = page.getByLabel(`Priority of ${name}`);
  await priority.fill('7');
  await priority.press('Escape');
  await expect(priority).toHaveValue('0');
  await priority.fill('-1000');
  await expect(page.getByText('Enter a whole number of -999 or more')).toBeVisible();
  await priority.press('Enter');
  await expect(page.getByText('Enter a whole number of -999 or more')).toBeVisible();
  await priority.blur();
  await expect(priority).toHaveValue('-1000');
  await priority.fill('12');
  await priority.press('Enter');
  await expect(page.getByText(`${name} saved`)).toBeVisible();
  const weight = page.getByLabel(`Weight of ${name}`);
  await weight.fill('3');
  await weight.blur();
  await expect.poll(() => stored(page, id)).toMatchObject({ priority: 12, weight: 3 });
});

test('disabling a channel takes effect at once, Undo enables it again, and a refusal restores it', async ({
  page,
  complaints,
  makeChannel,
}) => {
  // Another channel serves the same models, so that nothing is asked.
  await makeChannel();
  const { id, name } = await makeChannel();
  await page.goto(`/admin/channels?q=${name}`);
  const toggle = page.getByRole('switch', { name: `Enable channel ${name}` });
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await toggle.click({ force: true });
  expect((await sent).postDataJSON()).toEqual({ id, status: 2, impact: 'ask' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(toggle).toBeChecked();
  await expect.poll(async () => (await stored(page, id)).status).toBe(1);
  // It is said once the list has been read again: nothing fetches the row away after this.
  await expect(page.getByText(`${name} enabled`)).toBeVisible();

  await call(page, 'DELETE', `/api/channel/${id}/?force=true`);
  await toggle.click({ force: true });
  await expect(
    page.getByText('The channel was not found. It may have been deleted.'),
  ).toBeVisible();
  forgive(complaints, /404/);
});

test('a channel looks enabled while the question before its disabling is open', async ({
  page,
  complaints,
  makeChannel,
}) => {
  const { id, name } = await makeChannel({ models: 'only-this-one' });
  await page.goto(`/admin/channels?q=${name}`);
  const toggle = page.getByLabel(`Enable channel ${name}`);
  await toggle.click({ force: true });
  const question = page.getByRole('dialog', { name: 'This is in use' });
  await expect(question).toContainText('only-this-one');
  await expect(toggle).toBeChecked();
  await question.getByRole('button', { name: 'Go on anyway' }).click();
  await expect(toggle).not.toBeChecked();
  await expect.poll(async () => (await stored(page, id)).status).toBe(2);
  forgive(complaints, /409/);
});

test('a channel is copied with a suffix, and deleted after confirmation', async ({
  page,
  makeChannel,
}) => {
  const { name } = await makeChannel();
  await page.goto(`/admin/channels?q=${name}`);
  await rowOf(page, name).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Copy as new' }).click();
  await expect(page.getByRole('dialog')).toContainText(`${name}_copy`);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  const copied = rowOf(page, `${name}_copy`);
  await copied.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const gone = page.waitForRequest((request) => request.method() === 'DELETE');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete channel' }).click();
  expect(new URL((await gone).url()).pathname).toMatch(/^\/api\/channel\/\d+\/?$/);
  await expect(copied).toHaveCount(0);
});

test('the list is readable in every window and theme', async ({ page, makeChannel }) => {
  const { name } = await makeChannel({ tag: 'looks', group: 'default' });
  await page.goto(`/admin/channels?q=${name}`);
  await expect(page.getByText(name, { exact: true })).toBeVisible();
  await expectReadable(page);
});
