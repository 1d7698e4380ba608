/** The sections of the settings, as people use them. */
import { expect, type Page } from '@playwright/test';
import { call, makeUser, PASSWORD } from '../support/admin-calls.ts';
import { expectToFit, forgive, PHONE, signIn, test } from '../support/browser.ts';
import { field, save, section, storedValue } from '../support/settings-page.ts';

// What is set here would hold for every test after it.
test.use({ site: 'settings' });

// A test has what is done on a page that is slow to load.
test.slow();

test.beforeEach(async ({ page }) => signIn(page));

/** Payment settings are not saved without an address of the site. */
function setAddress(page: Page, url: string) {
  return call(page, 'PUT', '/api/option/', { key: 'ServerAddress', value: url });
}

interface Save {
  readonly key: string;
  readonly value: string;
  /** The value when the page read it; absent for secrets. */
  readonly before?: string;
  readonly impact: 'ask';
}

/** The options the page saves from now on. */
function savesOf(page: Page): Save[] {
  const saves: Save[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') saves.push(request.postDataJSON());
  });
  return saves;
}

test('the address has the tab; options are saved alone and found by name', async ({ page }) => {
  await page.goto('/admin/settings');
  await expect(section(page, 'general')).toBeVisible();
  await page.getByRole('tab', { name: 'Other' }).click();
  await expect(page).toHaveURL(/\?tab=other$/);
  await page.reload();
  await expect(section(page, 'notice')).toBeVisible();

  const saves = savesOf(page);
  await field(page, 'About', 'textarea').fill('# About us');
  await field(page, 'Footer', 'textarea').fill('<b>x</b>');
  await save(page, 'about');
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  expect(saves).toEqual([{ key: 'About', value: '# About us', before: '', impact: 'ask' }]);
  await expect(section(page, 'audit')).toContainText('# About us');

  await page.getByRole('combobox', { name: 'Find a setting' }).fill('SMTPServer');
  await page.getByRole('option', { name: /SMTP server/ }).click();
  await expect(page).toHaveURL(/tab=system/);
  await expect(field(page, 'SMTPServer')).toBeFocused();
  await expect(field(page, 'SMTPServer')).toHaveAccessibleDescription(
    'Host name of the mail server; if empty, no mail is sent.',
  );
});

