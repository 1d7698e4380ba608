import { expect, type Page } from '@playwright/test';
import type { FakeUpstream } from '../upstream/server.ts';
import { aName, call, onlyChannel } from './support/admin-calls.ts';
import {
  beReader,
  expectAccessible,
  expectToFit,
  overrideStatus,
  PHONE,
  signIn,
  test,
} from './support/browser.ts';
import { ROOT } from './support/gateway.ts';

async function makeSite(page: Page, upstream: FakeUpstream): Promise<void> {
  await signIn(page);
  await onlyChannel(page, upstream, 'gpt-4o,gpt-4o-mini,claude-sonnet-4,dall-e-3');
  await call(page, 'POST', '/api/token/', { name: aName('pg-'), unlimited_quota: true });
}

test('the playground streams an answer, stores it, and shows its usage', async ({
  page,
  upstream,
}) => {
  await makeSite(page, upstream);
  const listed = page.waitForRequest(/\/api\/token\/\?p=0&size=100$/);
  await page.goto('/playground');
  await listed;
  const sent = page.waitForRequest('**/pg/chat/completions');
  await page.getByRole('textbox', { name: 'Message' }).fill('hello');
  await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  const request = await sent;
  expect(request.headers()['gateway-user']).toBe('1');
  expect(request.postDataJSON()).toMatchObject({
    model: 'gpt-4o-mini',
    stream: true,
    temperature: 0,
    max_tokens: 0,
    messages: [{ role: 'user', content: 'hello' }],
  });
  await expect(page.locator('article[data-status="complete"]')).toHaveCount(2);
  // 0 is no limit: the answer has words.
  await expect(page.locator('article[data-role="assistant"]')).toContainText(/Assistant\s*\S+/);
  await expectToFit(page);
  await page.getByRole('button', { name: 'Inspector' }).click();
  await expect(page.getByRole('dialog').getByText('Cost')).toBeVisible();
  await expectAccessible(page);

  await expect(page).toHaveURL(/chat=conversation-/);
  await page.reload();
  await expect(page.locator('article[data-status="complete"]')).toHaveCount(2);
});

test.describe(PHONE.name, () => {
  test.use(PHONE.use);
  test('two models answer side by side, each in its own conversation', async ({
    page,
    upstream,
  }) => {
    await makeSite(page, upstream);
    await page.goto('/playground');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('System prompt').fill('short');
    await page.getByRole('textbox', { name: 'Presets' }).fill('mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Use a preset' }).click();
    await expect(page.getByRole('button', { name: 'mine', exact: true })).toBeVisible();
    // It closes what it belongs to, and not the drawer around that.
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'mine', exact: true })).toHaveCount(0);
    const warmth = page.getByRole('slider');
    await expect(warmth).toHaveAttribute('aria-valuemin', '0.1');
    await expect(warmth).toHaveAttribute('aria-valuemax', '1');
    await warmth.press('ArrowRight');
    await expect(page.getByText('Temperature: 0.2')).toBeVisible();
    await page.getByRole('switch', { name: 'Compare two models' }).click();
    await expect(page).toHaveURL(/with=(?!gpt-4o-mini)/);
    await page.getByRole('combobox', { name: 'Second model' }).click();
    await page.getByRole('option', { name: /^claude-sonnet-4/ }).click();
    await expect(page).toHaveURL(/with=claude-sonnet-4/);
    await page.getByRole('button', { name: 'Close' }).click();

    const bodies: { model: string; messages: unknown; temperature: number }[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/pg/chat/completions')) bodies.push(request.postDataJSON());
    });
    await page.getByRole('textbox', { name: 'Message' }).fill('hello');
    await page.getByRole('textbox', { name: 'Message' }).press('Enter');
    await expect(
      page.locator('article[data-role="assistant"][data-status="complete"]'),
    ).toHaveCount(2);
    expect(bodies.map(({ model }) => model).sort()).toEqual(['claude-sonnet-4', 'gpt-4o-mini']);
    expect(bodies[0]?.messages).toEqual(bodies[1]?.messages);
    expect(bodies[0]?.temperature).toBe(0.2);
    await expectToFit(page);
    await page.getByRole('button', { name: 'Inspect the answer of claude-sonnet-4' }).click();
    await expect(
      page.getByRole('dialog').getByText('claude-sonnet-4', { exact: true }),
    ).toBeVisible();
  });
});

test('a chat page opens for guests unless it is unknown or needs a key', async ({
  page,
  gateway,
}) => {
  await page.route('https://chat.example.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>chat</h1>' }),
  );
  const chats = [
    { Open: 'https://chat.example.com/?at={address}' },
    { Keyed: 'https://chat.example.com/?key={key}' },
  ];
  await overrideStatus(page, { chats });
  await page.goto('/chat/0');
  await expect(page.locator('iframe[title="Open"]')).toHaveAttribute(
    'src',
    `https://chat.example.com/?at=${encodeURIComponent(gateway.url)}`,
  );
  await page.goto('/chat/2');
  await expect(page.getByRole('alert')).toHaveText(
    'The chat link is not valid. Contact the administrator.',
  );
  await page.goto('/chat/1');
  await expect(page).toHaveURL('/login?returnTo=%2Fchat%2F1');
});

