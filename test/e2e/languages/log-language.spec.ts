/** The log in the language of the console. */
import { expect } from '@playwright/test';
import { LOG_TYPE } from '../../../src/domain/logs/log-types.ts';
import { beforeScripts, signIn, test } from '../support/browser.ts';
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

for (const [language, words] of [
  ['en', 'The upstream sent no part of its answer within 5 s.'],
  ['zh', '上游在 5 秒内没有返回任何内容'],
] as const)
  test(`the gateway's own error of an attempt is worded in ${language}`, async ({
    page,
    gateway,
  }) => {
    await store(gateway, { logs: [SLOW] });
    await beforeScripts(page, `localStorage.setItem('language', '${language}')`);
    await signIn(page);
    await page.goto('/app/logs/api-usage?request=req-slow');
    const row = page.getByRole('row').filter({ hasText: words }).first();
    await row.getByRole('button', { name: /^(展开详情|Show details)/ }).click();
    await expect(page.getByText(`504 · upstream_timeout · ${words}`)).toBeVisible();
  });
