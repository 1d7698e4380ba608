/** Keyboard shortcuts on every page that an administrator can open. */
import { expect, type Locator, type Page } from '@playwright/test';
import { SCREENS } from '../../web/src/app/routing/screens.ts';
import { aName, call, type MadeUser, makeUser } from './support/admin-calls.ts';
import { overrideStatus, signIn, test } from './support/browser.ts';
import { arrive, visit } from './support/visit.ts';

/** The second key after `g`. */
const JUMPS: Readonly<Record<string, string>> = {
  p: '/playground',
  d: '/app/dashboard',
  t: '/app/tokens',
  l: '/app/logs/api-usage',
  c: '/admin/channels',
  u: '/admin/users',
  s: '/admin/settings',
  w: '/app/wallet',
  m: '/app/me',
};

/** Pages that redirect a signed-in user, and those whose fields take all keys. */
const LEFT_OUT = /^\/(login|register|reset|user\/reset|oauth\/.*|setup|chat2link)$/;

const HAS_SEARCH =
  /^\/(pricing|admin\/(channels|coupons|messages|users|settings)|app\/(tokens|logs\/.*|dashboard))$/;

test('keyboard shortcuts work on every page of the console', async ({ page }) => {
  test.setTimeout(600_000);
  await signIn(page);
  await overrideStatus(page, { chats: [{ Chat: 'https://chat.example.com/' }] });
  await page.route('https://chat.example.com/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>chat</h1>' }),
  );
  const paths = await allPaths(page);
  await page.goto('/');
  for (const [turn, path] of paths.entries()) {
    await test.step(path, async () => {
      await visit(page, path);
      await expect(page.getByRole('button', { name: /Account menu:\s*root/ })).toBeVisible();
      await expect(page.getByRole('main')).toContainText(/\S/);
      await leaveFields(page);
      await expectLayerOpens(page, turn);
      await expectSearchField(page, HAS_SEARCH.test(path));
      await expectRefresh(page);
      // Each jump once: the other keys show that the page takes shortcuts.
      if (turn < Object.keys(JUMPS).length) await expectJump(page, path, turn);
    });
  }
});

test('Escape returns the focus to the button that opened a layer', async ({ page }) => {
  await signIn(page);
  const channel = { name: aName('focus-'), type: 1, key: 'sk-k', models: 'gpt-4o-mini' };
  await call(page, 'POST', '/api/channel/', channel);
  await page.goto(`/admin/channels?q=${channel.name}`);
  const row = page.getByRole('row').filter({ hasText: channel.name });
  const edit = row.getByRole('button', { name: 'Edit' });
  await edit.press('Enter');
  await expectClosedTo(page, page.getByRole('dialog'), edit);

  const more = row.getByRole('button', { name: 'More actions' });
  await more.press('Enter');
  await expectClosedTo(page, page.getByRole('menu'), more);
  await more.press('Enter');
  await page.getByRole('menuitem', { name: 'Delete' }).press('Enter');
  await expectClosedTo(page, page.getByRole('dialog'), more);

  await page.keyboard.press('Control+k');
  await expectClosedTo(page, page.getByRole('dialog'), more);
});

async function expectClosedTo(page: Page, layer: Locator, opener: Locator): Promise<void> {
  await expect(layer.locator(':focus')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(layer).toHaveCount(0);
  await expect(opener).toBeFocused();
}

/** Every path of the console with the ids of records that exist. */
async function allPaths(page: Page): Promise<string[]> {
  const user: MadeUser = await makeUser(page);
  // Without a token the chat leads to the tokens.
  await call(page, 'POST', '/api/token/', { name: 'keyboard' });
  const channel = { name: 'keyboard', type: 1, key: 'sk-k', models: 'gpt-4o-mini' };
  await call(page, 'POST', '/api/channel/', channel);
  const { items } = await call<{ items: { id: number }[] }>(page, 'GET', '/api/channel/');
  const message = { title: 'keys', content: 'keys', format: 'markdown', user_ids: [1] };
  await call(page, 'POST', '/api/admin/messages', message);
  const inbox = await call<{ items: { id: number }[] }>(page, 'GET', '/api/user/messages');
  const ids: Readonly<Record<string, unknown>> = {
    '/channel/edit/:id': items[0]?.id,
    '/user/edit/:id': user.id,
    '/app/inbox/:id?': inbox.items[0]?.id,
    '/chat/:id?': 0,
  };
  return SCREENS.map(({ path }) => path)
    .filter((path) => !LEFT_OUT.test(path))
    .map((path) => path.replace(/:id\??$/, String(ids[path])));
}

/** Some pages focus their first field, where keys are text. */
const leaveFields = (page: Page) => page.evaluate('document.activeElement?.blur()');

/** Opens the list of shortcuts or the search, in turn. */
async function expectLayerOpens(page: Page, turn: number): Promise<void> {
  const [key, layer] =
    turn % 2 === 0
      ? (['?', page.getByRole('dialog', { name: 'Keyboard shortcuts' })] as const)
      : (['Control+k', page.getByPlaceholder('Search pages, actions and records')] as const);
  await page.keyboard.press(key);
  await expect(layer).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(layer).toHaveCount(0);
}

async function expectSearchField(page: Page, isThere: boolean): Promise<void> {
  await leaveFields(page);
  const field = page.locator('[data-page-search]:visible').first();
  if (isThere) await expect(field).toBeVisible();
  await page.keyboard.press('/');
  if (isThere) await expect(field).toBeFocused();
  await leaveFields(page);
}

async function expectRefresh(page: Page): Promise<void> {
  const request = page.waitForRequest('**/api/**');
  await page.keyboard.press('r');
  await request;
}

/** Presses one of the jumps, in turn. */
async function expectJump(page: Page, from: string, turn: number): Promise<void> {
  const jumps = Object.entries(JUMPS).filter(([, path]) => path !== from);
  const [key, path] = jumps[turn % jumps.length] ?? ['', ''];
  // Sent together: on a busy machine the second key may otherwise come too late for the shortcut.
  await arrive(page, () => Promise.all([page.keyboard.press('g'), page.keyboard.press(key)]));
  await page.waitForURL((url) => url.pathname === path);
}
