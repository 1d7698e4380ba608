/** Failures that the gateway states itself are stored as codes and worded for each reader. */
import { beforeEach, describe, expect, test } from 'vitest';
import { terminalVisit } from '../../../src/api/call.ts';
import type { Language } from '../../../src/domain/languages.ts';
import { explain } from '../../../src/services/billing/ledger-reports.ts';
import { exportCsv, exportJsonl } from '../../../src/services/logs/log-export.ts';
import { detail, list, listOwn } from '../../../src/services/logs/logs.ts';
import { failedCallOfRequest } from '../../../src/store/logs/failed-calls.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually, OPERATOR } from '../../support/site.ts';
import { CHAT, STREAM } from '../../upstream/wire.ts';

const ENGLISH = 'The upstream could not be reached.';
const CHINESE = '无法连接上游';
const IN_WORDS: readonly (readonly [Language, string])[] = [
  ['en', ENGLISH],
  ['zh', CHINESE],
];

const site = await sharedSite({ options: { LogErrorEnabled: true, RetryTimes: 0 } });
beforeEach(async () => {
  // Failures in a row would open the circuit breaker.
  expect((await site.call({ body: CHAT })).status).toBe(200);
});

/** A call whose upstream breaks the connection. */
async function brokenCall(): Promise<string> {
  site.upstream.script('reset-before-headers');
  const { status, requestId } = await site.call({ body: CHAT });
  expect(status).toBe(502);
  return requestId;
}

async function textOf(stream: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of stream) text += part;
  return text;
}

/** The entries of a request as an administrator reads them. */
const listed = async (requestId: string, language: Language) =>
  (await list(site.ctx, OPERATOR, { request_id: requestId, p: 1 }, terminalVisit(language))).items;

const attemptsIn = (other: string) => JSON.parse(other).admin_info.attempts;

const OWN = { code: 'do_request_failed', reason: { error: 'upstream_failed' } };

test('the row of a failed attempt has the code, and the English sentence for searches', async () => {
  const [row, ...more] = await site.logsOf(await brokenCall());
  expect(more).toEqual([]);
  expect(row).toMatchObject({ type: 6, content: ENGLISH });
  const other = row?.other ?? '';
  expect(JSON.parse(other)).toMatchObject({ error_code: OWN.code, reason: OWN.reason });
  expect(attemptsIn(other)).toMatchObject([{ ...OWN, message: '' }]);
});

describe.each(IN_WORDS)('in %s', (language, words) => {
  const visit = terminalVisit(language);

  test('lists and details of administrators have the words', async () => {
    const requestId = await brokenCall();
    const items = await listed(requestId, language);
    expect(items.map(({ content }) => content)).toEqual([words]);
    expect(attemptsIn(items[0]?.other ?? '')).toMatchObject([{ ...OWN, message: words }]);
    const entry = await detail(site.ctx, OPERATOR, { id: items[0]?.id ?? 0 }, visit);
    expect(entry).toMatchObject({
      content: words,
      other: { admin_info: { attempts: [{ message: words }] } },
    });
  });

  test('the list of the caller has the words, and no attempts', async () => {
    const requestId = await brokenCall();
    const { items } = await listOwn(
      site.ctx,
      site.user.actor,
      { request_id: requestId, p: 1 },
      visit,
    );
    expect(items).toMatchObject([{ content: words }]);
    expect(items[0]?.other).not.toContain('attempts');
  });

  test('exports have the words of the requested language', async () => {
    const requestId = await brokenCall();
    const input = { request_id: requestId, language };
    const other = language === 'zh' ? 'en' : 'zh';
    const args = [site.ctx, OPERATOR, input, terminalVisit(other)] as const;
    const row = JSON.parse(await textOf(await exportJsonl(...args)));
    expect(row).toMatchObject({
      content: words,
      other: { admin_info: { attempts: [{ message: words }] } },
    });
    const csv = await textOf(await exportCsv(...args));
    // As the column `content`, and in the attempts.
    expect(csv.split(words)).toHaveLength(3);
  });

  test('the record of the failed call has the words', async () => {
    await site.option('LogErrorEnabled', false);
    const requestId = await brokenCall().finally(() => site.option('LogErrorEnabled', true));
    const stored = await eventually('the call is recorded', () =>
      failedCallOfRequest(site.ctx.reads, requestId),
    );
    expect(JSON.parse(stored.attempts)).toMatchObject([{ ...OWN, message: '' }]);
    const { attempts, logs } = await explain(site.ctx, OPERATOR, { request_id: requestId }, visit);
    expect(logs).toEqual([]);
    expect(attempts).toMatchObject([{ ...OWN, message: words }]);
  });
});

