import { expect, type Page } from '@playwright/test';
import { aName, call, PASSWORD } from '../support/admin-calls.ts';
import { expectAccessible, expectReadable, forgive, signIn, test } from '../support/browser.ts';
import { ageSessions, asNewUser, asRoot } from '../support/own-account.ts';

test.slow();

const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const tagged = (page: Page, name: string) =>
  region(page, 'Account').getByText(name, { exact: true });

test('the account card shows name and role', async ({ page }) => {
  await signIn(page);
  await page.goto('/app/me');
  await expect(tagged(page, 'Administrator')).toBeVisible();
  await expectReadable(page);
});

test('an ordinary user sees role and balance, and no administrator badge', async ({ page }) => {
  const { username } = await asNewUser(page);
  await page.goto('/app/me');
  await expect(region(page, 'Account')).toContainText(username);
  await expect(region(page, 'Account')).toContainText('$2.00');
  await expect(tagged(page, 'User')).toBeVisible();
  await expect(tagged(page, 'Administrator')).toHaveCount(0);
});

test('the model list collapses after ten, and a click copies a name', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const group = aName('group');
  const models = Array.from({ length: 12 }, (_, index) => `${group}-m${index + 10}`);
  await asRoot(page);
  await call(page, 'PUT', '/api/option/', {
    key: 'GroupRatio',
    value: JSON.stringify({ default: 1, vip: 1, [group]: 1 }),
  });
  await call(page, 'POST', '/api/channel/', {
    name: group,
    type: 1,
    key: 'sk-none',
    models: models.join(','),
    group,
  });
  for (const model of models) await call(page, 'PUT', '/api/price/', { model, perCall: 0.01 });
  await asNewUser(page, {}, { group });
  await page.goto('/app/me');
  const card = region(page, 'Available models');
  await expect(card.getByRole('button', { name: /-m\d\d$/ })).toHaveCount(10);
  await card.getByRole('button', { name: '2 more' }).click();
  await expect(card.getByRole('button', { name: /-m\d\d$/ })).toHaveCount(12);
  await page.reload();
  await expect(card.getByRole('button', { name: 'Collapse' })).toBeVisible();
  await card.getByLabel('Search models').fill('m21');
  await card.getByRole('button', { name: `${group}-m21` }).click();
  await expect.poll(() => clipboard(page)).toBe(`${group}-m21`);
});

test('checking in grants quota once a day and is hidden while it is disabled', async ({ page }) => {
  const { username } = await asNewUser(page, {
    CheckInEnabled: true,
    CheckInQuota: 250_000,
    CheckInMaxQuota: 0,
  });
  await page.goto('/app/me');
  const card = region(page, 'Daily check-in');
  await card.getByRole('button', { name: 'Check in' }).click();
  await expect(page.getByText('Checked in: $0.50 added to your balance')).toBeVisible();
  await expect(card.getByRole('button', { name: 'Already checked in today' })).toBeDisabled();
  await expect(card.locator('td[aria-current="date"]')).toContainText('checked in');
  await expect(region(page, 'Account')).toContainText('$2.50');

  await asRoot(page);
  await call(page, 'PUT', '/api/option/', { key: 'CheckInEnabled', value: false });
  await signIn(page, { username, password: PASSWORD });
  await page.reload();
  await expect(region(page, 'Available models')).toBeVisible();
  await expect(card).toHaveCount(0);
});

test('a failed check-in shows an error and can be repeated', async ({ page, complaints }) => {
  await asNewUser(page, { CheckInEnabled: true, CheckInQuota: 250_000 });
  await page.route('**/api/user/check_in', (route) => route.abort());
  await page.goto('/app/me');
  await region(page, 'Daily check-in').getByRole('button', { name: 'Check in' }).click();
  await expect(page.getByText('Check-in failed, try again later')).toBeVisible();
  await expect(
    region(page, 'Daily check-in').getByRole('button', { name: 'Check in' }),
  ).toBeEnabled();
  forgive(complaints, /ERR_FAILED/);
});

