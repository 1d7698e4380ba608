import { expect, type Page } from '@playwright/test';
import { LOG_TYPE } from '../../src/domain/logs/log-types.ts';
import {
  expectAccessible,
  expectReadable,
  forgive,
  overrideStatus,
  signIn,
  test,
} from './support/browser.ts';
import { aCall, onOwnSite, signInAsSomeone } from './support/log-data.ts';

const nowSec = Math.floor(Date.now() / 1000);

/** Ten models, 100,000 units each: two dollars in all, the last two of them in "other". */
const LINES = [
  ...Array.from({ length: 10 }, (_, place) =>
    aCall({
      model_name: `model-${place}`,
      quota: 100_000,
      created_at: nowSec - 60 - place * 3600,
      use_time_ms: 1000 * (place + 1),
    }),
  ),
  aCall({ model_name: 'model-0', quota: 0, created_at: nowSec - 20 * 3600 }),
  aCall({
    type: LOG_TYPE.error,
    quota: 0,
    model_name: 'model-0',
    content: 'The upstream is overloaded',
    other: '{"status_code":503}',
  }),
];

onOwnSite('dashboard', { logs: LINES });

async function open(page: Page, query = '') {
  await signIn(page);
  await page.goto(`/app/dashboard${query}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dashboard');
}

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

test('figures, charts and tables agree, and models link to their entries', async ({ page }) => {
  await open(page);
  await expect(page.getByText('$2.00').first()).toBeVisible();
  const spend = card(page, 'Spend by model');
  await expect(spend.getByRole('img', { name: /Total \$2\.00/ })).toBeVisible();
  const legend = spend.getByRole('button', { pressed: true });
  await expect(legend).toHaveCount(9);
  await expect(legend.last()).toHaveText('Other');

  await spend.getByRole('button', { name: 'model-3' }).click();
  await expect(spend.getByRole('button', { pressed: true })).toHaveText(['model-3']);
  await spend.getByRole('button', { name: 'model-3' }).click();
  await expect(legend).toHaveCount(9);

  await spend.getByRole('button', { name: 'Show as a table' }).click();
  await expect(spend.getByRole('columnheader', { name: 'Other' })).toBeVisible();
  await expect(spend.getByRole('cell', { name: '$0.20' })).toHaveCount(10);
  await expect(card(page, 'Errors by kind')).toContainText('Upstream');
  await expect(card(page, 'Recent errors')).toContainText('The upstream is overloaded');

  await card(page, 'Top models').getByRole('link', { name: 'model-4' }).click();
  await expect(page).toHaveURL(/\/app\/logs\/api-usage\?.*model=model-4/);
});

test('the site’s granularity is the default; the address keeps another', async ({ page }) => {
  await open(page);
  await expect(page.getByRole('radio', { name: 'Hour' })).toBeChecked();
  const pointBetweenGaps = card(page, 'Response time').locator('circle[r="2.5"]').first();
  await expect(pointBetweenGaps).toBeVisible();
  await page.getByText('Day', { exact: true }).click();
  await expect(page).toHaveURL(/step=day/);
  await page.reload();
  await expect(page.getByRole('radio', { name: 'Day', exact: true })).toBeChecked();
});

test('the first steps are listed until they are dismissed', async ({ page }) => {
  // Only a site without calls has them.
  await page.route('**/api/data/overview*', async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    json.data.totals.calls = 0;
    json.data.previous.calls = 0;
    await route.fulfill({ response, json });
  });
  await open(page);
  const steps = card(page, 'First steps');
  await expect(steps.getByRole('link', { name: 'Add a channel' })).toBeVisible();
  await steps.getByRole('button', { name: 'Do not show again' }).click();
  await expect(steps).toHaveCount(0);
  await page.reload();
  await expect(card(page, 'Top models')).toBeVisible();
  await expect(steps).toHaveCount(0);
});

test('an ordinary user sees only their own figures', async ({ page }) => {
  await signInAsSomeone(page);
  await page.goto('/app/dashboard?user=root');
  await expect(page.getByText('No calls yet')).toBeVisible();
  await expect(page.getByLabel('Username')).toHaveCount(0);
  await expect(card(page, 'Top users')).toHaveCount(0);
  await expect(page.getByText('model-0')).toHaveCount(0);
  await expectAccessible(page);
});

test('a failing card shows its own error and can be reloaded', async ({ page, complaints }) => {
  await signIn(page);
  await page.route('**/api/data/?*', (route) =>
    route.fulfill({ status: 400, json: { success: false, message: 'Not today' } }),
  );
  await page.goto('/app/dashboard');
  const spend = card(page, 'Spend by model');
  await expect(spend.getByRole('alert')).toContainText('Not today');
  await expect(card(page, 'Requests and errors').getByRole('img', { name: /./ })).toBeVisible();
  await page.unroute('**/api/data/?*');
  await spend.getByRole('button', { name: 'Retry' }).click();
  await expect(spend.getByRole('img', { name: /./ })).toBeVisible();
  forgive(complaints, /400/);
});

test('with data export disabled, the sums of the log and a hint remain', async ({ page }) => {
  await signIn(page);
  await overrideStatus(page, { enable_data_export: false });
  await page.goto('/app/dashboard');
  await expect(page.getByText('Dashboard is turned off')).toBeVisible();
  await expect(page.getByText('RPM')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Open the settings' })).toBeVisible();
  await expectAccessible(page);
});

test('the dashboard is accessible and fits every window', async ({ page }) => {
  await open(page, '?compare=true&step=day');
  await expect(card(page, 'Spend by model').getByRole('img', { name: /./ })).toBeVisible();
  await expect(
    card(page, 'Activity of the last 90 days').getByRole('img', { name: /./ }),
  ).toBeVisible();
  await expectReadable(page);
});