test('a charged call keeps the reason why its stream broke off', async () => {
  site.upstream.script('drop-stream:4');
  const { requestId } = await site.call({ body: STREAM });
  const words = async (language: Language) => {
    const input = { request_id: requestId };
    const { attempts } = await explain(site.ctx, OPERATOR, input, terminalVisit(language));
    return attempts.map(({ message }) => message);
  };
  const row = await eventually('the call is charged', () => site.logOf(requestId));
  expect(attemptsIn(row.other)).toMatchObject([
    { message: '', reason: { error: 'upstream_broke_off' } },
  ]);
  expect(await words('en')).toEqual(['The upstream ended its answer before it was complete.']);
  expect(await words('zh')).toEqual(['上游在回答中途断开']);
});

test.each([
  ['en', 'The upstream answered with status 404 and no message.'],
  ['zh', '上游返回状态码 404，未说明原因'],
] as const)('an upstream without a message is worded in %s', async (language, words) => {
  site.upstream.script('empty-error:404');
  const { requestId } = await site.call({ body: CHAT });
  const [row] = await site.logsOf(requestId);
  expect(attemptsIn(row?.other ?? '')).toMatchObject([
    { message: '', reason: { error: 'upstream_status_only', params: { status: 404 } } },
  ]);
  expect(await listed(requestId, language)).toMatchObject([{ content: words }]);
});

test('the words of an upstream are not translated, even if they look like a code', async () => {
  site.upstream.script('status:500');
  const { requestId } = await site.call({ body: CHAT });
  const [row] = await site.logsOf(requestId);
  const [attempt] = attemptsIn(row?.other ?? '');
  expect(attempt).not.toHaveProperty('reason');
  expect(attempt.message).not.toBe('');
  const message = '{"error":"upstream_failed","params":{}}';
  await site.ctx
    .db('logs')
    .where({ request_id: requestId })
    .update({
      content: message,
      other: (row?.other ?? '').replace(JSON.stringify(attempt.message), JSON.stringify(message)),
    });
  const items = await listed(requestId, 'zh');
  expect(items[0]?.content).toBe(message);
  expect(attemptsIn(items[0]?.other ?? '')[0].message).toBe(message);
});

test('entries of earlier versions keep their English text', async () => {
  const requestId = await brokenCall();
  const [row] = await site.logsOf(requestId);
  const { reason: _, ...facts } = JSON.parse(row?.other ?? '');
  const { reason: __, ...attempt } = facts.admin_info.attempts[0];
  const admin_info = { ...facts.admin_info, attempts: [{ ...attempt, message: ENGLISH }] };
  const other = JSON.stringify({ ...facts, admin_info });
  await site.ctx.db('logs').where({ request_id: requestId }).update({ other });
  expect(await listed(requestId, 'zh')).toMatchObject([{ content: ENGLISH, other }]);
  const input = { request_id: requestId };
  const { attempts } = await explain(site.ctx, OPERATOR, input, terminalVisit('zh'));
  expect(attempts).toMatchObject([{ message: ENGLISH }]);
});

test('a reason that this version does not know leaves the stored text', async () => {
  const requestId = await brokenCall();
  const [row] = await site.logsOf(requestId);
  const other = (row?.other ?? '').replaceAll('"upstream_failed"', '"of_a_later_version"');
  await site.ctx.db('logs').where({ request_id: requestId }).update({ other });
  const items = await listed(requestId, 'zh');
  expect(items).toMatchObject([{ content: ENGLISH }]);
  expect(attemptsIn(items[0]?.other ?? '')).toMatchObject([{ message: '' }]);
});
