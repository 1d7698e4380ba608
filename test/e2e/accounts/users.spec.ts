import { expect, type Page } from '@playwright/test';
import { aName, call, makeUser, PASSWORD } from '../support/admin-calls.ts';
import { beReader, expectReadable, expectToFit, signIn, test } from '../support/browser.ts';
import { ROOT } from '../support/gateway.ts';
import { visit } from '../support/visit.ts';

/** Twice as long as a hint waits. */
const HINT_MS = 600;

function rowOf(page: Page, username: string) {
  return page.getByRole('row').filter({ hasText: username });
}

test('a user is added; the form reports a missing name and password', async ({ page }) => {
  await signIn(page);
  const username = aName('new');
  await page.goto('/admin/users');
  await page.getByRole('button', { name: 'Add user' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByRole('alert').first()).toContainText(
    'Username and password cannot be empty',
  );

  await drawer.getByLabel('Username').fill(username);
  await drawer.getByLabel('Display name').fill('Newcomer');
  await drawer.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(`User ${username} was added`)).toBeVisible();
  await expect(drawer).toBeHidden();
  await expect(page.getByText('Newcomer')).toBeVisible();
});

test('banning shows at once, Undo reverts it, and the list is not reloaded', async ({ page }) => {
  await signIn(page);
  const { username } = await makeUser(page);
  await page.goto(`/admin/users?q=${username}`);
  const row = rowOf(page, username);
  await expect(row).toContainText('Enabled');
  const fetched: string[] = [];
  page.on('request', (request) => {
    if (/\/api\/user\/(search|\?)/.test(request.url())) fetched.push(request.url());
  });

  await row.getByRole('button', { name: 'Ban' }).click();
  await expect(row).toContainText('Banned');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(row).toContainText('Enabled');
  expect(fetched).toEqual([]);
});

test('promotion and demotion are confirmed, and the row shows the role', async ({ page }) => {
  await signIn(page);
  const { username } = await makeUser(page);
  await page.goto(`/admin/users?q=${username}`);
  const row = rowOf(page, username);
  await row.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Promote to admin' }).click();
  await page.getByRole('button', { name: `Promote ${username}` }).click();
  await expect(row).toContainText('Admin');

  await row.getByRole('button', { name: 'More actions' }).click();
  await expect(page.getByRole('menuitem', { name: 'Promote to admin' })).toBeDisabled();
  await page.getByRole('menuitem', { name: 'Demote to user' }).click();
  await page.getByRole('button', { name: `Demote ${username}` }).click();
  await expect(row).toContainText('User');
});

test('a deleted user is shown as closed and has no actions', async ({ page }) => {
  await signIn(page);
  const { username } = await makeUser(page);
  await page.goto(`/admin/users?q=${username}`);
  const row = rowOf(page, username);
  await row.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(page.getByRole('dialog')).toContainText('cannot be undone');
  await page.getByRole('button', { name: `Delete ${username}` }).click();
  await expect(row).toContainText('Closed');
  await expect(row.getByRole('button')).toHaveCount(0);

  await page.reload();
  await expect(row).toContainText('Closed');
  await expect(row.getByRole('button')).toHaveCount(0);
});

