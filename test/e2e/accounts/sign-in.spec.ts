/** The ways in that lead through other sites, which the page's own routes play. */
import { expect, type Page } from '@playwright/test';
import { beReader, expectAccessible, overrideStatus, test } from '../support/browser.ts';
import { ROOT } from '../support/gateway.ts';

const done = (data: unknown, message = '') => ({ json: { success: true, message, data } });

/** Answers a call of the page and keeps what it sent: its body, else its query. */
async function answer(page: Page, place: string, reply: object): Promise<string[]> {
  const requests: string[] = [];
  await page.route(place, (route) => {
    const request = route.request();
    requests.push(request.postData() ?? new URL(request.url()).search);
    return route.fulfill(reply);
  });
  return requests;
}

const press = (page: Page, name: string | RegExp) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).click();

async function enter(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username or e-mail').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, 'Sign in');
}

/** Longer than what the hint says: only the shortest is a rule. */
const LONG = 'correct horse battery staple';

/** What the captcha's site sends. It has an answer once `solve()` was called. */
const CAPTCHA = `window.turnstile = {
  render: (place, { sitekey, callback }) => {
    window.solve = () => callback('answer to ' + sitekey);
    return 'widget';
  },
  reset: () => undefined,
  remove: () => undefined,
};`;

test('with a captcha, reset, registration and sign-in wait for its answer', async ({ page }) => {
  const user = await beReader(page, ROOT);
  await page.route('https://challenges.cloudflare.com/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: CAPTCHA }),
  );
  await overrideStatus(page, {
    turnstile_check: true,
    turnstile_site_key: 'key',
    email_verification: true,
  });
  const news = await answer(page, '**/api/user/reset', done('k7Vq2mXw9sTd'));
  const resets = await answer(page, '**/api/reset_password?*', done(null));
  const codes = await answer(page, '**/api/verification?*', done(null));
  const registers = await answer(page, '**/api/user/register?*', done(null));
  const logins = await answer(page, '**/api/user/login?*', done(user));
  const solve = async () => {
    // The site's Content-Security-Policy forbids `waitForFunction`.
    await expect.poll(() => page.evaluate('typeof window.solve')).toBe('function');
    await page.evaluate('window.solve()');
  };
  /** Presses twice: first before the captcha's answer, then after it. */
  const pressTwice = async (name: string) => {
    await press(page, name);
    await expect(
      page.getByText('Wait a few seconds until the captcha check is complete.'),
    ).toBeVisible();
    await solve();
    await press(page, name);
  };

  await page.goto('/reset');
  await page.getByLabel('E-mail').fill('ann@example.com');
  await pressTwice('Send the link');
  await expect(page.getByRole('button', { name: /Resend in/ })).toBeDisabled();
  await page.goto('/user/reset?email=ann%40example.com&token=t');
  await press(page, 'Reset password');
  await expect(page.getByRole('button', { name: 'Copy the new password' })).toBeVisible();
  expect(news.map((body) => JSON.parse(body))).toEqual([{ email: 'ann@example.com', token: 't' }]);

  await page.evaluate("localStorage.removeItem('code-wait-until')");
  await page.goto('/register?aff=ab12');
  await page.getByLabel('Username').fill('ann');
  const password = page.getByLabel('Password', { exact: true });
  await expect(password).toHaveAttribute('placeholder', '8 to 20 characters');
  await expect(page.getByRole('button', { name: 'Send code' })).toBeDisabled();
  await password.fill(LONG);
  await page.getByLabel('Confirm password').fill(LONG);
  await page.getByLabel('E-mail').fill('ann@example.com');
  await page.getByLabel('Verification code').fill(' 123456 ');
  await pressTwice('Send code');
  await expect(page.getByRole('button', { name: /Resend in/ })).toBeDisabled();
  await pressTwice('Register');
  await expect(page).toHaveURL('/app/tokens');

  await page.evaluate('localStorage.clear()');
  await page.goto('/login');
  await page.getByLabel('Username or e-mail').fill('ann');
  await page.getByLabel('Password', { exact: true }).fill('battery staple');
  await pressTwice('Sign in');
  await expect(page).toHaveURL('/app/tokens');
  expect([resets, codes]).toEqual([
    ['?email=ann%40example.com&turnstile=answer%20to%20key'],
    ['?email=ann%40example.com&turnstile=answer%20to%20key'],
  ]);
  expect(registers.map((body) => JSON.parse(body))).toEqual([
    {
      username: 'ann',
      password: LONG,
      password2: LONG,
      email: 'ann@example.com',
      verification_code: '123456',
      aff_code: 'ab12',
    },
  ]);
  expect(logins).toHaveLength(1);
});

