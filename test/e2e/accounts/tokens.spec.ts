import { expect, type Page } from '@playwright/test';
import type { Token } from '../../../web/src/features/token/calls.ts';
import type { FakeUpstream } from '../../upstream/server.ts';
import { call, onlyChannel } from '../support/admin-calls.ts';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  expectReadable,
  test,
} from '../support/browser.ts';
import { asNewUser, asRoot } from '../support/own-account.ts';

test.slow();
// One test replaces the groups of its site, which users of other files are in.
test.use({ site: 'tokens' });

const makeToken = (page: Page, fields: object) => call<Token>(page, 'POST', '/api/token/', fields);
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

async function withChannel(page: Page, upstream: FakeUpstream): Promise<void> {
  await asRoot(page);
  const models = 'gpt-4o-mini,gpt-4o,claude-sonnet-4-5,text-embedding-3-small';
  await onlyChannel(page, upstream, models);
}

test('a created token makes a successful call', async ({ page, gateway, upstream, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await withChannel(page, upstream);
  await asNewUser(page);
  await page.goto('/app/tokens');
  await expect(page.getByText('No tokens yet')).toBeVisible();
  await expect(page.getByRole('note')).toContainText('not a separate balance');
  await page.getByRole('button', { name: 'Create token' }).first().click();

  const drawer = page.getByRole('dialog', { name: 'Create token' });
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(drawer.getByText('Enter a name')).toBeVisible();
  await expect(drawer.getByText('= 500,000 units')).toBeVisible();
  await expectAccessible(page);
  await drawer.getByLabel('Name').fill('laptop');
  await page.keyboard.press('Control+Enter');

  const dialog = page.getByRole('dialog', { name: 'Tokens created: 1' });
  await expect(dialog.getByText('Copy its key here, or later from the list.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Copy key' }).last().click();
  const key = await clipboard(page);
  expect(key).toMatch(/^sk-[0-9A-Za-z]{48}$/);
  await expect(dialog.locator('pre')).toContainText(`${gateway.url}/v1/chat/completions`);
  // Masked alike above and in the code, until the eye is pressed.
  const masked = `${key.slice(0, 5)}••••••••${key.slice(-2)}`;
  await expect(dialog.getByText(masked, { exact: true })).toBeVisible();
  await expect(dialog.locator('pre')).toContainText(`Bearer ${masked}`);
  await expect(dialog.getByText(key)).toHaveCount(0);

  const clients = dialog.getByRole('tablist');
  await expect(clients.getByRole('tab').last()).toBeInViewport({ ratio: 1 });
  expect(await clients.evaluate((list) => list.scrollWidth - list.clientWidth)).toBe(0);
  await dialog.getByRole('tab', { name: 'Claude Code' }).click();
  await expect(dialog.locator('pre')).toContainText(`ANTHROPIC_BASE_URL="${gateway.url}"\n`);
  await expect(dialog.locator('pre')).toContainText('unset ANTHROPIC_API_KEY');
  await expect(dialog.locator('pre')).toContainText('ANTHROPIC_MODEL=');
  await dialog.getByRole('button', { name: 'Test' }).click();
  await expect(dialog.getByText(/HTTP 200 in .*cost \$0\.000/)).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});

test('several new tokens are listed with their keys, for download', async ({ page }) => {
  await asNewUser(page);
  await page.goto('/app/tokens?id=new');
  const drawer = page.getByRole('dialog', { name: 'Create token' });
  await drawer.getByLabel('Name').fill('batch');
  await drawer.getByText('10', { exact: true }).click();
  await expect(drawer.getByText('batch, batch-??????, batch-?????? … 7 more')).toBeVisible();
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();

  const dialog = page.getByRole('dialog', { name: 'Tokens created: 10' });
  await expect(dialog.getByRole('row')).toHaveCount(11);
  await expect(dialog.getByRole('cell', { name: 'batch', exact: true })).toHaveCount(1);
  await expect(dialog.getByRole('cell', { name: /^batch-[0-9A-Za-z]{6}$/ })).toHaveCount(9);
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: '.csv' }).click();
  expect((await download).suggestedFilename()).toBe('tokens-batch.csv');
});

