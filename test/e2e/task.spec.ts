import { expect, type Page } from '@playwright/test';
import { call } from './support/admin-calls.ts';
import {
  expectAccessible,
  expectNoSidewaysScroll,
  expectToFit,
  signIn,
  test,
  WINDOWS,
} from './support/browser.ts';
import { aDrawing, aTask, onOwnSite, signInAsSomeone, store } from './support/log-data.ts';

const IMAGE =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/%3E';

const LONG_PROMPT = 'a lighthouse at the end of a long pier in the morning mist '.repeat(6).trim();

/** The list begins with the last. */
const DRAWINGS = [
  ...Array.from({ length: 109 }, (_, place) =>
    aDrawing({ mj_id: `old-${place}`, submit_time: Date.now() - 86_400_000 - place * 1000 }),
  ),
  aDrawing({ mj_id: 'long-prompt', prompt: LONG_PROMPT, submit_time: Date.now() - 90_000_000 }),
  aDrawing({ mj_id: 'failed-one', status: 'FAILURE', code: 22, fail_reason: 'Banned words' }),
  aDrawing({ mj_id: 'first-image', image_url: IMAGE, prompt: 'the first' }),
  aDrawing({ mj_id: 'second-image', image_url: IMAGE, prompt: 'the second' }),
  aDrawing({
    mj_id: 'running-one',
    status: 'IN_PROGRESS',
    progress: '43%',
    finish_time: 0,
    code: 21,
  }),
];

const nowSec = Math.floor(Date.now() / 1000);
const TASKS = [
  aTask({
    task_id: 'song-1',
    submit_time: nowSec - 10,
    finish_time: nowSec,
    data: '[{"id":"c","title":"Summer wind","audio_url":"data:audio/wav;base64,UklGRg=="}]',
  }),
  aTask({
    task_id: 'being-sent',
    status: '',
    progress: '',
    submit_time: nowSec - 20,
    finish_time: 0,
  }),
  aTask({
    task_id: 'slow-one',
    action: 'LYRICS',
    submit_time: nowSec - 100,
    finish_time: nowSec - 30,
  }),
  aTask({ task_id: 'last-year', submit_time: nowSec - 400 * 86_400 }),
];

onOwnSite('task', { drawings: DRAWINGS, tasks: TASKS });

async function open(page: Page, path: string) {
  await signIn(page);
  for (const [key, value] of Object.entries({ MjForwardUrlEnabled: false, TaskEnabled: true }))
    await call(page, 'PUT', '/api/option/', { key, value });
  await page.goto(path);
}

test('image tasks show their status; the last page loads the next hundred', async ({ page }) => {
  // Room for every column.
  await page.setViewportSize({ width: 1920, height: 900 });
  await open(page, '/app/logs/drawing');
  await expect(
    page.getByText('Callbacks are not enabled, so the progress of some tasks may be missing.'),
  ).toBeVisible();
  const failed = page.getByRole('row').filter({ hasText: 'failed-one' });
  await expect(failed).toContainText('Duplicate');
  await expect(failed).toContainText('Failed');
  await expect(failed).toContainText('Banned words');
  await expect(page.getByRole('row').filter({ hasText: 'running-one' })).toContainText('43%');
  await expect(page.getByText('100 of 114 loaded')).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);

  await page.getByLabel('Go to page').fill('10');
  await page.getByLabel('Go to page').press('Enter');
  await expect(page.getByText('91-100 of 114')).toBeVisible();
  await expect(page.getByText('loaded;')).toHaveCount(0);
});

test('a failure to load the next hundred is shown and not repeated by itself', async ({ page }) => {
  const failures: string[] = [];
  await page.route(/\/api\/mj\/\?.*\bp=2\b/, async (route) => {
    failures.push(route.request().url());
    const refusal = { success: false, message: 'Too many requests', code: 'too_many_requests' };
    await route.fulfill({ json: refusal });
  });
  await open(page, '/app/logs/drawing?page=10');
  await expect(page.getByText('Too many requests')).toBeVisible();
  // Longer than an immediate repetition takes.
  await page.waitForTimeout(500);
  expect(failures).toHaveLength(1);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByText('91-100 of 114')).toBeVisible();
});

