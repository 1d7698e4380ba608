import { expect, type Page } from '@playwright/test';
import { aName, call, makeUser, PASSWORD } from '../support/admin-calls.ts';
import {
  beReader,
  expectAccessible,
  expectReadable,
  expectToFit,
  signIn,
  test,
} from '../support/browser.ts';
import { ROOT } from '../support/gateway.ts';
import { visit } from '../support/visit.ts';

interface Sent {
  readonly id: number;
  readonly title: string;
}

function send(page: Page, fields: Readonly<Record<string, unknown>>): Promise<Sent> {
  const message = { title: aName('note'), content: 'text', user_ids: [1], ...fields };
  return call(page, 'POST', '/api/admin/messages', message);
}

test('a message needs title, text and recipients, and is sent trimmed', async ({ page }) => {
  await signIn(page);
  const { id, username } = await makeUser(page);
  await page.goto('/admin/messages?id=new');
  const drawer = page.getByRole('dialog', { name: 'Send a message' });
  await drawer.getByRole('button', { name: 'Send', exact: true }).click();
  for (const problem of ['Enter a title', 'Enter the content', 'Select at least one recipient'])
    await expect(drawer).toContainText(problem);

  await drawer.getByLabel('Title').first().fill('  Maintenance tonight  ');
  await drawer.getByLabel('Content').fill('important');
  await drawer.getByLabel('Content').selectText();
  await drawer.getByRole('button', { name: 'Bold' }).click();
  await expect(drawer.getByLabel('Preview').getByText('important')).toHaveCSS('font-weight', '700');
  await drawer.getByLabel('Find users').fill(username);
  await drawer.getByRole('checkbox', { name: username }).check();
  await expect(drawer.getByText('1 selected')).toBeVisible();
  await expectToFit(page);

  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await drawer.getByRole('button', { name: 'Send', exact: true }).click();
  expect((await sent).postDataJSON()).toEqual({
    title: 'Maintenance tonight',
    content: '**important**',
    format: 'markdown',
    user_ids: [id],
  });
  await expect(page.getByText('Message sent, recipients: 1')).toBeVisible();
});

test('the recipient picker selects a page of 20 users or all users', async ({ page }) => {
  await signIn(page);
  const listed = page.waitForResponse(/\/api\/user\/\?/);
  await page.goto('/admin/messages?id=new');
  const answer = await listed;
  expect(new URL(answer.url()).searchParams.get('page_size')).toBe('20');
  const [first] = (await answer.json()).data.items;
  const drawer = page.getByRole('dialog', { name: 'Send a message' });
  await drawer.getByLabel('Select this page').check();
  await expect(drawer.getByText(first.username, { exact: true }).first()).toBeVisible();
  await drawer.getByRole('button', { name: /Select all/ }).click();
  await expect(drawer.getByText(/^All users/)).toBeVisible();
});

test('the edit drawer shows who has read the message, and saves trimmed text', async ({ page }) => {
  await signIn(page);
  const { username } = await makeUser(page);
  const message = await send(page, { to_all: true, user_ids: [] });
  await call(page, 'PUT', `/api/user/messages/${message.id}/read`);
  const sent = page.waitForRequest(/\/recipients\?/);
  await page.goto(`/admin/messages?id=${message.id}`);
  expect(new URL((await sent).url()).searchParams.get('page_size')).toBe('10');
  const drawer = page.getByRole('dialog', { name: 'Edit message' });
  await expect(drawer).toContainText('Read by');
  await expect(drawer.getByText('root').first()).toBeVisible();
  await expect(drawer).toContainText('unread');
  await expectAccessible(page);

  await drawer.getByLabel('Title').first().fill('   ');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expect(drawer).toContainText('Enter a title');
  await drawer.getByLabel('Title').first().fill(` ${username} `);
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Message updated')).toBeVisible();
  const saved = await call<Sent>(page, 'GET', `/api/admin/messages/${message.id}`);
  expect(saved.title).toBe(username);
});

test('deleting a message warns that its records are also deleted', async ({ page }) => {
  await signIn(page);
  const { title } = await send(page, {});
  await page.goto(`/admin/messages?q=${title}`);
  await page
    .getByRole('row')
    .filter({ hasText: title })
    .getByRole('button', { name: 'Delete' })
    .click();
  const question = page.getByRole('dialog');
  await expect(question).toContainText('The record of the 1 recipient');
  await expect(question).toContainText('cannot be undone');
  await question.getByRole('button', { name: 'Delete message' }).click();
  await expect(page.getByText('Message deleted')).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: title })).toHaveCount(0);
});

test('the search sends nothing when empty, and dates in ISO form', async ({ page }) => {
  await signIn(page);
  const { title } = await send(page, {});
  const searches: URL[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/messages/search')) searches.push(new URL(request.url()));
  });
  await page.goto('/admin/messages');
  await expect(page.getByText(title)).toBeVisible();
  await page.getByRole('textbox', { name: 'Search' }).press('Enter');
  expect(searches).toEqual([]);

  // Without a button: a pause in typing is enough.
  await page.getByRole('textbox', { name: 'Search' }).fill(title);
  await expect.poll(() => searches.at(-1)?.searchParams.get('keyword')).toBe(title);
  await visit(page, '/admin/messages?from=1700000000&to=1900000000');
  await expect(page.getByText(title)).toBeVisible();
  expect(searches.at(-1)?.searchParams.get('start_date')).toBe('2023-11-14T22:13:20.000Z');
  expect(searches.at(-1)?.searchParams.get('end_date')).toBe('2030-03-17T17:46:40.000Z');
});

test('an ordinary user is redirected home, and a guest to the sign-in page', async ({ page }) => {
  await page.goto('/admin/messages');
  await expect(page).toHaveURL('/login');
  await beReader(page, ROOT);
  const { username } = await makeUser(page);
  await signIn(page, { username, password: PASSWORD });
  await page.goto('/admin/messages');
  await expect(page).toHaveURL('/');
});

test('the list is accessible and fits its window', async ({ page }) => {
  await signIn(page);
  const { title } = await send(page, { format: 'html', content: '<p>Hi</p>' });
  await page.goto('/admin/messages');
  await expect(page.getByText(title)).toBeVisible();
  await expectReadable(page);
});