test('a token can be limited by models, addresses and rate; invalid limits are reported at their field', async ({
  page,
  upstream,
}) => {
  await withChannel(page, upstream);
  await asNewUser(page, {
    GroupRatio: '{"default":1,"vip":0.8}',
    UserUsableGroups: '{"default":"Everyone","vip":"Members at 80 percent"}',
  });
  await page.goto('/app/tokens?id=new');
  const drawer = page.getByRole('dialog', { name: 'Create token' });
  await drawer.getByLabel('Name').fill('limited');
  await drawer.getByText('1 month').click();
  await drawer.getByLabel('Unlimited quota').check({ force: true });
  await expect(drawer.getByRole('textbox', { name: 'Quota' })).toBeDisabled();

  await drawer.getByRole('combobox', { name: 'Group' }).click();
  const vip = page.getByRole('option', { name: /vip/ });
  await expect(vip).toContainText('Members at 80 percent');
  await expect(vip).toContainText('0.8x');
  await vip.click();

  await drawer.getByLabel('Only some models').check({ force: true });
  await drawer.getByRole('combobox', { name: 'Models' }).fill('gpt');
  await page.getByRole('option', { name: 'Select all 2 matching' }).click();
  // The list closes: it covered the fields below.
  await expect(page.getByRole('option')).toHaveCount(0);
  await expect(drawer.getByText('Models selected: 2')).toBeVisible();
  await expect(drawer.getByLabel('Period (seconds)')).toHaveCount(0);
  await drawer.getByLabel('Limit the rate').check();
  await expect(drawer.getByLabel('Period (seconds)')).toHaveValue('60');
  await expect(drawer.getByRole('textbox', { name: 'Calls', exact: true })).toHaveValue('1,000');
  await expect(drawer.getByLabel('Successful calls')).toHaveValue('10');
  await drawer.getByLabel('Allowed addresses').fill('10.0.0.0/8\nhome');
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(
    drawer.getByText('Each line must be an IP address or a CIDR range', { exact: true }),
  ).toBeVisible();
  await drawer.getByLabel('Allowed addresses').fill('10.0.0.0/8');
  const sent = page.waitForRequest('**/api/token/');
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();
  const { expired_time, ...fields } = (await sent).postDataJSON();
  expect(fields).toMatchObject({
    unlimited_quota: true,
    group: 'vip',
    model_limits: 'gpt-4o,gpt-4o-mini',
    allow_ips: '10.0.0.0/8',
    rate_limit_enabled: true,
  });
  expect(Math.abs(expired_time - Date.now() / 1000 - 30 * 86_400)).toBeLessThan(60);
});

test('without selectable groups the form says who can set them', async ({ page }) => {
  await asNewUser(page);
  await page.route('**/api/user/self/groups', (route) =>
    route.fulfill({ json: { success: true, message: '', data: {} } }),
  );
  await page.goto('/app/tokens?id=new');
  await expect(
    page.getByText('The administrator has not set any groups that users can choose'),
  ).toBeVisible();
});

test('rows show which tokens are limited, permanent or disabled', async ({ page, upstream }) => {
  await withChannel(page, upstream);
  await asNewUser(page);
  const limits = { model_limits_enabled: true, model_limits: 'gpt-4o' };
  await makeToken(page, { name: 'some-models', unlimited_quota: true, ...limits });
  const off = await makeToken(page, { name: 'turned-off' });
  await call(page, 'POST', `/api/token/${off.id}/status`, { status: 2 });
  await page.goto('/app/tokens');
  await expect(page.getByText('Limited models')).toBeVisible();
  await expect(page.getByText('Unlimited', { exact: true })).toBeVisible();
  await expect(page.getByText('Never', { exact: true }).first()).toBeVisible();
  await expect(page.getByText('Disabled', { exact: true })).toBeVisible();
  await expectReadable(page);
  const ground = (name: string) =>
    rowOf(page, name)
      .getByRole('cell')
      .first()
      .evaluate((cell) => getComputedStyle(cell).backgroundColor);
  expect(await ground('turned-off')).not.toBe(await ground('some-models'));
});

test('a token is found by its name or pasted key, which the address omits', async ({ page }) => {
  await asNewUser(page);
  const wanted = await makeToken(page, { name: 'wanted' });
  await makeToken(page, { name: 'another' });
  await page.goto('/app/tokens');
  await page.getByLabel('Name', { exact: true }).fill('want');
  await page.keyboard.press('Enter');
  await expect(rowOf(page, 'another')).toHaveCount(0);
  await expect(rowOf(page, 'wanted')).toBeVisible();
  await expect(page).toHaveURL(/q=want/);

  await page.getByRole('button', { name: 'Reset' }).click();
  await expect(rowOf(page, 'another')).toBeVisible();
  const sent = page.waitForRequest('**/api/token/search?**');
  await page.getByLabel('Name', { exact: true }).fill(` ${wanted.key} `);
  await page.keyboard.press('Enter');
  const query = new URL((await sent).url()).searchParams;
  expect(query.get('token')).toBe(wanted.key.replace('sk-', ''));
  await expect(rowOf(page, 'another')).toHaveCount(0);
  await expect(rowOf(page, 'wanted')).toBeVisible();
  expect(page.url()).not.toContain(wanted.key.slice(3, 20));
  await page.getByLabel('Name', { exact: true }).fill('nothing-like-it');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Nothing matches these filters')).toBeVisible();
});