test('the invitation link is shown, and rewards move to the balance', async ({
  page,
  gateway,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await asNewUser(page, { AffEnabled: true, QuotaForInviter: 1_000_000 });
  const code = await call<string>(page, 'GET', '/api/user/aff');
  const guest = await context.browser()?.newContext();
  await guest?.request.post(`${gateway.url}/api/user/register`, {
    data: { username: aName('guest'), password: PASSWORD, aff_code: code },
  });
  await guest?.close();

  await page.goto('/app/me');
  const card = region(page, 'Invite others');
  await expect(card).toContainText('$2.00');
  await card.getByRole('button', { name: 'Copy link' }).last().click();
  await expect(page.getByText('Invite link copied')).toBeVisible();
  expect(await clipboard(page)).toBe(`${gateway.url}/register?aff=${code}`);
  await card.getByRole('button', { name: 'QR code' }).click();
  await expect(page.getByRole('img', { name: 'QR code of the invite link' })).toBeVisible();
  await page.keyboard.press('Escape');

  await card.getByRole('button', { name: 'Transfer to balance' }).click();
  const dialog = page.getByRole('dialog', { name: 'Transfer to balance' });
  await dialog.getByLabel('Amount').fill('0.5');
  await dialog.getByRole('button', { name: 'Transfer to balance' }).click();
  await expect(dialog.getByText('The minimum transfer amount is $1.00')).toBeVisible();
  await dialog.getByRole('button', { name: 'Max' }).click();
  await dialog.getByRole('button', { name: 'Transfer to balance' }).click();
  await expect(page.getByText('Moved to the balance')).toBeVisible();
  await expect(region(page, 'Account')).toContainText('$4.00');
});

test('an e-mail address is bound with a code, sent again after 30 seconds', async ({ page }) => {
  await asNewUser(page);
  await page.route('**/api/verification?**', (route) =>
    route.fulfill({ json: { success: true, message: '' } }),
  );
  await page.goto('/app/me');
  const row = page.getByRole('listitem').filter({ hasText: 'E-mail address' });
  await row.getByRole('button', { name: 'Bind' }).click();
  const dialog = page.getByRole('dialog', { name: 'Bind an e-mail address' });
  await expect(dialog.getByRole('button', { name: 'Send code' })).toBeDisabled();
  await dialog.getByLabel('E-mail address').fill('ann@example.com');
  await dialog.getByRole('button', { name: 'Bind' }).click();
  await expect(dialog.getByText('Enter the verification code')).toBeVisible();
  await expectAccessible(page);
  const sent = page.waitForRequest('**/api/verification?**');
  await dialog.getByRole('button', { name: 'Send code' }).click();
  expect(new URL((await sent).url()).searchParams.get('email')).toBe('ann@example.com');
  await expect(dialog.getByRole('button', { name: /Resend in (2\d|30) s/ })).toBeDisabled();
  await dialog.getByLabel('Verification code').fill('000000');
  await dialog.getByRole('button', { name: 'Bind', exact: true }).click();
  await expect(dialog.getByRole('alert').or(dialog.locator('[data-error]')).first()).toBeVisible();
});

test('disabled identity providers are marked; WeChat opens a countdown', async ({ page }) => {
  await asNewUser(page, {
    WeChatServerAddress: 'https://wechat.example.com',
    WeChatServerToken: 'token',
    WeChatAuthEnabled: true,
    'oidc.enabled': false,
  });
  await page.goto('/app/me?tab=account');
  const oidc = page.getByRole('listitem').filter({ hasText: 'OpenID Connect' });
  await expect(oidc.getByRole('button', { name: 'Not enabled' })).toBeDisabled();
  await page.getByRole('button', { name: 'Bind WeChat' }).click();
  const dialog = page.getByRole('dialog', { name: 'Bind WeChat' });
  await expect(dialog.getByText(/[23]:\d\d/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Bind' }).click();
  await expect(dialog.getByText('Enter the verification code')).toBeVisible();
});

test('replacing an access token needs confirmation, shows it once and revokes the previous one', async ({
  page,
  gateway,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await asNewUser(page);
  await page.goto('/app/me?tab=security');
  const make = async ({ asks }: { readonly asks: boolean }) => {
    await page.getByRole('button', { name: 'Generate access token' }).click();
    if (asks)
      await page.getByRole('dialog').getByRole('button', { name: 'Generate access token' }).click();
    await expect(page.getByText('Token reset and copied to the clipboard').first()).toBeVisible();
    return clipboard(page);
  };
  const first = await make({ asks: false });
  await expect(page.getByText(first)).toBeVisible();
  const bare = await context.browser()?.newContext();
  const works = async (token: string) => {
    const answer = await bare?.request.get(`${gateway.url}/api/user/self`, {
      headers: { authorization: token },
    });
    return (await answer?.json())?.success;
  };
  expect(await works(first)).toBe(true);
  await expect.poll(async () => (await make({ asks: true })) !== first).toBe(true);
  expect(await works(first)).toBe(false);
  await bare?.close();
});

test('a recent sign-in changes the password; an older one proves itself', async ({
  page,
  gateway,
}) => {
  const { id, username } = await asNewUser(page);
  await page.goto('/app/me?tab=security');
  const form = region(page, 'Password');
  const change = async (password: string) => {
    await form.getByLabel('New password', { exact: true }).fill(password);
    await form.getByLabel('Confirm new password').fill(password);
    await form.getByRole('button', { name: 'Change password' }).click();
  };
  await form.getByLabel('New password', { exact: true }).fill('short');
  await form.getByRole('button', { name: 'Change password' }).click();
  await expect(form.getByText('The password must have at least 8 characters')).toBeVisible();
  await expect(form.getByText('The two passwords do not match')).toBeVisible();
  await expectAccessible(page);
  await change('a second password');
  const done = page.getByText('Password changed. Other browsers were signed out.');
  await expect(done).toBeVisible();
  await expect(done).toBeHidden();

  await ageSessions(gateway.folder, id);
  await change('a third password');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('Current password')).toBeFocused();
  await expectAccessible(page);
  await dialog.getByLabel('Current password').fill('not the password');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(dialog.getByText('The current password is wrong')).toBeVisible();
  await dialog.getByLabel('Current password').fill('a second password');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(done).toBeVisible();
  await page.reload();
  await expect(region(page, 'Account')).toContainText(username);
  await signIn(page, { username, password: 'a third password' });
});

test('deleting the account requires typing its exact name', async ({ page }) => {
  const { username } = await asNewUser(page);
  await page.goto('/app/me?tab=security');
  const zone = region(page, 'Delete the account');
  const button = zone.getByRole('button', { name: 'Delete my account' });
  await zone.getByRole('textbox').fill(`${username} `);
  await expect(button).toBeDisabled();
  await zone.getByRole('textbox').fill(username);
  await button.click();
  await expect(page).toHaveURL(/\/login/);
  await expect(page.getByText('Account deleted')).toBeVisible();
  const again = await page.request.post('/api/user/login', {
    data: { username, password: PASSWORD },
  });
  expect((await again.json()).success).toBe(false);
});

test('notifications take https addresses and send a secret only if entered', async ({ page }) => {
  await asNewUser(page);
  await page.goto('/app/me?tab=notice');
  const panel = page.getByRole('tabpanel', { name: 'Notifications' });
  const threshold = panel.getByRole('textbox', { name: 'Warn me when the balance falls below' });
  await expect(threshold).toHaveValue('$1');
  for (const preset of ['$0.20', '$1.00', '$2.00', '$10.00'])
    await expect(panel.getByText(preset, { exact: true })).toBeVisible();
  await expect(
    panel.getByText('At most one mail about a low balance every 2 hours.'),
  ).toBeVisible();
  const save = panel.getByRole('button', { name: 'Save' });
  await expect(save).toBeDisabled();
  await panel.getByText('$2.00', { exact: true }).click();
  await panel.getByText('Webhook', { exact: true }).click();
  await panel.getByLabel('Webhook address').fill('http://example.com');
  await save.click();
  await expect(panel.getByText('Enter an address that starts with https://')).toBeVisible();
  await expectAccessible(page);

  const saving = () => page.waitForRequest('**/api/user/setting');
  await panel.getByLabel('Webhook address').fill('https://1.1.1.1/hook');
  await panel.getByRole('textbox', { name: 'Secret' }).fill('hush');
  const first = saving();
  await save.click();
  expect((await first).postDataJSON()).toEqual({
    notify_type: 'webhook',
    quota_warning_threshold: 1_000_000,
    quiet_hours: null,
    weekly_digest: null,
    webhook_url: 'https://1.1.1.1/hook',
    webhook_secret: 'hush',
  });
  await expect(page.getByText('Settings updated')).toBeVisible();
  await expect(panel.getByRole('textbox', { name: 'Secret' })).toHaveValue('');
  await expect(save).toBeDisabled();
  await panel.getByLabel('Webhook address').fill('https://1.1.1.1/other');
  const second = saving();
  await save.click();
  expect((await second).postDataJSON()).not.toHaveProperty('webhook_secret');
});

test('the language of the account is shown, changed and given up', async ({ page }) => {
  await asNewUser(page);
  await page.goto('/app/me?tab=other');
  const choice = page.getByRole('radiogroup', { name: 'Language' });
  const save = page.getByRole('button', { name: 'Save' });
  await expect(choice.getByLabel('As the site')).toBeChecked();
  await choice.getByLabel('中文').check({ force: true });
  await save.click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  await page.reload();
  const chinese = page.getByRole('radiogroup', { name: '语言' });
  await expect(chinese.getByLabel('中文')).toBeChecked();
  await chinese.getByLabel('与网站相同').check({ force: true });
  const saving = page.waitForRequest((request) => request.url().endsWith('/api/user/setting'));
  await page.getByRole('button', { name: '保存' }).click();
  expect((await saving).postDataJSON()).toMatchObject({ language: null });
  await page.reload();
  await expect(chinese.getByLabel('与网站相同')).toBeChecked();
});

test('the price and log switches are saved', async ({ page }) => {
  await asNewUser(page);
  for (const [tab, label] of [
    ['price', 'Accept models without a price'],
    ['other', 'Record the client IP in my logs'],
  ] as const) {
    await page.goto(`/app/me?tab=${tab}`);
    const toggle = page.getByLabel(label);
    await expect(toggle).not.toBeChecked();
    await toggle.check({ force: true });
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Settings updated').first()).toBeVisible();
    await page.reload();
    await expect(toggle).toBeChecked();
  }
});
