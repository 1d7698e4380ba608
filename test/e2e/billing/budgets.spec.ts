import { expect, type Page } from '@playwright/test';
import type { Budget } from '../../../web/src/components/budgets/calls.ts';
import { aName, call, makeUser, onlyChannel, PASSWORD } from '../support/admin-calls.ts';
import { expectNoSidewaysScroll, expectReadable, signIn, test } from '../support/browser.ts';
import { asNewUser, asRoot } from '../support/own-account.ts';
import { visit } from '../support/visit.ts';

test.slow();
test.use({ site: 'budgets' });

const budgetsOf = async (page: Page, query: string) =>
  (await call<{ items: Budget[] }>(page, 'GET', `/api/budget/?${query}`)).items;

test('a new API token gets a limit per day, and further budgets later', async ({
  page,
  upstream,
}) => {
  await asRoot(page);
  await onlyChannel(page, upstream, 'gpt-4o-mini');
  await asNewUser(page);
  await page.goto('/app/tokens?id=new');
  const drawer = page.getByRole('dialog', { name: 'Create token' });
  await drawer.getByLabel('Name').fill('agent');
  await drawer.getByRole('switch', { name: 'Limit what it may use in a period' }).click();
  await drawer.getByRole('textbox', { name: 'At most' }).fill('0');
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(drawer.getByText('Enter a limit above 0')).toBeVisible();
  await drawer.getByRole('textbox', { name: 'At most' }).fill('7');
  await drawer.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Tokens created: 1' })).toBeVisible();
  const [made] = await budgetsOf(page, 'subject=token');
  expect(made).toMatchObject({ limit_amount: 3_500_000, period: 'day', subject_name: 'agent' });

  await page.goto(`/app/tokens?id=${made?.subject_id}`);
  const edit = page.getByRole('dialog', { name: /agent/ });
  const list = edit.getByRole('region', { name: 'Budgets' });
  await expect(list.getByText('$7.00 / day')).toBeVisible();
  await expect(list.getByText('$7.00 left')).toBeVisible();
  await expect(list.getByText(/^Resets in/)).toBeVisible();

  // By keyboard: Enter saves the budget and not the token.
  await list.getByRole('button', { name: 'Add budget' }).press('Enter');
  await list.getByRole('button', { name: 'More settings' }).press('Enter');
  await list.getByRole('combobox', { name: 'Counts' }).click();
  await page.getByRole('option', { name: 'Calls' }).click();
  await list.getByRole('textbox', { name: 'At most' }).fill('500');
  await list.getByRole('textbox', { name: 'At most' }).press('Enter');
  await expect(list.getByText('500 calls / day')).toBeVisible();
  await expect(edit).toBeVisible();
  await expectReadable(page);

  await list.getByRole('button', { name: 'Delete budget' }).first().click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(list.getByText('500 calls / day')).toBeHidden();
  await list.getByRole('button', { name: 'Edit budget' }).click();
  await list.getByRole('textbox', { name: 'At most' }).fill('3');
  await list.getByRole('button', { name: 'Save budget' }).click();
  await expect(list.getByText('$3.00 / day')).toBeVisible();
  await expectNoSidewaysScroll(page);
});

test('what an administrator limits is seen and not changed by its user', async ({ page }) => {
  await signIn(page);
  const user = await makeUser(page);
  const limit = { subject: 'user', subject_id: user.id, limit_amount: 5_000_000 };
  await call(page, 'POST', '/api/budget/', { ...limit, period: 'month' });
  await page.goto(`/admin/users?id=${user.id}`);
  const drawer = page.getByRole('dialog', { name: new RegExp(user.username) });
  await expect(drawer.getByText('$10.00 / month')).toBeVisible();
  await expect(drawer.getByRole('button', { name: 'Edit budget' })).toBeVisible();
  await drawer.getByRole('button', { name: 'Raise for this period' }).click();
  await drawer.getByRole('textbox', { name: 'Add to the limit' }).fill('2');
  await drawer.getByRole('textbox', { name: 'Add to the limit' }).press('Enter');
  await expect(drawer.getByText('+$2.00 for a time')).toBeVisible();
  await expect(drawer.getByText('$12.00 left')).toBeVisible();
  await signIn(page, { username: user.username, password: PASSWORD });
  await page.goto('/app/wallet');
  const list = page.getByRole('region', { name: 'Budgets' });
  await expect(list.getByText('$10.00 / month')).toBeVisible();
  await expect(list.getByText('Set by an administrator')).toBeVisible();
  await expect(list.getByRole('button', { name: 'Edit budget' })).toHaveCount(0);
  await expectReadable(page);
});

