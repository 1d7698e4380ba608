/** The log in the language of the console. */
import { expect } from '@playwright/test';
import { LOG_TYPE } from '../../../src/domain/logs/log-types.ts';
import { beforeScripts, signIn, test } from '../support/browser.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { aCall, store } from '../support/log-data.ts';

const reason = { error: 'upstream_slow', params: { seconds: 5 } };
const attempt = { channel_id: 3, channel_name: 'first', status: 504, code: 'upstream_timeout' };
const SLOW = aCall({
  request_id: 'req-slow',
  type: LOG_TYPE.error,
  quota: 0,
  content: 'The upstream sent no part of its answer within 5 s.',
  other: JSON.stringify({
    status_code: 504,
    reason,
    admin_info: {
      use_channel: ['3'],
      attempts: [{ ...attempt, message: '', reason, duration_ms: 5000 }],
    },
  }),
});

let gateway: Gateway;

test.beforeAll(async () => {
  gateway = await startGateway();
  await gateway.setUp();
  await store(gateway, { logs: [SLOW] });
});

test.afterAll(() => gateway.remove());

for (const [language, words] of [
  ['en', 'The upstream sent no part of its answer within 5 s.'],
  ['zh', '上游在 5 秒内没有返回任何内容'],
] as const)
  test(`the gateway's own error of an attempt is worded in ${language}`, async ({ page }) => {
    await beforeScripts(page, `localStorage.setItem('language', '${language}')`);
    await signIn(page, gateway.url);
    await page.goto(`${gateway.url}/app/logs/api-usage?request=req-slow`);
    const row = page.getByRole('row').filter({ hasText: words }).first();
    await row.getByRole('button', { name: /^(展开详情|Show details)/ }).click();
    await expect(page.getByText(`504 · upstream_timeout · ${words}`)).toBeVisible();
  });