test('changes are saved, marked as invalid, or named as failed; leaving with unsaved changes needs confirmation; the log is cleared', async ({
  page,
  complaints,
}) => {
  await page.goto('/admin/settings');
  await test.step('clearing the log needs a typed confirmation that counts them and reports the number of deleted entries', async () => {
    await section(page, 'logs').getByRole('button', { name: 'Clear logs' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('Log entries: 0.');
    await dialog.getByRole('textbox').fill('clear');
    const sent = page.waitForRequest((request) => request.url().endsWith('/api/log/clear'));
    await dialog.getByRole('button', { name: 'Clear logs' }).click();
    const { before } = (await sent).postDataJSON();
    expect(before).toBeGreaterThan(1_000_000_000);
    expect(before).toBeLessThan(Date.now() / 1000);
    await expect(page.getByText('Log entries deleted: 0')).toBeVisible();
  });
  await test.step('an invalid value is marked and not sent; changes are saved, switches first; leaving with unsaved changes needs confirmation', async () => {
    const saves = savesOf(page);
    await field(page, 'DataExportInterval').fill('0');
    await save(page, 'dataBoard');
    await expect(page.getByText('Check the input')).toBeVisible();
    await expect(section(page, 'dataBoard')).toContainText('Must be at least 1');
    await field(page, 'fallback_single_price').fill('1');
    await field(page, 'fallback_input_ratio').fill('1');
    await save(page, 'fallback');
    await expect(section(page, 'fallback')).toContainText(
      'A single price cannot be combined with ratios',
    );
    expect(saves).toEqual([]);

    await field(page, 'CheckInQuota').fill('2500');
    await field(page, 'CheckInEnabled').click();
    await expect(section(page, 'checkIn')).toContainText('2 changed');
    await save(page, 'checkIn');
    await expect(page.getByText('Saved', { exact: true })).toBeVisible();
    expect(saves).toEqual([
      { key: 'CheckInEnabled', value: 'true', before: 'false', impact: 'ask' },
      { key: 'CheckInQuota', value: '2500', before: '1000', impact: 'ask' },
    ]);
    await save(page, 'checkIn');
    await expect(page.getByText('Nothing was changed')).toBeVisible();
    expect(saves).toHaveLength(2);

    await page.getByRole('banner').getByRole('link', { name: 'Home' }).click();
    await expect(page.getByRole('dialog')).toContainText('Changes that were not saved');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await expect(field(page, 'DataExportInterval')).toHaveValue('0');
  });
  // The only errors are those of the step below.
  expect(complaints).toEqual([]);
  await test.step('a partly failed save names the failed options', async () => {
    await page.route('**/api/option/', async (route) => {
      const { key } = route.request().postDataJSON() ?? {};
      if (key !== 'QuotaForInvitee') return route.fallback();
      return route.fulfill({ status: 400, json: { success: false, message: 'not now' } });
    });
    await field(page, 'QuotaForInviter').fill('11');
    await field(page, 'QuotaForInvitee').fill('12');
    await save(page, 'quota');
    await expect(page.getByText('Some settings were not saved, please try again')).toBeVisible();
    await expect(section(page, 'quota')).toContainText('not now');
    await expect(field(page, 'QuotaForInvitee')).toHaveValue('12');
    expect((await storedValue(page, 'QuotaForInviter')).value).toBe('11');
  });
  forgive(complaints, /status of 400/);
});

test('a concurrent change is overwritten only if confirmed; the check for updates shows the release, or fails', async ({
  page,
  complaints,
}) => {
  await page.goto('/admin/settings?tab=other');
  await test.step('a concurrent change is overwritten only if confirmed', async () => {
    await field(page, 'About', 'textarea').fill('# mine');
    const theirs = { key: 'About', value: '# theirs' };
    await call(page, 'PUT', '/api/option/', theirs);
    await save(page, 'about');
    const conflict = page.getByRole('dialog', { name: 'Another user has changed this' });
    await conflict.getByRole('button', { name: 'Cancel' }).click();
    await expect(section(page, 'about')).toContainText('was changed in the meantime');
    expect(await storedValue(page, 'About')).toMatchObject({ value: theirs.value });

    await save(page, 'about');
    await conflict.getByRole('button', { name: 'Save these values' }).click();
    await expect(page.getByText('Saved', { exact: true })).toBeVisible();
    expect(await storedValue(page, 'About')).toMatchObject({ value: '# mine' });
  });
  await test.step('the check for updates shows the release, or fails', async () => {
    let isDown = true;
    await page.route('https://api.github.com/**', (route) =>
      isDown
        ? route.abort()
        : route.fulfill({
            headers: { 'access-control-allow-origin': '*' },
            json: { tag_name: 'v99.0.0', body: '# News\n\n- **bold** thing' },
          }),
    );
    await page.getByRole('button', { name: 'Check for updates' }).click();
    await expect(page.getByText('The check for updates failed')).toBeVisible();
    isDown = false;
    await page.getByRole('button', { name: 'Check for updates' }).click();
    await expect(section(page, 'version')).toContainText('v99.0.0');
    await expect(section(page, 'version').locator('strong')).toHaveText('bold');
    forgive(complaints, /ERR_FAILED/);
  });
});

test('an address loses its trailing slash; a secret is never shown; disabling password sign-in needs confirmation', async ({
  page,
  gateway,
}) => {
  await setAddress(page, gateway.url);
  await page.goto('/admin/settings?tab=system');
  await field(page, 'CustomCallbackAddress').fill('https://pay.example.com/');
  await save(page, 'payment');
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await expect(field(page, 'CustomCallbackAddress')).toHaveValue('https://pay.example.com');

  const saves = savesOf(page);
  const token = field(page, 'WorkerValidKey');
  await expect(token).toHaveAttribute('placeholder', 'Not set');
  await token.fill('a secret');
  await save(page, 'worker');
  await expect(token).toHaveAttribute('placeholder', 'Set. Leave empty to keep it.');
  await expect(token).toHaveValue('');
  expect(saves).toEqual([{ key: 'WorkerValidKey', value: 'a secret', impact: 'ask' }]);
  await section(page, 'worker')
    .getByRole('button', { name: /^Remove/ })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(token).toHaveAttribute('placeholder', 'Not set');

  const toggle = field(page, 'PasswordLoginEnabled');
  await toggle.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(toggle).toBeChecked();
  await toggle.click();
  await page.getByRole('button', { name: 'Turn off password sign-in' }).click();
  await expect(toggle).not.toBeChecked();
});

test('a secret in use is not removed; payment needs the address of the site; OIDC endpoints are loaded', async ({
  page,
}) => {
  const stored = { GitHubClientId: 'id', GitHubClientSecret: 'secret', GitHubOAuthEnabled: 'true' };
  for (const [key, value] of Object.entries(stored))
    await call(page, 'PUT', '/api/option/', { key, value });
  await call(page, 'DELETE', '/api/option/ServerAddress');
  await page.goto('/admin/settings?tab=system');
  await test.step('a secret in use is not removed: the refusal names the switch', async () => {
    const github = section(page, 'github');
    await github.getByRole('button', { name: /^Remove/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    const refusal = 'Must not be empty while “GitHub sign-in” is on';
    await expect(page.getByRole('alert')).toContainText(`GitHub client secret: ${refusal}`);
    await field(page, 'GitHubClientId').fill('');
    await save(page, 'github');
    await expect(github.getByText(refusal)).toBeVisible();
  });
  await test.step('payment needs the site’s address', async () => {
    const saves = savesOf(page);
    await field(page, 'Price').fill('7.1');
    await save(page, 'payment');
    await expect(page.getByText('Enter the server address first')).toBeVisible();
    expect(saves).toEqual([]);
    await section(page, 'payment').getByRole('button', { name: 'Discard' }).click();
  });
  await test.step('OIDC endpoints are loaded, or an error is shown', async () => {
    await page.route('**/api/oauth/oidc/discover', (route) => {
      const data = {
        authorization_endpoint: 'https://id.example.com/authorize',
        token_endpoint: 'https://id.example.com/token',
        userinfo_endpoint: 'https://id.example.com/me',
      };
      const isGood = route.request().postDataJSON().url.endsWith('/good');
      const refusal = { success: false, message: 'no answer', code: 'discovery_failed' };
      return route.fulfill({ json: isGood ? { success: true, message: '', data } : refusal });
    });
    const saves = savesOf(page);
    await field(page, 'oidc.well_known').fill('https://id.example.com/bad');
    await save(page, 'oidc');
    await expect(page.getByText(/Check the network and the well-known address/)).toBeVisible();
    expect(saves).toEqual([]);

    for (const name of ['authorization', 'token', 'user_info'] as const)
      await field(page, `oidc.${name}_endpoint`).fill(`https://id.example.com/typed-${name}`);
    await save(page, 'oidc');
    await expect(page.getByText('Saved', { exact: true })).toBeVisible();
    expect(saves).toHaveLength(4);

    await field(page, 'oidc.well_known').fill('https://id.example.com/good');
    await save(page, 'oidc');
    await expect(page.getByText('Saved', { exact: true })).toBeVisible();
    await expect(field(page, 'oidc.token_endpoint')).toHaveValue('https://id.example.com/token');
    await expect(field(page, 'oidc.user_info_endpoint')).toHaveValue('https://id.example.com/me');
  });
  await test.step('the quota unit is unlocked first', async () => {
    await page.getByRole('tab', { name: 'Operation' }).click();
    const unit = field(page, 'QuotaPerUnit');
    await expect(unit).toBeDisabled();
    await page.getByRole('button', { name: 'I understand, let me change it' }).click();
    await expect(unit).toBeEnabled();
    await expect(page.getByText('We advise against it')).toBeVisible();
  });
});

test('an administrator sees fewer options than a super administrator', async ({
  page,
  ownPage: admin,
}) => {
  const user = await makeUser(page);
  await call(page, 'POST', '/api/user/manage', { id: user.id, action: 'promote' });
  await signIn(admin, { username: user.username, password: PASSWORD });
  await admin.goto('/admin/settings?tab=system');
  await expect(section(admin, 'accounts')).toBeVisible();
  await expect(section(admin, 'address')).toBeHidden();
  await expect(field(admin, 'GitHubClientId')).toBeVisible();
  await expect(field(admin, 'GitHubClientSecret')).toBeHidden();
});

/** Each with the section it begins with. */
const TABS = [
  ['Operation', 'general'],
  ['Rate limit', 'limit'],
  ['Models', 'global'],
  ['System', 'address'],
  ['Other', 'version'],
] as const;

test('every tab is accessible and fits its window', async ({ page }) => {
  await page.goto('/admin/settings');
  for (const [name, first] of TABS) {
    await page.getByRole('tab', { name }).click();
    await expect(section(page, first)).toBeVisible();
    await page.waitForLoadState('networkidle');
    await expectToFit(page);
  }
});

test('a phone shows the chosen tab', async ({ page }) => {
  await page.setViewportSize(PHONE.use.viewport);
  await page.goto('/admin/settings?tab=other');
  const chosen = page.getByRole('tab', { selected: true });
  await expect(chosen).toHaveText('Other');
  // Positions of a scrolled list are rounded to whole pixels.
  await expect(chosen).toBeInViewport({ ratio: 0.95 });
});