test('unknown roles are shown as such, and locked accounts not as enabled', async ({ page }) => {
  await signIn(page);
  const { username } = await makeUser(page);
  await page.route('**/api/user/search?*', async (route) => {
    const answer = await route.fetch();
    const reply = await answer.json();
    const [user] = reply.data.items;
    reply.data.items = [
      { ...user, role: 7, status: 9 },
      { ...user, id: user.id + 10_000, role: 1, status: 3 },
    ];
    await route.fulfill({ response: answer, json: reply });
  });
  await page.goto(`/admin/users?q=${username}`);
  const [strange, locked] = [rowOf(page, username).nth(0), rowOf(page, username).nth(1)];
  await expect(strange).toContainText('Unknown');
  await expect(locked.getByRole('button', { name: 'Enable' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
});

test('a truncated number has a tooltip, and a complete one has none', async ({ page }) => {
  await signIn(page);
  const { username } = await makeUser(page);
  await page.route('**/api/user/search?*', async (route) => {
    const answer = await route.fetch();
    const reply = await answer.json();
    const [user] = reply.data.items;
    reply.data.items = [
      { ...user, request_count: 123_456_789_012 },
      { ...user, id: user.id + 10_000, request_count: 4_321 },
    ];
    await route.fulfill({ response: answer, json: reply });
  });
  await page.goto(`/admin/users?q=${username}`);
  const cell = (text: string) => page.getByRole('cell', { name: text, exact: true });
  const hint = page.getByRole('tooltip');
  await cell('4,321').hover();
  await page.waitForTimeout(HINT_MS);
  await expect(hint).toHaveCount(0);
  await cell('123,456,789,012').hover();
  await expect(hint).toHaveText('123,456,789,012');
});

test('the edit drawer has no password, sends changes only and adds quota', async ({ page }) => {
  await signIn(page);
  const user = await makeUser(page);
  await page.goto(`/admin/users?q=${user.username}&id=${user.id}`);
  const drawer = page.getByRole('dialog', { name: 'Edit user' });
  await expect(drawer.getByLabel('Password', { exact: true })).toHaveValue('');
  await drawer.getByLabel('Display name').fill('Another name');
  const adjust = drawer.getByRole('button', { name: 'Adjust', exact: true });
  await adjust.click();
  await drawer.getByText('$5', { exact: true }).click();
  // Escape is the popover's: the drawer and what was typed into it stay.
  await page.keyboard.press('Escape');
  await expect(drawer.getByRole('button', { name: 'Add', exact: true })).toBeHidden();
  await expect(drawer.getByLabel('Display name')).toHaveValue('Another name');
  await adjust.click();
  await drawer.getByText('$5', { exact: true }).click();
  await drawer.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(drawer).toContainText('change +$5.00');

  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await drawer.getByRole('button', { name: 'Save' }).click();
  expect((await sent).postDataJSON()).toEqual({ id: user.id, display_name: 'Another name' });
  await expect(drawer).toBeHidden();
  const after = await call<typeof user>(page, 'GET', `/api/user/${user.id}`);
  expect(after.quota).toBe(user.quota + 2_500_000);
});

test('saving keeps what the user has spent since the form was opened', async ({ page }) => {
  await signIn(page);
  const user = await makeUser(page);
  const address = `/api/user/${user.id}`;
  await page.goto(`/admin/users?q=${user.username}&id=${user.id}`);
  const drawer = page.getByRole('dialog', { name: 'Edit user' });
  await drawer.getByLabel('Display name').fill('Another name');
  const spent = { id: user.id, mode: 'add', units: -1000, key: aName('spent-') };
  await call(page, 'POST', '/api/user/quota', spent);
  // A page that gets the focus back fetches the user again.
  const fetched = page.waitForResponse(address);
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
  await fetched;
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await drawer.getByRole('button', { name: 'Save' }).click();
  expect((await sent).postDataJSON()).toEqual({ id: user.id, display_name: 'Another name' });
  await expect(drawer).toBeHidden();
  const after = await call<typeof user>(page, 'GET', address);
  expect(after.quota).toBe(user.quota - 1000);
});

test('a typed quota is sent as a whole number of units', async ({ page }) => {
  await signIn(page);
  const user = await makeUser(page);
  await page.goto(`/user/edit/${user.id}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(user.username);
  await page.getByLabel('Quota', { exact: true }).fill('3.5');
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await page.getByRole('button', { name: 'Save' }).click();
  expect((await sent).postDataJSON()).toEqual({ id: user.id, quota: 1_750_000 });
  await expect(page).toHaveURL('/admin/users');
});

test('a search sends keyword, group and page, and keeps the page size', async ({ page }) => {
  await signIn(page);
  const { username } = await makeUser(page);
  await page.goto('/admin/users?group=default');
  await page.getByRole('textbox', { name: 'Search' }).fill(username);
  const sent = page.waitForRequest((request) => request.url().includes(`keyword=${username}`));
  await page.keyboard.press('Enter');
  const query = new URL((await sent).url());
  expect(query.pathname).toBe('/api/user/search');
  expect(Object.fromEntries(query.searchParams)).toMatchObject({
    keyword: username,
    group: 'default',
    p: '1',
    page_size: '10',
  });

  await page.getByRole('combobox', { name: 'Rows per page' }).click();
  await page.getByRole('option', { name: '20' }).click();
  await page.reload();
  await expect(page.getByRole('combobox', { name: 'Rows per page' })).toHaveValue(/20/);
});

test('without an id the form edits the own account', async ({ page }) => {
  await beReader(page, ROOT);
  const user = await makeUser(page);
  await signIn(page, { username: user.username, password: PASSWORD });
  await page.goto('/user/edit');
  await expect(page.getByLabel('Username')).toHaveValue(user.username);
  await page.getByLabel('Display name').fill('Myself');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('User updated')).toBeVisible();
  const self = await call<{ display_name: string }>(page, 'GET', '/api/user/self');
  expect(self.display_name).toBe('Myself');
});

test('an ordinary user sees that the page of users is not available', async ({ page }) => {
  await beReader(page, ROOT);
  const user = await makeUser(page);
  await signIn(page, { username: user.username, password: PASSWORD });
  await page.goto('/admin/users');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('No permission');
});

test('list, drawers and form are accessible and fit their window', async ({ page }) => {
  await signIn(page);
  const user = await makeUser(page, { display_name: 'A name of twenty let' });
  await page.goto('/admin/users');
  await expect(page.getByText(user.username).first()).toBeVisible();
  await expectReadable(page);

  await visit(page, `/admin/users?id=${user.id}`);
  await expect(page.getByRole('dialog')).toContainText('Bound identities');
  await expectToFit(page);
  await visit(page, `/admin/users?tokens=${user.id}`);
  await expect(page.getByRole('dialog')).toContainText('This user has no tokens yet');
  await expectToFit(page);
});
