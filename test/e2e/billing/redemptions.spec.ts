import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { aName, call } from '../support/admin-calls.ts';
import {
  beforeScripts,
  expectAccessible,
  expectNoSidewaysScroll,
  expectReadable,
  signIn,
  test,
} from '../support/browser.ts';

test.beforeEach(async ({ page }) => signIn(page));

function makeCodes(page: Page, fields: Readonly<Record<string, unknown>>) {
  const codes = { quota: 500_000, count: 1, ...fields };
  return call<string[]>(page, 'POST', '/api/redemption/', codes);
}

function rowsOf(page: Page, name: string) {
  return page.getByRole('row').filter({ hasText: name });
}

test('unnamed codes are named after their amount and offered as a file', async ({ page }) => {
  await page.goto('/admin/coupons?id=new');
  const drawer = page.getByRole('dialog', { name: 'Create codes' });
  await drawer.getByText('$10', { exact: true }).click();
  await drawer.getByLabel('Count', { exact: true }).fill('3');
  await expect(drawer.getByLabel('Custom code')).toBeHidden();
  await drawer.getByRole('button', { name: 'Create' }).click();

  const made = page.getByRole('dialog', { name: 'Codes created: 3' });
  await expect(page).toHaveURL('/admin/coupons');
  const keys = (await made.getByLabel('Codes').innerText()).trim().split('\n');
  expect(keys).toHaveLength(3);
  const downloading = page.waitForEvent('download');
  await made.getByRole('button', { name: 'Download as text' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('$10.00.txt');
  expect((await readFile(await download.path(), 'utf8')).split('\n')).toEqual(keys);
  await expectAccessible(page);
});

test('the form refuses more than 100 codes; only gifts have several uses', async ({ page }) => {
  await page.goto('/admin/coupons?id=new');
  const drawer = page.getByRole('dialog', { name: 'Create codes' });
  await expect(drawer.getByLabel('Custom code')).toBeVisible();
  await expect(drawer.getByLabel('Max. uses')).toBeHidden();
  await drawer.getByRole('switch', { name: 'Gift code' }).check({ force: true });
  await expect(drawer.getByLabel('Max. uses')).toHaveValue('-1');
  await drawer.getByLabel('Count', { exact: true }).fill('101');
  await drawer.getByRole('button', { name: 'Create' }).click();
  await expect(drawer).toContainText('Enter a whole number from 1 to 100');

  await drawer.getByLabel('Valid from').click();
  const calendar = page.locator('[data-dates-dropdown]');
  await expect(calendar).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(calendar).toBeHidden();
  await expect(drawer).toBeVisible();
});

test('a code is switched in place; a used one can not be changed', async ({ page }) => {
  const name = aName('switch');
  const [used] = await makeCodes(page, { name, count: 2 });
  await call(page, 'POST', '/api/user/topup', { key: used });
  await page.goto(`/admin/coupons?q=${name}`);
  const [fresh, spent] = [rowsOf(page, name).nth(0), rowsOf(page, name).nth(1)];

  await fresh.getByRole('button', { name: 'Disable' }).click();
  await expect(fresh).toContainText('Disabled');
  await expect(fresh.getByRole('button', { name: 'Edit' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await fresh.getByRole('button', { name: 'Enable' }).click();
  await expect(fresh).toContainText('Unused');

  await expect(spent).toContainText('Used');
  await expect(spent.getByRole('link', { name: '#1' })).toHaveAttribute('href', /admin\/users/);
  for (const action of ['Edit', 'Enable'])
    await expect(spent.getByRole('button', { name: action })).toHaveAttribute(
      'aria-disabled',
      'true',
    );
});

test('deletion by name shows the count first, also on the button', async ({ page }) => {
  const name = aName('gone');
  await makeCodes(page, { name, count: 4 });
  await page.goto('/admin/coupons');
  await page.getByRole('button', { name: 'Batch actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete by name' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete by name' });
  await dialog.getByRole('button', { name: 'Count codes' }).click();
  await expect(dialog).toContainText('Enter a name');
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await dialog.getByRole('button', { name: 'Count codes' }).click();
  await expect(dialog.getByRole('status')).toContainText('4');
  await expectAccessible(page);

  await dialog.getByRole('button', { name: 'Delete codes (4)' }).click();
  await expect(page.getByText('Codes deleted: 4')).toBeVisible();
  const left = await call(page, 'GET', `/api/redemption/count-by-name?name=${name}`);
  expect(left).toBe(0);
});

test('deletion of disabled codes names and counts them', async ({ page }) => {
  const name = aName('off');
  await makeCodes(page, { name, count: 2 });
  const address = '/api/redemption';
  const { items } = await call<{ items: { id: number }[] }>(
    page,
    'GET',
    `${address}/search?keyword=${name}`,
  );
  await call(page, 'PUT', `${address}/batch-disable`, { ids: items.map(({ id }) => id) });
  await page.goto('/admin/coupons');
  await page.getByRole('button', { name: 'Batch actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete all disabled codes' }).click();
  const question = page.getByRole('dialog');
  await expect(question).toContainText(/Disabled codes: \d+ \(.*off.*\)/);
  await question.getByRole('button', { name: /^Delete codes \(\d+\)$/ }).click();
  await expect(page.getByText(/Codes deleted: \d+/)).toBeVisible();
  const left = await call<{ total: number }>(page, 'GET', `${address}/search?keyword=${name}`);
  expect(left.total).toBe(0);
});

test('disabling codes requires a selection and affects only that', async ({ page }) => {
  const name = aName('some');
  await makeCodes(page, { name, count: 3 });
  await page.goto(`/admin/coupons?q=${name}`);
  await page.getByRole('button', { name: 'Batch actions' }).click();
  await page.getByRole('menuitem', { name: 'Disable selected' }).click();
  await expect(page.getByText('Please select at least one redemption code!')).toBeVisible();

  await rowsOf(page, name).nth(0).getByRole('checkbox').check();
  await rowsOf(page, name).nth(1).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Disable selected' }).click();
  await page.getByRole('button', { name: 'Disable codes (2)' }).click();
  await expect(page.getByText('Codes disabled: 2')).toBeVisible();
  await expect(rowsOf(page, name).filter({ hasText: 'Unused' })).toHaveCount(1);
});

test('a code shows its redemption link as a QR code', async ({ page, gateway }) => {
  const name = aName('look');
  const [key] = await makeCodes(page, { name });
  const { items } = await call<{ items: { id: number }[] }>(
    page,
    'GET',
    `/api/redemption/search?keyword=${name}`,
  );
  await page.goto(`/admin/coupons?id=${items[0]?.id}`);
  const drawer = page.getByRole('dialog', { name });
  await expect(drawer.getByRole('img', { name: `QR code of ${name}` })).toBeVisible();
  await expect(drawer).toContainText(`${gateway.url}/app/wallet?code=${key}`);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});

test('the list is accessible and fits its window', async ({ page }) => {
  await makeCodes(page, { name: aName('list'), count: 3, is_gift: true });
  await page.goto('/admin/coupons');
  await expect(page.getByText('Unused').first()).toBeVisible();
  await expectReadable(page);
});

test('text typed after Enter is kept while the answer is loading', async ({ page }) => {
  await page.goto('/admin/coupons');
  const search = page.getByRole('search').locator('[data-page-search]');
  await expect(search).toBeVisible();
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/api\/redemption\/.*[?&]\w+=ab(&|$)/, async (route) => {
    await isAnswered;
    await route.continue();
  });
  await search.fill('ab');
  // Enter and the next letters in one task: sooner than any address can change.
  await search.evaluate((input: HTMLInputElement) => {
    input.form?.requestSubmit();
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {};
    set?.call(input, 'abcd');
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await expect(page).toHaveURL(/[?&]q=abcd$/);
  await expect(search).toHaveValue('abcd');
  answer();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await expect(search).toHaveValue('abcd');
});

test('a page of a hundred rows starts at its top and is selected as a whole', async ({ page }) => {
  const name = aName('page-');
  await makeCodes(page, { name, count: 100 });
  await makeCodes(page, { name, count: 100 });
  await beforeScripts(page, "localStorage.setItem('page-size', '100')");
  await page.goto(`/admin/coupons?q=${name}`);
  const rows = page.locator('tbody tr[aria-rowindex]');
  const row = (place: number) => page.locator(`tbody tr[aria-rowindex="${place + 1}"]`);
  await expect(page.getByRole('table')).toHaveAttribute('aria-rowcount', '101');
  // Only visible rows are rendered.
  await expect(row(1)).toBeInViewport();
  expect(await rows.count()).toBeLessThan(40);
  await expect(row(100)).toHaveCount(0);
  await row(5).hover();
  await page.mouse.wheel(0, 10_000);
  await expect(row(100)).toBeInViewport();
  await expect(row(1)).toHaveCount(0);
  // Ids, because other cells change: "3 sec. ago".
  const last = await row(100).getByRole('cell').nth(1).textContent();

  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(row(1)).toBeInViewport();
  await page.emulateMedia({ media: 'print' });
  await expect(rows).toHaveCount(100);
  // The rows of the previous page stay until those of the next one have arrived.
  await expect
    .poll(async () => {
      const printed = await rows.evaluateAll((all) =>
        all.map((one) => one.querySelectorAll('td')[1]?.textContent),
      );
      return new Set([last, ...printed]).size;
    })
    .toBe(101);
  await page.emulateMedia({ media: 'screen' });
  await page.getByRole('checkbox', { name: 'Select this page' }).check();
  await expect(page.getByText('100 selected')).toBeVisible();
});

test('a row keeps the focus while it is scrolled out of view', async ({ page }) => {
  const name = aName('focus-');
  await makeCodes(page, { name, count: 50 });
  await beforeScripts(page, "localStorage.setItem('page-size', '50')");
  await page.goto(`/admin/coupons?q=${name}`);
  const box = page.locator('tr[aria-rowindex="2"]').getByRole('checkbox');
  await box.focus();
  await page.locator('tr[aria-rowindex="6"]').hover();
  await page.mouse.wheel(0, 10_000);
  await expect(page.locator('tr[aria-rowindex="51"]')).toBeInViewport();
  await expect(box).toBeFocused();
  await expect(box).not.toBeInViewport();
});

test('a narrow window hides columns of low priority, unless chosen', async ({ page }) => {
  await makeCodes(page, { name: aName('narrow-'), count: 2 });
  await page.setViewportSize({ width: 1024, height: 800 });
  await page.goto('/admin/coupons');
  const head = (name: string) => page.getByRole('columnheader', { name, exact: true });
  const widthOf = async (name: string) => (await head(name).boundingBox())?.width;
  const hasLineBeside = async (name: string) =>
    (await head(name).evaluate((cell) => getComputedStyle(cell).boxShadow)) !== 'none';
  await expect(head('Actions')).toBeInViewport({ ratio: 1 });
  await expect(head('Status')).toBeInViewport({ ratio: 1 });
  for (const name of ['ID', 'Created']) await expect(head(name)).toHaveCount(0);
  expect(await widthOf('Select this page')).toBe(44);

  // All that the settings offer: the columns keep their widths and scroll beneath those that stay.
  await page.getByRole('button', { name: 'Columns' }).click();
  const created = page.getByRole('checkbox', { name: 'Created' });
  await expect(created).not.toBeChecked();
  await page.getByRole('button', { name: 'Select all', exact: true }).click();
  await expect(created).toBeChecked();
  await page.keyboard.press('Escape');
  await expect(head('Name')).toBeVisible();
  expect(await widthOf('Name')).toBe(140);
  await expect.poll(() => hasLineBeside('Actions')).toBe(true);
  expect(await hasLineBeside('Select this page')).toBe(false);

  await page.locator('tbody tr').first().hover();
  await page.mouse.wheel(2_000, 0);
  await expect(head('Used by')).toBeInViewport({ ratio: 0.9 });
  await expect(head('Select this page')).toBeInViewport({ ratio: 0.9 });
  await expect.poll(() => hasLineBeside('Actions')).toBe(false);
  await expect.poll(() => hasLineBeside('Select this page')).toBe(true);

  await page.setViewportSize({ width: 1900, height: 800 });
  expect(await widthOf('Select this page')).toBe(44);
  await expect.poll(() => widthOf('Name')).toBeGreaterThan(400);
});

test('a column is resized by mouse or keys, and reset by a double click', async ({ page }) => {
  await makeCodes(page, { name: aName('drag-'), count: 1 });
  await page.setViewportSize({ width: 1900, height: 800 });
  await page.goto('/admin/coupons');
  const head = page.getByRole('columnheader', { name: 'Valid', exact: true });
  const width = async () => (await head.boundingBox())?.width;
  const edge = head.getByRole('separator');
  await expect(head).toBeVisible();
  const usual = (await width()) ?? 0;
  const box = await edge.boundingBox();
  if (box === null) throw new Error('The edge of the column is not there.');
  await page.mouse.move(box.x + box.width / 2, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 - 60, box.y + 10, { steps: 4 });
  await page.mouse.up();
  expect(await width()).toBe(usual - 60);
  await edge.press('ArrowRight');
  expect(await width()).toBe(usual - 44);
  await page.reload();
  await expect(head).toBeVisible();
  expect(await width()).toBe(usual - 44);
  await edge.dblclick();
  expect(await width()).toBe(usual);
});