test('administrators add and delete a budget of any subject on one page', async ({ page }) => {
  await signIn(page);
  const { username } = await makeUser(page);
  await page.goto('/admin/budgets');
  await page.getByRole('button', { name: 'Add budget' }).first().press('Enter');
  const drawer = page.getByRole('dialog', { name: 'Add budget' });
  const choose = async (label: string, text: string) => {
    const input = drawer.getByRole('combobox', { name: label, exact: true });
    await input.click();
    if (label !== 'Applies to') await input.fill(text.slice(0, -1));
    await page.getByRole('option', { name: text, exact: true }).click();
  };
  await choose('Applies to', 'Site');
  await choose('Applies to', 'User');
  await drawer.getByRole('button', { name: 'Add budget' }).click();
  await expect(drawer.getByText('Choose one')).toBeVisible();
  await choose('User', username);
  await drawer.getByRole('textbox', { name: 'At most' }).fill('7');
  await expectReadable(page);
  await drawer.getByRole('button', { name: 'Add budget' }).click();
  await expect(drawer).toBeHidden();
  await page.goto(`/admin/budgets?q=${username}`);
  await page.getByText(username, { exact: true }).first().click();
  const made = page.getByRole('dialog', { name: `User ${username}` });
  await expect(made.getByText('$7.00 / day')).toBeVisible();
  await made.getByRole('button', { name: 'Delete budget' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(made).toBeHidden();
  await expect(page.getByText('Nothing matches these filters')).toBeVisible();
});

test('administrators change the budgets of all subjects on one page', async ({ page }) => {
  await signIn(page);
  const name = aName('gpt-');
  const budget = { subject: 'model', subject_id: name, period: 'day', limit_amount: 2_500_000 };
  await call(page, 'POST', '/api/budget/', budget);
  await page.goto('/admin/budgets?subject=model&state=ok');
  await expect(page.getByText('$5.00 / day').first()).toBeVisible();
  await expectReadable(page);
  await page.getByText(name).click();
  const drawer = page.getByRole('dialog', { name: `Model ${name}` });
  await drawer.getByRole('button', { name: 'Edit budget' }).click();
  await drawer.getByRole('textbox', { name: 'At most' }).fill('9');
  await drawer.getByRole('button', { name: 'Save budget' }).click();
  await expect(drawer.getByText('$9.00 / day')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByText('$9.00 / day').first()).toBeVisible();
});

test('groups and channels are limited where they are managed', async ({ page, upstream }) => {
  await signIn(page);
  await onlyChannel(page, upstream, 'gpt-4o-mini');
  const channels = await call<{ items: { id: number }[] }>(page, 'GET', '/api/channel/');
  const [channel] = channels.items;
  await page.goto(`/admin/channels?id=${channel?.id}`);
  const ofChannel = page.getByRole('dialog').getByRole('region', { name: 'Budgets', exact: true });
  await ofChannel.getByRole('button', { name: 'Add budget' }).first().click();
  await ofChannel.getByRole('textbox', { name: 'At most' }).fill('20');
  await ofChannel.getByRole('button', { name: 'Add budget' }).last().click();
  await expect(ofChannel.getByText('$20.00 / day')).toBeVisible();

  await visit(page, '/admin/settings?tab=operation');
  const ofGroups = page.getByRole('region', { name: 'Budgets', exact: true });
  await ofGroups.getByRole('button', { name: 'Add budget' }).click();
  await ofGroups.getByRole('combobox', { name: 'Group' }).click();
  await page.getByRole('option', { name: 'default' }).click();
  await ofGroups.getByRole('textbox', { name: 'At most' }).fill('50');
  await ofGroups.getByRole('button', { name: 'Add budget' }).last().click();
  await expect(ofGroups.getByText('$50.00 / day')).toBeVisible();
  const [made] = await budgetsOf(page, 'subject=group');
  expect(made).toMatchObject({ subject_id: 'default', limit_amount: 25_000_000 });
});
