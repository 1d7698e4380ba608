import { expect, type Page } from '@playwright/test';
import { aName, call, makeUser, PASSWORD } from '../support/admin-calls.ts';
import {
  beReader,
  expectAccessible,
  expectNoSidewaysScroll,
  forgive,
  PHONE,
  signIn,
  test,
} from '../support/browser.ts';
import { ROOT } from '../support/gateway.ts';

interface Letter {
  readonly title: string;
  readonly content: string;
  readonly format?: 'markdown' | 'html';
}

/** Signs a new user in, to whom these messages were sent, oldest first. Answers their ids. */
async function receive(page: Page, letters: readonly Letter[]): Promise<number[]> {
  await beReader(page, ROOT);
  const user = await makeUser(page);
  const ids: number[] = [];
  for (const letter of letters) {
    const message = { ...letter, user_ids: [user.id] };
    const sent = await call<{ id: number }>(page, 'POST', '/api/admin/messages', message);
    ids.push(sent.id);
  }
  await signIn(page, { username: user.username, password: PASSWORD });
  return ids;
}

test.describe(PHONE.name, () => {
  test.use(PHONE.use);
  test('opening a message marks it as read and updates the bell at once', async ({ page }) => {
    const titles = [aName('first'), aName('second')];
    await receive(
      page,
      titles.map((title) => ({ title, content: `**${title}** is here` })),
    );
    await page.goto('/app/inbox');
    await expect(page.getByRole('banner').getByText('2', { exact: true })).toBeVisible();
    const read = page.waitForRequest((request) => request.method() === 'PUT');
    await page.getByRole('link', { name: titles[0] }).click();
    await read;
    await expect(page.getByRole('banner').getByText('1', { exact: true })).toBeVisible();
    await expect(page.getByRole('article').getByRole('strong')).toHaveText(titles[0] ?? '');
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);

    await page.getByRole('link', { name: 'Back to the inbox' }).click();
    await expect(page.getByRole('link', { name: /^Unread/ })).toHaveCount(1);
    await page.getByText('Unread', { exact: true }).first().click();
    await expect(page.getByRole('link', { name: titles[1] })).toBeVisible();
    await expect(page.getByRole('link', { name: titles[0] })).toBeHidden();
  });
});

test('all messages are marked as read at once', async ({ page }) => {
  await receive(page, [
    { title: 'one', content: '1' },
    { title: 'two', content: '2' },
  ]);
  await page.goto('/app/inbox');
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect(page.getByRole('link', { name: /^Unread/ })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Mark all as read' })).toBeHidden();
});

test('HTML messages are sanitized, and Markdown messages contain no HTML', async ({ page }) => {
  const [html, markdown] = await receive(page, [
    {
      title: 'html',
      content:
        '<h2>Prices</h2><p style="position:fixed">in place</p><a href="https://example.com">more</a><form><button>no</button></form>',
      format: 'html',
    },
    { title: 'markdown', content: '# Head\n\n<b id="raw">not bold</b>', format: 'markdown' },
  ]);
  await page.goto(`/app/inbox/${html}`);
  const article = page.getByRole('article');
  await expect(article.getByRole('heading', { name: 'Prices' })).toBeVisible();
  await expect(article.getByText('in place')).toHaveCSS('position', 'static');
  await expect(article.getByRole('link', { name: 'more' })).toHaveAttribute('target', '_blank');
  await expect(article.locator('form')).toHaveCount(0);

  await page.goto(`/app/inbox/${markdown}`);
  await expect(article.getByRole('heading', { name: 'Head' })).toBeVisible();
  await expect(article.locator('#raw')).toHaveCount(0);
});

test('a missing message shows an error while the inbox stays visible', async ({
  page,
  complaints,
}) => {
  await receive(page, [{ title: 'mine', content: 'text' }]);
  await page.goto('/app/inbox/999999');
  await expect(page.getByText('Message does not exist').first()).toBeVisible();
  await expect(page).toHaveURL('/app/inbox');
  await expect(page.getByRole('link', { name: /mine/ })).toBeVisible();
  forgive(complaints, /404/);
});

test('a failing inbox shows an error in its place and can be reloaded', async ({
  page,
  complaints,
}) => {
  await receive(page, [{ title: 'mine', content: 'text' }]);
  await page.route('**/api/user/messages?*', (route) => route.fulfill({ status: 500, body: '' }));
  await page.goto('/app/inbox');
  await expect(page.getByRole('alert').first()).toContainText('Failed to load messages');
  await page.unroute('**/api/user/messages?*');
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByRole('link', { name: /mine/ })).toBeVisible();
  forgive(complaints);
});

test('list and message are side by side, and separate pages on a phone', async ({ page }) => {
  const [id] = await receive(page, [{ title: 'mine', content: 'text' }]);
  await page.goto(`/app/inbox/${id}`);
  await expect(page.getByRole('article')).toBeVisible();
  const list = page.getByRole('region', { name: 'Inbox' });
  await expect(list).toHaveCount(1);
  await page.setViewportSize(PHONE.use.viewport);
  await expect(list).toHaveCount(0);
});

test('the bell shows the newest messages and reads them all', async ({ page }) => {
  await receive(page, [{ title: 'news of today', content: 'text' }]);
  await page.goto('/about');
  await page.getByRole('link', { name: 'Inbox: 1 unread' }).hover();
  await expect(page.getByRole('link', { name: /news of today/ })).toBeVisible();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect(page.getByRole('link', { name: 'Inbox', exact: true })).toBeVisible();
});
