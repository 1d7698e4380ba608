/** The console under its Content-Security-Policy: what the operator adds runs, what slips in does not. */
import { expect, type Page } from '@playwright/test';
import { httpServer } from '../services/sign-in/identity/http-server.ts';
import { call } from './support/admin-calls.ts';
import { beReader, forgive, test } from './support/browser.ts';
import { ROOT } from './support/gateway.ts';

const OWN_HEAD =
  '<script>window.ownHead = "ran"</script><style>:root{--own:1}</style><meta name="own" content="here">';
const OWN_JS = 'window.ownScript = "ran"; document.documentElement.dataset.own = "yes"';
const SLIPPED_IN =
  '<script>window.slipped = "ran"</script><img src="/nothing" onerror="window.slipped = \'ran\'">' +
  '<a id="link" href="javascript:window.slipped=1">link</a>';

const seen = (page: Page, name: string) =>
  page.evaluate<unknown>(`window[${JSON.stringify(name)}]`);

test('the console works with custom head, style and script', async ({ page }) => {
  await beReader(page, ROOT);
  const set = (key: string, value: string) => call(page, 'PUT', '/api/option/', { key, value });
  const own = { custom_head_html: OWN_HEAD, global_css: ':root{--site:2}', global_js: OWN_JS };
  for (const [key, value] of Object.entries(own)) await set(key, value);
  try {
    await page.goto('/');
    await expect(page.getByRole('banner')).toBeVisible();
    expect(await seen(page, 'ownScript')).toBe('ran');
    expect(await seen(page, 'ownHead')).toBe('ran');
    await expect(page.locator('html')).toHaveAttribute('data-own', 'yes');
    await expect(page.locator('meta[name=own]')).toHaveAttribute('content', 'here');
    const style = (name: string) =>
      page.evaluate<string>(
        `getComputedStyle(document.documentElement).getPropertyValue('${name}')`,
      );
    expect([await style('--own'), await style('--site')]).toEqual(['1', '2']);
  } finally {
    for (const key of Object.keys(own)) await set(key, '');
  }
});

test('a script without the page’s nonce does not run', async ({ page, gateway, complaints }) => {
  await page.route(`${gateway.url}/`, async (route) => {
    const response = await route.fetch();
    const html = (await response.text()).replace('<body>', `<body>${SLIPPED_IN}`);
    await route.fulfill({ response, body: html });
  });
  await page.goto('/');
  await expect(page.getByRole('banner')).toBeVisible();
  await page.evaluate(`{
    const markup = '<img src="/nothing" onerror="window.slipped = 1"><script>window.slipped = 1</script>';
    document.body.insertAdjacentHTML('beforeend', markup);
    document.querySelector('#link').click();
  }`);
  await expect(async () => expect(complaints.length).toBeGreaterThan(3)).toPass();
  expect(await seen(page, 'slipped')).toBeUndefined();
  forgive(complaints, /Content Security Policy|404/);
});

test('another site cannot frame the console', async ({ page, gateway, complaints }) => {
  const other = await httpServer(() => (_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<iframe src="${gateway.url}"></iframe>`);
  });
  const refused = page.waitForEvent('requestfailed', (one) => one.url().startsWith(gateway.url));
  await page.goto(other.url);
  expect((await refused).failure()?.errorText).toContain('ERR_BLOCKED_BY_RESPONSE');
  await other.close();
  forgive(complaints);
});
