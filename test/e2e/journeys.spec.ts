/** Whole journeys through the console, from the first page to the last. */
import { expect, type Page } from '@playwright/test';
import { aMailServer, MAIL_ACCOUNT } from '../support/mail-server.ts';
import type { FakeUpstream } from '../upstream/server.ts';
import { aName, call, makeUser, onlyChannel, PASSWORD } from './support/admin-calls.ts';
import {
  beReader,
  expectAccessible,
  expectNoSidewaysScroll,
  forgive,
  PHONE,
  signIn,
  test,
  UPSTREAM_KEY,
} from './support/browser.ts';
import { ROOT, startGateway } from './support/gateway.ts';

test.slow();

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

async function enterAs(page: Page, { username, password }: typeof ROOT | Account): Promise<void> {
  await page.getByLabel('Username or e-mail').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }).click();
}

interface Account {
  readonly username: string;
  readonly password: string;
}

/** Fills the open form of a new channel with the upstream's address and one of its models; tests it too. */
async function connect(page: Page, upstream: FakeUpstream, name: string, model: string) {
  const drawer = page.getByRole('dialog', { name: 'Add channel' });
  await drawer.getByRole('textbox', { name: 'Name' }).fill(name);
  await drawer.getByRole('textbox', { name: 'Base URL' }).fill(upstream.url);
  await drawer.getByRole('textbox', { name: 'Key' }).fill(UPSTREAM_KEY);
  await drawer.getByRole('button', { name: 'Fetch from upstream' }).click();
  const found = page.getByRole('dialog', { name: 'Compare with upstream models' });
  await found.getByRole('button', { name: 'Invert' }).click();
  await found.getByLabel(model, { exact: true }).check();
  await found.getByRole('button', { name: 'Apply' }).click();
  await drawer.getByRole('button', { name: 'Save and test' }).click();
  await expect(page.getByText(`Channel ${name} created`)).toBeVisible();
  // Before the drawer is looked at: the toasts stay for seconds only.
  await expect(page.getByText('Test passed in')).toBeVisible();
  await expect(drawer).toBeHidden();
}

/** Makes a token on the page of tokens and calls a model with it from the dialog that shows it. */
async function makeTokenAndCall(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Create token' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Create token' });
  await drawer.getByLabel('Name').fill(name);
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();
  const made = page.getByRole('dialog', { name: 'Tokens created: 1' });
  await made.getByRole('button', { name: 'Test' }).click();
  await expect(made.getByText(/HTTP 200 in .*cost \$/)).toBeVisible();
  await page.keyboard.press('Escape');
}