test('the copied key starts with sk-, and a chat program opens with it', async ({
  page,
  gateway,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await asNewUser(page, {
    Chats: `[{"Mine":"${gateway.url}/about?a={address}&k={key}"}]`,
  });
  const token = await makeToken(page, { name: 'copied' });
  await page.goto('/app/tokens');
  await rowOf(page, 'copied').getByRole('button', { name: 'Copy key' }).click();
  await expect.poll(() => clipboard(page)).toBe(token.key);

  await rowOf(page, 'copied').getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Chat' }).hover();
  const opened = context.waitForEvent('page');
  await page.getByRole('menuitem', { name: 'Mine' }).click();
  const chat = await opened;
  await chat.waitForLoadState('domcontentloaded');
  expect(new URL(chat.url()).searchParams.get('k')).toBe(token.key);
});

test('a token leads to its own log entries, not to those of namesakes', async ({ page }) => {
  await asNewUser(page);
  const { id } = await makeToken(page, { name: 'namesake' });
  await page.goto('/app/tokens');
  await rowOf(page, 'namesake').getByRole('button', { name: 'More actions' }).click();
  const listed = page.waitForRequest(/\/api\/log\/self\?/);
  await page.getByRole('menuitem', { name: 'View logs' }).click();
  await expect(page).toHaveURL(`/app/logs/api-usage?token_id=${id}`);
  expect(new URL((await listed).url()).searchParams.get('token_id')).toBe(String(id));
  await expect(page.getByText(`Token ID: ${id}`)).toBeVisible();
});

test('a token is switched in place; one without quota leads to its form', async ({ page }) => {
  await asNewUser(page);
  const empty = await makeToken(page, { name: 'empty', remain_quota: 0 });
  await call(page, 'POST', `/api/token/${empty.id}/status`, { status: 2 });
  await makeToken(page, { name: 'switched' });
  await page.goto('/app/tokens');
  const sent = page.waitForRequest('**/api/token/?status_only=true');
  await rowOf(page, 'switched').getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  expect(Object.keys((await sent).postDataJSON()).sort()).toEqual(['id', 'status']);
  await expect(rowOf(page, 'switched')).toContainText('Disabled');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(rowOf(page, 'switched')).toContainText('Enabled');

  await rowOf(page, 'empty').getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Enable' }).click();
  await expect(page.getByText('Its quota is used up. Increase its quota first.')).toBeVisible();
  await page.getByRole('button', { name: 'Edit the token' }).click();
  const drawer = page.getByRole('dialog', { name: 'Edit token “empty”' });
  await drawer.getByText('$10', { exact: true }).click();
  const saved = page.waitForRequest((request) => request.method() === 'PUT');
  await drawer.getByRole('button', { name: 'Save' }).click();
  expect((await saved).postDataJSON()).toEqual({ id: empty.id, remain_quota: 5_000_000 });
  await expect(rowOf(page, 'empty')).toContainText('$10.00');
});

test('selected tokens are copied, disabled and deleted together; without a selection a message appears', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await asNewUser(page);
  const one = await makeToken(page, { name: 'one' });
  const two = await makeToken(page, { name: 'two' });
  await makeToken(page, { name: 'three' });
  await page.goto('/app/tokens');
  await page.getByRole('button', { name: 'Copy selected keys' }).click();
  await expect(page.getByText('Select at least one token')).toBeVisible();

  for (const name of ['one', 'two'])
    await rowOf(page, name).getByRole('checkbox', { name: 'Select this row' }).check();
  await page.getByRole('button', { name: 'Copy selected keys' }).click();
  await expect(page.getByText('Keys copied: 2')).toBeVisible();
  expect((await clipboard(page)).split('\n').sort()).toEqual([
    `one\t${one.key}`,
    `two\t${two.key}`,
  ]);
  const bar = page
    .getByRole('toolbar', { name: 'Actions for the selection' })
    .or(page.getByLabel('Actions for the selection'));
  await bar.getByRole('button', { name: 'Disable' }).click();
  await expect(page.getByText('Tokens disabled: 2')).toBeVisible();
  await expect(rowOf(page, 'one')).toContainText('Disabled');
  await expect(rowOf(page, 'three')).toContainText('Enabled');

  await rowOf(page, 'one').getByRole('checkbox', { name: 'Select this row' }).check();
  await bar.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('dialog')).toContainText('one. Programs that use them');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete tokens (1)' }).click();
  await expect(rowOf(page, 'one')).toHaveCount(0);
  await expect(rowOf(page, 'two')).toBeVisible();
});

test('when all rows of the last page are deleted, the page before is shown', async ({ page }) => {
  await asNewUser(page);
  await makeToken(page, { name: 'paged', count: 12 });
  await page.goto('/app/tokens?page=2');
  await expect(page.getByText('11-12 of 12')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select this page' }).check();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete tokens (2)' }).click();
  await expect(page.getByText('1-10 of 10')).toBeVisible();
  await expect(page).toHaveURL(/\/app\/tokens$/);
});

test('the page size is kept, and the address contains the open form', async ({ page }) => {
  await asNewUser(page);
  await makeToken(page, { name: 'paged', count: 12 });
  await page.goto('/app/tokens');
  await expect(page.getByText('1-10 of 12')).toBeVisible();
  await page.getByRole('combobox', { name: 'Rows per page' }).click();
  await page.getByRole('option', { name: '20' }).click();
  await expect(page.getByText('1-12 of 12')).toBeVisible();
  await page.goto('/app/tokens?id=new');
  await expect(page.getByRole('dialog', { name: 'Create token' })).toBeVisible();
  await expect(page.getByText('1-12 of 12')).toBeVisible();
});
