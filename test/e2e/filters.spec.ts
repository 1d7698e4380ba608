/** The filters of every list act alike: choices at once, text when typing pauses. */
import { expect } from '@playwright/test';
import { signIn, test } from './support/browser.ts';
import { visit } from './support/visit.ts';

// One test opens every list.
test.slow();

test.beforeEach(async ({ page }) => signIn(page));

interface List {
  readonly path: string;
  /** The label of its text filter and the parameter of the URL. */
  readonly text: string;
  readonly param: string;
}

const LISTS: readonly List[] = [
  { path: '/admin/channels', text: 'Keyword', param: 'q' },
  { path: '/admin/channels', text: 'Model', param: 'model' },
  { path: '/app/tokens', text: 'Name', param: 'q' },
  { path: '/admin/users', text: 'Search', param: 'q' },
  { path: '/admin/budgets', text: 'Search', param: 'q' },
  { path: '/admin/coupons', text: 'Search', param: 'q' },
  { path: '/admin/messages', text: 'Search', param: 'q' },
  { path: '/app/logs/api-usage', text: 'Model', param: 'model' },
  { path: '/app/logs/api-usage', text: 'User', param: 'user' },
  { path: '/app/logs/drawing', text: 'Task ID', param: 'task' },
  { path: '/app/logs/tasks', text: 'Channel ID', param: 'channel' },
  { path: '/app/dashboard', text: 'Username', param: 'user' },
  { path: '/pricing', text: 'Search models', param: 'q' },
];

test('the text filters of every list act without Enter, until they are empty', async ({ page }) => {
  await page.goto('/about');
  for (const { path, text, param } of LISTS) {
    await test.step(`${text} of ${path}`, async () => {
      await visit(page, path);
      const input = page.getByRole('main').getByLabel(text, { exact: true }).first();
      await input.fill('42');
      await expect(page).toHaveURL(new RegExp(`[?&]${param}=42(&|$)`));
      await expect(input).toHaveValue('42');
      await input.fill('');
      await expect(page).not.toHaveURL(new RegExp(`[?&]${param}=`));
    });
  }
});

const CHOICES = [
  { path: '/admin/users', label: 'Status', choice: 'Enabled', param: 'status=1' },
  { path: '/app/tokens', label: 'Status', choice: 'Disabled', param: 'status=2' },
  { path: '/admin/channels', label: 'Status', choice: 'Failing', param: 'status=failing' },
] as const;

test('further filters apply at once, with the typed text', async ({ page }) => {
  await page.goto('/about');
  for (const { path, label, choice, param } of CHOICES) {
    await test.step(`${label} of ${path}`, async () => {
      await visit(page, path);
      await page.locator('[data-page-search]').fill('abc');
      await page.getByRole('button', { name: 'More filters' }).click();
      await page.getByRole('combobox', { name: label }).click();
      await page.getByRole('option', { name: choice, exact: true }).click();
      await expect(page).toHaveURL(new RegExp(`${param}(&|$)`));
      await expect(page).toHaveURL(/[?&]q=abc(&|$)/);
      await page.getByRole('button', { name: 'Reset' }).click();
      await expect(page).toHaveURL(path);
    });
  }
});

test('a filter removed before typing pauses stays removed', async ({ page }) => {
  await page.goto('/app/logs/api-usage?user=bob');
  const model = page.getByRole('main').getByRole('combobox', { name: 'Model', exact: true });
  const remove = page.getByRole('button', { name: 'Remove filter: User: bob' });
  await expect(remove).toBeVisible();
  await model.focus();
  await page.keyboard.insertText('gpt');
  await remove.dispatchEvent('click');
  await expect(page).toHaveURL('/app/logs/api-usage?model=gpt');
});

test('the type of channels is found by words of its name or note', async ({ page }) => {
  await page.goto('/admin/channels');
  await page.getByRole('button', { name: 'More filters' }).click();
  const type = page.getByRole('combobox', { name: 'Type' });
  await type.click();
  await type.fill('openai comp');
  await expect(page.getByRole('option')).toHaveText(['OpenAI']);
  await page.getByRole('option', { name: 'OpenAI' }).click();
  await expect(page).toHaveURL(/[?&]type=1(&|$)/);
});