test('a new installation leads to the set-up and the first call', async ({ page, upstream }) => {
  const gateway = await startGateway();
  try {
    await page.goto(`${gateway.url}/about`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('First-time setup');
    await expect(page.getByText('SQLite', { exact: true })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Next' }).click();
    await expect(page.getByText('Enter the setup code')).toBeVisible();
    await page.goto(gateway.setupLink);
    await expect(page.getByLabel('One-time setup code')).toHaveValue(/^[\w-]{24}$/);
    await page.getByRole('button', { name: 'Next' }).click();

    await page.getByRole('button', { name: 'Next' }).click();
    await expect(page.getByText('The password must have at least 8 characters')).toBeVisible();
    await page.getByLabel('Password', { exact: true }).fill(ROOT.password);
    await page.getByLabel('Confirm password').fill('another');
    await page.getByRole('button', { name: 'Next' }).click();
    await expect(page.getByText('The two passwords do not match')).toBeVisible();
    await page.getByLabel('Confirm password').fill(ROOT.password);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Next' }).click();

    await page.getByRole('radio', { name: /Self-use/ }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Next' }).click();
    await expect(page.getByText('Self-use', { exact: true })).toBeVisible();
    await expectNoSidewaysScroll(page);
    await page.getByRole('button', { name: 'Finish setup' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Setup complete');
    await expect(page).toHaveURL(`${gateway.url}/setup`);

    await page.getByRole('main').getByRole('link', { name: 'Go to the channels' }).click();
    await expect(page.getByRole('button', { name: /Account menu:\s*root/ })).toBeVisible();
    await expect(page).toHaveURL(/\/admin\/channels$/);

    await page.getByRole('button', { name: 'Add channel' }).first().click();
    await connect(page, upstream, 'first', 'gpt-4o-mini');
    const menu = page.getByRole('navigation', { name: 'Pages' });
    await menu.getByRole('link', { name: 'API tokens' }).click();
    await makeTokenAndCall(page, 'laptop');
    await menu.getByRole('link', { name: 'Usage logs' }).click();
    // The test of the channel and the call of the token.
    await expect(page.getByRole('row').filter({ hasText: 'gpt-4o-mini' })).toHaveCount(2);

    await page.goto(`${gateway.url}/setup`);
    await expect(page).toHaveURL(`${gateway.url}/`);
    await page.waitForLoadState('networkidle');
  } finally {
    await gateway.remove();
  }
});

test('a model without a price is refused until an administrator sets one, which all users then see', async ({
  page,
  upstream,
}) => {
  await signIn(page);
  await page.goto('/admin/channels?id=new');
  await connect(page, upstream, aName('house-'), 'demo-reasoner');
  const { key } = await call<{ key: string }>(page, 'POST', '/api/token/', {
    name: 'house',
    unlimited_quota: true,
  });
  const send = () =>
    page.request.post('/v1/chat/completions', {
      headers: { authorization: `Bearer ${key}` },
      data: { model: 'demo-reasoner', messages: [{ role: 'user', content: 'hello' }] },
    });
  expect((await send()).ok()).toBe(false);

  await page.goto('/admin/settings');
  const prices = page.locator('[data-section="prices"]');
  await prices.getByLabel('Search models').fill('demo-reasoner');
  const ratio = prices.getByLabel('Ratio of demo-reasoner', { exact: true });
  await ratio.fill('2');
  await ratio.press('Enter');
  await prices.getByRole('button', { name: 'Apply changes (1)' }).click();
  await page.getByRole('button', { name: 'Save changes (1)' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  expect((await send()).ok()).toBe(true);
  await page.goto('/pricing?q=demo-reasoner');
  await expect(page.getByText('$4.00').first()).toBeVisible();
});

test('an invited user registers with a mailed code, redeems a code, calls a model and sees the charge', async ({
  page,
  upstream,
}) => {
  await beReader(page, ROOT);
  const mail = await aMailServer();
  const set = (key: string, value: unknown) => call(page, 'PUT', '/api/option/', { key, value });
  await set('SMTPServer', 'localhost');
  await set('SMTPPort', mail.port);
  await set('SMTPAccount', MAIL_ACCOUNT.user);
  await set('SMTPToken', MAIL_ACCOUNT.password);
  await set('EmailVerificationEnabled', true);
  try {
    await onlyChannel(page, upstream, 'gpt-4o-mini');
    const [coupon = ''] = await call<string[]>(page, 'POST', '/api/redemption/', {
      name: 'welcome',
      quota: 1_500_000,
      count: 1,
    });
    const invite = await call<string>(page, 'GET', '/api/user/aff');
    await page.context().clearCookies();

    const guest = { username: aName('guest'), password: PASSWORD };
    const address = `${guest.username}@mail.example`;
    await page.goto(`/register?aff=${invite}`);
    await expect(page.getByText(`Invited by code ${invite}`)).toBeVisible();
    await page.getByLabel('Username (up to 12 characters)').fill(guest.username);
    await page.getByLabel('Password', { exact: true }).fill(guest.password);
    await page.getByLabel('Confirm password').fill(guest.password);
    await page.getByLabel('E-mail', { exact: true }).fill(address);
    await page.getByRole('button', { name: 'Send code' }).click();
    await expect.poll(() => mail.letters.find(({ to }) => to.includes(address))).toBeTruthy();
    const [letter] = mail.letters;
    await page
      .getByLabel('Verification code')
      .fill(/\b\d{6}\b/.exec(letter?.text ?? '')?.[0] ?? '');
    await page.getByRole('main').getByRole('button', { name: 'Register', exact: true }).click();
    await expect(page).toHaveURL(/\/app\/tokens$/);
    await expect(page.getByRole('button', { name: 'Account menu' })).toBeVisible();

    await page.goto(`/app/wallet?code=${coupon}`);
    await region(page, 'Redeem a code')
      .getByRole('button', { name: 'Redeem', exact: true })
      .click();
    await page.getByRole('button', { name: 'Good' }).click();
    await expect(region(page, 'Balance')).toContainText('$3.00');
    const menu = page.getByRole('navigation', { name: 'Pages' });
    await menu.getByRole('link', { name: 'API tokens' }).click();
    await makeTokenAndCall(page, 'phone');

    await menu.getByRole('link', { name: 'Usage logs' }).click();
    const line = page.getByRole('row').filter({ hasText: 'gpt-4o-mini' });
    await line.getByRole('button', { name: 'Show details' }).click();
    await expect(page.getByRole('table', { name: 'Price' })).toContainText('Total');
    await expect(page.getByText('The result equals the charge:')).toBeVisible();
  } finally {
    await beReader(page, ROOT);
    await set('EmailVerificationEnabled', false);
    await mail.close();
  }
});

test('a message to all users arrives, and its sender sees who has read it', async ({ page }) => {
  await signIn(page);
  const reader = await makeUser(page);
  const title = aName('news');
  await page.goto('/admin/messages?id=new');
  const drawer = page.getByRole('dialog', { name: 'Send a message' });
  await drawer.getByLabel('Title').first().fill(title);
  await drawer.getByLabel('Content').fill('The prices **fall**.');
  await drawer.getByRole('button', { name: /Select all/ }).click();
  await drawer.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(drawer).toBeHidden();

  await signIn(page, { username: reader.username, password: PASSWORD });
  await page.goto('/app/inbox');
  await page.getByRole('link', { name: title }).click();
  await expect(page.getByRole('article').getByRole('strong')).toHaveText('fall');
  await expect(page.getByRole('link', { name: 'Inbox', exact: true })).toBeVisible();

  await signIn(page);
  await page.goto(`/admin/messages?q=${title}`);
  const line = page.getByRole('row').filter({ hasText: title });
  await expect(line.getByRole('progressbar', { name: /^Read by 1 of \d+$/ })).toBeVisible();
});

test('session, language and theme stay in sync between tabs', async ({ page, context }) => {
  await signIn(page);
  await page.goto('/app/tokens');
  const other = await context.newPage();
  await other.goto('/app/wallet');
  await expect(region(other, 'Balance')).toBeVisible();

  await page.getByRole('button', { name: 'Switch to dark mode' }).click();
  await expect(other.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await page.getByRole('button', { name: 'Language' }).click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Wallet');
  await page.getByRole('button', { name: /Account menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(other).toHaveURL(/\/login/);
});

test('on a slow connection the page appears before its list; a failed form keeps its content and can be sent again', async ({
  page,
  complaints,
}) => {
  await signIn(page);
  let arrive = () => {};
  const held = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await page.route('**/api/token/?*', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/app/tokens');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('API tokens');
  await page.getByRole('button', { name: 'Create token' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Create token' });
  const name = aName('slow');
  await drawer.getByLabel('Name').fill(name);
  await page.route('**/api/token/', (route) => route.abort('connectionreset'));
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByText('The gateway does not respond').first()).toBeVisible();
  await expect(drawer.getByLabel('Name')).toHaveValue(name);

  await page.unroute('**/api/token/');
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Tokens created: 1' })).toBeVisible();
  arrive();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('row').filter({ hasText: name })).toHaveCount(1);
  forgive(complaints, /ERR_CONNECTION_RESET/);
});

test.describe(PHONE.name, () => {
  test.use(PHONE.use);
  test('a user signs in, creates a token, uses it and signs out', async ({ page, upstream }) => {
    await beReader(page, ROOT);
    await onlyChannel(page, upstream, 'gpt-4o-mini');
    const { username } = await makeUser(page);
    await page.context().clearCookies();
    await page.goto('/app/tokens');
    await enterAs(page, { username, password: PASSWORD });
    await expect(page.getByText('No tokens yet')).toBeVisible();
    await makeTokenAndCall(page, 'phone');
    await expectNoSidewaysScroll(page);
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Menu' })
      .getByRole('link', { name: 'Usage logs' })
      .click();
    await expect(page.getByText('gpt-4o-mini').first()).toBeVisible();
    await expectNoSidewaysScroll(page);
    await page.getByRole('button', { name: /Account menu/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect(page).toHaveURL('/login');
  });
});