test('a repeated toast stays as long as a new one', async ({ ownPage: page }) => {
  await page.clock.install();
  await page.goto('/login');
  const toast = page.getByRole('alert').filter({ hasText: 'Enter username and password' }).first();
  await press(page, 'Sign in');
  await expect(toast).toBeVisible();
  await page.clock.fastForward('00:06');
  await press(page, 'Sign in');
  await expect(toast).toContainText('(2)');
  await page.clock.fastForward('00:06');
  await expect(toast).toContainText('(2)');
  await page.clock.fastForward('00:06');
  await expect(toast).toHaveCount(0);
});

test('signing in with the default credentials shows a warning that stays', async ({ page }) => {
  const user = await beReader(page, ROOT);
  await answer(page, '**/api/user/login', done(user));
  await page.goto('/login?returnTo=%2Fabout');
  await enter(page, 'root', '123456');
  const warning = page.getByRole('dialog', { name: 'Change the password now' });
  await expect(warning).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(warning).toBeVisible();
  await expectAccessible(page);
  await warning.getByRole('button', { name: 'I understand, later' }).click();
  await expect(page).toHaveURL('/about');
  await expect(page.getByText('This account still has the default password')).toBeVisible();
});

const BOT = { id: '42', first_name: 'Ann', last_name: 'B', username: 'ann', lang: 'en' };
const PROOF = { photo_url: 'https://t.me/ann.jpg', auth_date: '1790000000', hash: 'abc' };
/** What the bot's site sends: a button that leads back with who pressed it. */
const WIDGET = `{
  const { telegramLogin, authUrl } = document.currentScript.dataset;
  const button = document.createElement('a');
  button.href = authUrl + '&' + new URLSearchParams(${JSON.stringify({ ...BOT, ...PROOF })});
  button.textContent = 'as ' + telegramLogin;
  document.currentScript.after(button);
}`;

test('WeChat signs in with a code, Telegram with its signed data', async ({ page }) => {
  const user = await beReader(page, ROOT);
  await page.route('https://telegram.org/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: WIDGET }),
  );
  await overrideStatus(page, {
    wechat_login: true,
    wechat_qrcode: 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAICTAEAOw==',
    telegram_oauth: true,
    telegram_bot_name: 'gateway_bot',
  });
  const wechat = await answer(page, '**/api/oauth/wechat', done(user));
  const telegram = await answer(page, '**/api/oauth/telegram/login', done(user));

  await page.goto('/login');
  await press(page, 'Continue with WeChat');
  const dialog = page.getByRole('dialog', { name: 'Continue with WeChat' });
  await expect(dialog.getByRole('img', { name: 'QR code of the account' })).toBeVisible();
  await expect(dialog.getByText(/[23]:\d\d/)).toBeVisible();
  await dialog.getByLabel('Verification code').fill(' 1234 ');
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page).toHaveURL('/app/tokens');
  expect(wechat.map((body) => JSON.parse(body))).toEqual([{ code: '1234' }]);

  await page.evaluate("localStorage.removeItem('user')");
  // Another user's proof, in a link: this tab asked for none.
  await page.goto(`/login?telegram_state=x&${new URLSearchParams(PROOF)}&id=1`);
  await expect(page.getByRole('button', { name: /Continue with WeChat.*Last used/ })).toBeVisible();
  await press(page, 'Continue with Telegram');
  await page.getByRole('link', { name: 'as gateway_bot' }).click();
  await expect(page).toHaveURL('/app/tokens');
  expect(telegram.map((body) => JSON.parse(body))).toEqual([{ ...BOT, ...PROOF }]);
});

