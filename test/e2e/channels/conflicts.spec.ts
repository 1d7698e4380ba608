/** Changes that meet others: edits of the same field, and removal of what is in use. */
import { expect, type Page } from '@playwright/test';
import { aName, call } from '../support/admin-calls.ts';
import { expectAccessible, forgive, signIn } from '../support/browser.ts';
import { rowOf, stored, test } from '../support/channel-data.ts';

test.beforeEach(({ page }) => signIn(page));

const sides = (page: Page, field: string) => page.getByRole('radiogroup', { name: field });

test('two edits of a channel are joined: theirs, mine or both', async ({ page, makeChannel }) => {
  const { id } = await makeChannel({ models: 'gpt-4o,gpt-4o-mini', priority: 1 });
  await page.goto(`/admin/channels?id=${id}`);
  const drawer = page.getByRole('dialog').first();
  await drawer.getByLabel('Priority').fill('5');
  await drawer.getByLabel('Weight').fill('2');
  await call(page, 'PUT', '/api/channel/', { id, priority: 9, weight: 8, tag: 'eu' });
  await drawer.getByRole('button', { name: 'Submit' }).click();
  const conflict = page.getByRole('dialog', { name: 'Another user has changed this' });
  // Both values, who made the other change and when.
  await expect(sides(page, 'Priority').locator('pre')).toHaveText(['5', '9']);
  await expect(sides(page, 'Priority')).toContainText(/By root, \d{4}-\d\d-\d\d \d\d:\d\d/);
  await expectAccessible(page);
  await conflict.getByRole('button', { name: 'Cancel' }).click();
  await expect(drawer.getByLabel('Priority')).toHaveValue('5');

  await drawer.getByRole('button', { name: 'Submit' }).click();
  await sides(page, 'Priority').getByRole('radio', { name: 'Theirs' }).check();
  await conflict.getByRole('button', { name: 'Save these values' }).click();
  await expect(conflict).toBeHidden();
  await expect.poll(() => stored(page, id)).toMatchObject({ priority: 9, weight: 2, tag: 'eu' });
});

test('two edits of a list of models are both kept', async ({ page, makeChannel }) => {
  const { id } = await makeChannel({ models: 'gpt-4o' });
  await page.goto(`/admin/channels?id=${id}`);
  const drawer = page.getByRole('dialog').first();
  await drawer.getByRole('combobox', { name: 'Models' }).fill('mine-model');
  await drawer.getByRole('combobox', { name: 'Models' }).press('Enter');
  await call(page, 'PUT', '/api/channel/', { id, models: 'gpt-4o,theirs-model' });
  await drawer.getByRole('button', { name: 'Submit' }).click();
  await page
    .getByRole('dialog', { name: 'Another user has changed this' })
    .getByRole('button', { name: 'Save these values' })
    .click();
  await expect
    .poll(async () => (await stored(page, id)).models)
    .toBe('gpt-4o,theirs-model,mine-model');
});

test('the same edit by two users, and one that was undone, ask nothing', async ({
  page,
  complaints,
  makeChannel,
}) => {
  const { id } = await makeChannel({ models: 'gpt-4o', priority: 1, weight: 1 });
  const theirs = (fields: object) => call(page, 'PUT', '/api/channel/', { id, ...fields });
  await page.goto(`/admin/channels?id=${id}`);
  const drawer = page.getByRole('dialog').first();
  await drawer.getByLabel('Priority').fill('5');
  await drawer.getByLabel('Weight').fill('2');
  await theirs({ priority: 5 });
  await drawer.getByRole('button', { name: 'Submit' }).click();
  await expect(drawer).toBeHidden();
  await expect.poll(() => stored(page, id)).toMatchObject({ priority: 5, weight: 2 });

  // Undone between the refusal and the question.
  await page.goto(`/admin/channels?id=${id}`);
  await drawer.getByLabel('Priority').fill('6');
  await theirs({ priority: 8 });
  await page.route(
    `**/api/channel/${id}?*`,
    async (route) => {
      await theirs({ priority: 5 });
      await route.continue();
    },
    { times: 1 },
  );
  await drawer.getByRole('button', { name: 'Submit' }).click();
  await expect(drawer).toBeHidden();
  await expect.poll(() => stored(page, id)).toMatchObject({ priority: 6 });
  forgive(complaints, /409/);
});

test('an option that another user has changed is joined entry by entry', async ({ page }) => {
  const url = '/api/option/';
  const put = (value: object) => call(page, 'PUT', url, { key: 'ModelPrice', value, force: true });
  await put({ 'kept-price': 1 });
  await page.goto('/admin/settings');
  await page.getByRole('textbox', { name: 'Search models' }).fill('gpt-4o-mini');
  const cell = page.getByLabel('Fixed price of gpt-4o-mini', { exact: true });
  await cell.fill('2');
  await cell.press('Enter');
  await put({ 'kept-price': 1, 'their-price': 3 });
  await page.getByRole('button', { name: 'Apply changes (1)' }).click();
  await page.getByRole('button', { name: 'Save changes (1)' }).click();
  await expect(page.getByRole('dialog', { name: 'Another user' })).toContainText('By root, ');
  await page
    .getByRole('dialog', { name: 'Another user has changed this' })
    .getByRole('button', { name: 'Save these values' })
    .click();
  await expect
    .poll(async () => {
      const { value } = await call<{ value: string }>(page, 'GET', `${url}ModelPrice`);
      return JSON.parse(value);
    })
    .toEqual({ 'kept-price': 1, 'their-price': 3, 'gpt-4o-mini': 2 });
  await put({});
});

test('the last channel of a model is deleted only after its models were named', async ({
  page,
  complaints,
  makeChannel,
}) => {
  const model = aName('lonely-');
  const { name } = await makeChannel({ models: model });
  await page.goto(`/admin/channels?q=${name}`);
  const remove = async () => {
    await rowOf(page, name).getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete channel' }).click();
  };
  await remove();
  const impact = page.getByRole('dialog', { name: 'This is in use' });
  await expect(impact).toContainText(`${model} (default)`);
  await impact.getByRole('button', { name: 'Cancel' }).click();
  await expect(rowOf(page, name)).toBeVisible();
  await remove();
  await impact.getByRole('button', { name: 'Go on anyway' }).click();
  await expect(rowOf(page, name)).toHaveCount(0);
  // Cancel is no failure.
  await expect(page.getByRole('alert')).toHaveCount(0);
  forgive(complaints, /409/);
});