test('images open in a viewer, one after the other', async ({ page }) => {
  await open(page, '/app/logs/drawing?view=gallery');
  await page.getByRole('button', { name: 'Show image second-image' }).click();
  const box = page.getByRole('dialog', { name: 'second-image' });
  await expect(box.getByText('the second')).toBeVisible();
  await expect(box.getByRole('link', { name: 'Open the original' })).toHaveAttribute('href', IMAGE);
  await expectAccessible(page);
  await box.getByRole('button', { name: 'Next image' }).click();
  await expect(page.getByRole('dialog', { name: 'first-image' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expectToFit(page);
});

for (const { name, use } of WINDOWS)
  test(`the whole prompt of an image task is shown below its row ${name}`, async ({ page }) => {
    await page.setViewportSize(use.viewport);
    await open(page, '/app/logs/drawing?task=long-prompt');
    await page.getByRole('button', { name: 'Show details' }).click();
    const whole = page.getByText(LONG_PROMPT, { exact: true }).last();
    await expect(whole).toBeVisible();
    const [scrolled, visible] = await whole.evaluate((box) => [box.scrollWidth, box.clientWidth]);
    expect(scrolled).toBeLessThanOrEqual(visible ?? 0);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });

test('an image task is found by its id', async ({ page }) => {
  await open(page, '/app/logs/drawing');
  await page.getByLabel('Task ID', { exact: true }).fill('old-7');
  await page.getByLabel('Task ID', { exact: true }).press('Enter');
  await expect(page.getByText('1-1 of 1')).toBeVisible();
});

test('tasks start with today; a click shows a task and plays its result', async ({ page }) => {
  await open(page, '/app/logs/tasks');
  await expect(page.getByText('1-3 of 3')).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: 'being-sent' })).toContainText(
    'Being submitted',
  );
  await expect(page.getByRole('row').filter({ hasText: 'slow-one' })).toContainText('1 min 10 s');
  await expectAccessible(page);

  await page.getByRole('button', { name: 'song-1' }).click();
  const drawer = page.getByRole('dialog');
  await expect(drawer.locator('audio')).toHaveAttribute('aria-label', 'Summer wind');
  await expect(drawer.getByText('"title": "Summer wind"')).toBeVisible();
  await expectAccessible(page);
});

test('an ordinary user sees neither channels nor hints about the server', async ({
  page,
  gateway,
}) => {
  const { id } = await signInAsSomeone(page);
  await store(gateway, { drawings: [aDrawing({ user_id: id, prompt: 'my own' })] });
  await page.goto('/app/logs/drawing');
  await expect(page.getByText('my own', { exact: true })).toBeVisible();
  await expect(page.getByText('The server callback is not enabled')).toHaveCount(0);
  await expect(page.getByRole('columnheader', { name: 'Channel' })).toHaveCount(0);
  await expect(page.getByLabel('Channel ID')).toHaveCount(0);
  await expectAccessible(page);
});

test.describe('without tasks', () => {
  test.use({ site: 'shared' });

  test('a disabled log says who can enable it', async ({ page }) => {
    await signIn(page);
    const isOn = (value: boolean) =>
      call(page, 'PUT', '/api/option/', { key: 'DrawingEnabled', value });
    await isOn(false);
    try {
      await page.goto('/app/logs/drawing');
      await expect(page.getByText('Image task logs is turned off')).toBeVisible();
      await expect(page.getByRole('link', { name: 'Open the settings' })).toBeVisible();
      await expectAccessible(page);
    } finally {
      await isOn(true);
    }
  });
});