test('a callback sends one request: it signs in, binds or fails', async ({ page, gateway }) => {
  const user = await beReader(page, ROOT);
  const back = '/oauth/github?code=c&state=s&returnTo=%2Fabout';
  await overrideStatus(page, { github_oauth: true });
  const started = await answer(
    page,
    '**/api/oauth/github/start?*',
    done({ url: gateway.url + back, state: 's' }),
  );
  const requests = await answer(page, '**/api/oauth/github?*', done(user));
  await page.goto('/register?aff=ab12');
  await press(page, 'Continue with GitHub');
  await expect(page).toHaveURL('/about');
  await expect(page.getByRole('button', { name: /Account menu/ })).toBeVisible();
  expect(started).toEqual(['?return_to=%2Fapp%2Ftokens&aff=ab12']);
  expect(requests).toEqual(['?code=c&state=s&returnTo=%2Fabout']);

  const bound = await answer(page, '**/api/oauth/oidc?*', done(undefined, 'bind'));
  await page.goto('/oauth/oidc?code=c&state=s');
  await expect(page.getByText('OpenID Connect was bound')).toBeVisible();
  await expect(page).toHaveURL('/admin/settings');
  expect(bound).toHaveLength(1);

  await page.evaluate("localStorage.removeItem('user')");
  const refusal = {
    json: { success: false, message: 'The sign-in has expired', code: 'oauth_failed' },
  };
  const failed = await answer(page, '**/api/oauth/linuxdo?*', refusal);
  await page.goto('/oauth/linuxdo?code=c&state=s&returnTo=%2Fapp%2Fwallet');
  await expect(page.getByRole('alert')).toContainText('The sign-in has expired');
  await expect(page).toHaveURL('/login?returnTo=%2Fapp%2Fwallet');
  expect(failed).toHaveLength(1);
});

test('set-up skips an existing administrator and starts with the public mode', async ({ page }) => {
  await overrideStatus(page, { setup: false });
  const state = {
    status: false,
    root_init: true,
    database_type: 'sqlite',
    code_needed: true,
    proxy_detected: '',
  };
  const sent = await answer(page, '**/api/setup', done(state));
  await page.goto('/pricing');
  await expect(page).toHaveURL('/setup');
  await page.getByLabel('One-time setup code').fill('a code');
  await press(page, 'Next');
  await expect(page.getByRole('radio', { name: /Public service/ })).toBeChecked();
  await expectAccessible(page);
  await page.getByRole('radio', { name: /Self-use/ }).click();
  await press(page, 'Next');
  await press(page, 'Finish setup');
  await expect(page.getByRole('heading', { name: 'Setup complete' })).toBeVisible();
  expect(JSON.parse(sent.at(-1) ?? '')).toMatchObject({
    SelfUseModeEnabled: true,
    DemoSiteEnabled: false,
    code: 'a code',
  });
});

test('the page to register links the texts that the site has, and they open', async ({ page }) => {
  await overrideStatus(page, { user_agreement_enabled: true });
  await page.route('**/api/user-agreement', (route) => route.fulfill(done('# Be kind')));
  await page.goto('/register');
  await expect(page.getByRole('link', { name: 'Privacy policy' })).toHaveCount(0);
  const link = page.getByRole('link', { name: 'User agreement' });
  await expect(link).toHaveAttribute('target', '_blank');
  await page.goto(`${await link.getAttribute('href')}`);
  await expect(page.getByRole('heading', { name: 'Be kind' })).toBeVisible();
  await page.goto('/privacy-policy');
  await expect(page.getByText('The site has no such text')).toBeVisible();
});
