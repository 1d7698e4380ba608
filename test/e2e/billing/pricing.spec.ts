import { expect, type Page } from '@playwright/test';
import { aName, call } from '../support/admin-calls.ts';
import {
  beforeScripts,
  expectAccessible,
  expectReadable,
  PHONE,
  signIn,
  test,
} from '../support/browser.ts';

async function makeChannel(page: Page): Promise<void> {
  await signIn(page);
  const models = 'gpt-4o,gpt-4o-mini,claude-sonnet-4,gemini-2.5-pro,deepseek-chat,dall-e-3';
  const usual = { name: aName('price-'), type: 1, key: 'sk-none', base_url: 'https://example.com' };
  await call(page, 'POST', '/api/channel/', { ...usual, models });
}

test('a guest sees the prices of the default group, with a note', async ({ page }) => {
  await makeChannel(page);
  await page.context().clearCookies();
  await beforeScripts(page, "localStorage.removeItem('user')");
  await page.goto('/pricing');
  await expect(
    page.getByText('The prices use the ratio of the default group “default”: 1x', {
      exact: false,
    }),
  ).toBeVisible();
  await expect(page.getByText('$2.50').first()).toBeVisible();
  await expectReadable(page);
});

test('a linked model opens with its price per group and a calculator', async ({ page }) => {
  await makeChannel(page);
  await page.goto('/pricing?model=gpt-4o&with=gpt-4o-mini');
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByRole('table', { name: 'Price per group' })).toContainText('$10.00');
  // 1000 tokens in at $2.50 and 500 out at $10 a million.
  await expect(drawer.getByRole('table', { name: 'Calculator' })).toContainText('$0.0075');
  await expect(drawer.getByRole('link', { name: 'Try in the playground' })).toBeVisible();
  await expectAccessible(page);
});

test.describe('on a phone', () => {
  test.use(PHONE.use);
  test('the prices of a model fit the window', async ({ page }) => {
    await makeChannel(page);
    await page.goto('/pricing?model=gpt-4o&with=gpt-4o-mini');
    const drawer = page.getByRole('dialog');
    for (const name of ['Price per group', 'Calculator']) {
      const table = drawer.getByRole('table', { name });
      await expect(table).toBeVisible();
      const excess = await table.evaluate((box) => {
        const { right } = box.getBoundingClientRect();
        const own = box.parentElement?.getBoundingClientRect().right ?? 0;
        return Math.max(right - own, box.scrollWidth - box.clientWidth);
      });
      expect(excess, name).toBeLessThan(1);
    }
    await expect(drawer.getByRole('table', { name: 'Price per group' })).toContainText('$10.00');
    await expectAccessible(page);
  });
});

test('the search keeps blanks while several words are typed', async ({ page }) => {
  await makeChannel(page);
  await page.goto('/pricing');
  const search = page.getByRole('searchbox', { name: 'Search models' });
  await search.pressSequentially('mini gpt', { delay: 60 });
  await expect(search).toHaveValue('mini gpt');
  await expect(page).toHaveURL(/q=mini\+gpt/);
  await expect(page.getByRole('row', { name: /gpt-4o-mini/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /claude/ })).toHaveCount(0);
});