test('a chat page whose tokens could not be loaded opens after a retry', async ({ page }) => {
  await signInWithToken(page);
  await page.route('**/api/token/?*', (route) =>
    route.fulfill({ json: { success: false, message: 'The tokens are locked' } }),
  );
  await page.goto('/chat/0');
  await expect(page.getByText('The tokens are locked')).toBeVisible();
  await page.unroute('**/api/token/?*');
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.locator('iframe')).toHaveAttribute('src', /sk-/);
});

test('every chat entry of the menu opens: pages in a frame with a link to leave it, applications by their link', async ({
  page,
}) => {
  await signInWithToken(page);
  await page.goto('/about');
  await page.getByRole('button', { name: 'Chat' }).click();
  const entries = page.locator('a[href^="/chat/"]');
  await expect(entries.first()).toBeVisible();
  const names = await entries.allInnerTexts();
  expect(names).toEqual(['NextChat', 'LobeChat', 'AI as Workspace', 'AMA', 'OpenCat']);
  for (const [index, name] of names.entries()) {
    await page.goto(`/chat/${index}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
    const scheme = { AMA: 'ama', OpenCat: 'opencat' }[name];
    await expect(page.locator('iframe')).toHaveCount(scheme === undefined ? 1 : 0);
    const link = page.getByRole('link', {
      name: scheme === undefined ? 'Open in a new tab' : `Open ${name}`,
    });
    await expect(link).toHaveAttribute('href', new RegExp(`^${scheme ?? 'https'}://.*sk-`));
    await expectAccessible(page);
  }
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy link' }).click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^opencat:.*sk-/);
});

test('sending a message scrolls from earlier messages to the new one', async ({
  page,
  upstream,
}) => {
  await makeSite(page, upstream);
  await page.setViewportSize({ width: 1440, height: 560 });
  const words = JSON.stringify({ choices: [{ delta: { content: 'One line.\n\n'.repeat(40) } }] });
  await page.route('**/pg/chat/completions', (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: `data: ${words}\n\ndata: [DONE]\n\n`,
    }),
  );
  await page.goto('/playground');
  const box = page.getByRole('textbox', { name: 'Message' });
  const complete = page.locator('article[data-status="complete"]');
  await box.fill('first');
  await box.press('Enter');
  await expect(complete).toHaveCount(2);
  await page.getByRole('log').evaluate((log) => log.scrollTo({ top: 0 }));
  await expect(page.getByRole('button', { name: 'Jump to latest' })).toBeVisible();
  await box.fill('second');
  await box.press('Enter');
  await expect(complete).toHaveCount(4);
  await expect(page.getByRole('button', { name: 'Jump to latest' })).toHaveCount(0);
  const left = await page
    .getByRole('log')
    .evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight);
  expect(left).toBeLessThan(48);
});

test('attached images are sent with the message, each once', async ({ page, upstream }) => {
  await makeSite(page, upstream);
  await page.goto('/playground');
  const files = page.locator('input[type="file"]');
  const image = (name: string) => ({ name, mimeType: 'image/png', buffer: Buffer.from(name) });
  await files.setInputFiles([image('one'), image('two')]);
  await expect(page.getByRole('img', { name: 'Image 2' })).toBeVisible();
  await files.setInputFiles([image('two'), image('three')]);
  await expect(page.getByRole('img', { name: 'Image 3' })).toBeVisible();
  await page.getByRole('button', { name: 'Remove image 1' }).click();
  await expect(page.getByRole('img', { name: /^Image/ })).toHaveCount(2);
  // An input that keeps its file reports no change when the same file is chosen again.
  await expect(files).toHaveValue(/two$/);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Add images' }).click();
  await chooser;
  await expect(files).toHaveValue('');
  await page.getByRole('textbox', { name: 'Message' }).fill('hello');
  const sent = page.waitForRequest('**/pg/chat/completions');
  await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  const url = (name: string) => `data:image/png;base64,${Buffer.from(name).toString('base64')}`;
  expect((await sent).postDataJSON().messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'hello' },
        { type: 'image_url', image_url: { url: url('two') } },
        { type: 'image_url', image_url: { url: url('three') } },
      ],
    },
  ]);
});

test('without an enabled token the playground leads to the tokens', async ({ page }) => {
  const username = aName('none');
  await beReader(page, ROOT);
  const account = { username, password: 'battery staple' };
  await call(page, 'POST', '/api/user/', { ...account, quota: 1000 });
  await signIn(page, account);
  await page.goto('/playground');
  await expect(
    page.getByText('There is no enabled API token. Create or enable one first.'),
  ).toBeVisible();
  await expect(page).toHaveURL(/\/app\/tokens/);
});

/** Signs in with an API token; chat pages of other sites show a stand-in. */
async function signInWithToken(page: Page): Promise<void> {
  await page.route('https://**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>chat</h1>' }),
  );
  await signIn(page);
  await call(page, 'POST', '/api/token/', { name: aName('chat-') });
}
