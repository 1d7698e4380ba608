/** Failover after a failed attempt: the next channel, and the final error for the client. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { shouldRetry } from '../../../src/upstream-errors/error-policy.ts';
import { freePort } from '../../support/ports.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually, OPERATOR, type SiteAnswer, type SiteCall } from '../../support/site.ts';
import { CHAT, eventsIn, STREAM } from '../../upstream/wire.ts';
import { refusalIn } from '../refusal.ts';
import { importedChannel } from '../routing/imported.ts';

/** Tried first, second and third. */
const site = await sharedSite({ upstreams: 3, options: { RetryTimes: 2, LogErrorEnabled: true } });
const page = await site.as(OPERATOR).channel.list({ id_sort: true });
const channels = page.items.reverse();
for (const [at, channel] of channels.entries())
  await site.as(OPERATOR).channel.edit({ id: channel.id, priority: 30 - at });
beforeEach(async () => {
  await site.option('RetryTimes', 2);
});

/** The number of calls to each upstream. */
function requests(): number[] {
  return site.upstreams.map((upstream) => upstream.stats.calls);
}

function script(...plans: readonly string[]): void {
  for (const [at, plan] of plans.entries()) site.upstreams[at]?.script(plan);
}

/** Keeps the failing first channel available to the next test. */
async function heal(): Promise<void> {
  for (const channel of channels) {
    const key = `${await adminKey()}-${channel.id}`;
    expect((await site.call({ body: CHAT, key })).status).toBe(200);
  }
  for (const upstream of site.upstreams) upstream.reset();
}

let keyOfAdmin: string | undefined;
async function adminKey(): Promise<string> {
  if (keyOfAdmin === undefined) {
    const owner = await site.addUser({ role: 10 });
    keyOfAdmin = (await site.addToken({ owner })).key;
  }
  return keyOfAdmin;
}

async function edit(fields: object): Promise<void> {
  await site.as(OPERATOR).channel.edit({ id: channels[0]?.id ?? 0, ...fields });
}

describe('the retry rule by status', () => {
  /** The retry rule (6.3) as documented, independent of the code. */
  function isRetried(status: number): boolean {
    if (status === 429 || status === 307) return true;
    if (status === 504 || status === 524) return false;
    if (status >= 500 && status <= 599) return true;
    if (status === 400 || status === 408) return false;
    return status < 200 || status > 299;
  }

  test('covers every status', () => {
    for (let status = 100; status < 600; status += 1)
      expect([status, shouldRetry(status)]).toEqual([status, isRetried(status)]);
    expect(shouldRetry(400, 14)).toBe(true);
  });

  test.each([
    300, 301, 307, 400, 401, 403, 404, 408, 413, 422, 429, 451, 499, 500, 503, 504, 520, 524, 599,
  ])('applies to an upstream that answers %i', async (status) => {
    script(`status:${status}`);
    const answer = await site.call({ body: CHAT });
    const isToRetry = isRetried(status);
    expect(requests()).toEqual([1, isToRetry ? 1 : 0, 0]);
    expect(answer.status).toBe(isToRetry ? 200 : status);
    const log = await site.logOf(answer.requestId);
    expect(log?.channel_id).toBe(isToRetry ? channels[1]?.id : undefined);
    if (status >= 500) await heal();
  });
});

describe('a failed attempt', () => {
  test('D29 is retried as often as the option allows, on a different channel each time', async () => {
    for (const [times, expected] of [
      [0, [1, 0, 0]],
      [1, [1, 1, 0]],
      [2, [1, 1, 1]],
      [9, [1, 1, 1]],
    ] as const) {
      await site.option('RetryTimes', times);
      for (const upstream of site.upstreams) upstream.reset();
      script('status:500', 'status:500', 'status:500');
      const answer = await site.call({ body: CHAT });
      expect(refusalIn(answer)).toMatchObject({ status: 500, type: 'server_error' });
      expect(requests()).toEqual(expected);
      expect(await site.ledgerOf(answer.requestId)).toEqual([]);
    }
    await heal();
  });

  test('costs nothing; the successful one is charged once and the log lists all attempts', async () => {
    script('status:503', 'rate-limit:0');
    const before = await site.balance(site.user.id);
    const answer = await site.call({ body: CHAT });
    const log = await site.logOf(answer.requestId);
    const entries = await site.ledgerOf(answer.requestId);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      channel_id: channels[2]?.id,
      user_units: -(log?.quota ?? 0),
    });
    const after = await site.balance(site.user.id);
    expect(before.quota - after.quota).toBe(log?.quota);
    const ids = channels.map((channel) => String(channel.id));
    const { admin_info } = JSON.parse(log?.other ?? '');
    expect(admin_info.use_channel).toEqual(ids);
    expect(admin_info.attempts).toMatchObject([
      { status: 503, code: 'overloaded' },
      { status: 429, code: 'rate_limit_exceeded' },
      { status: 200, code: '' },
    ]);
    const errors = (await site.logsOf(answer.requestId)).filter((row) => row.type === 6);
    expect(errors.map((row) => [row.channel_id, row.quota])).toEqual([
      [channels[0]?.id, 0],
      [channels[1]?.id, 0],
    ]);
    await heal();
  });

  test('on an unreachable upstream is retried on another channel', async () => {
    const model = 'gpt-4o';
    const dead = await site.addChannel({
      models: model,
      priority: 99,
      base_url: `http://127.0.0.1:${await freePort()}`,
    });
    const body = { ...CHAT, model };
    expect((await site.call({ body })).status).toBe(200);
    await site.option('RetryTimes', 0);
    expect(refusalIn(await site.call({ body }))).toEqual({
      status: 502,
      message: 'The upstream could not be reached.',
      type: 'upstream_error',
      param: null,
      code: 'do_request_failed',
    });
    const chinese = await site.call({ body, headers: { 'accept-language': 'zh' } });
    expect(refusalIn(chinese).message).toBe('无法连接上游');
    await site.as(OPERATOR).channel.remove({ id: dead.id });
  });

  test('caused by invalid channel settings is retried on another channel', async () => {
    const model = 'gpt-4o';
    for (const [fields, columns] of [
      [{}, { openai_organization: 'org-\u4e16' }],
      [{}, { setting: JSON.stringify({ proxy: 'ftp://127.0.0.1:1' }) }],
      [{}, { setting: JSON.stringify({ proxy: 'nonsense' }) }],
      [{ type: 'azure', base_url: 'https://azure.example.com' }, { base_url: '' }],
    ]) {
      const usual = { models: model, priority: 99 };
      const bad = await importedChannel(site, { ...usual, ...fields }, columns ?? {});
      const answer = await site.call({ body: { ...CHAT, model } });
      expect([fields, answer.status]).toEqual([fields, 200]);
      await site.option('RetryTimes', 0);
      const refusal = refusalIn(await site.call({ body: { ...CHAT, model } }));
      expect([fields, refusal]).toMatchObject([
        fields,
        { status: 502, code: 'channel_misconfigured' },
      ]);
      await site.option('RetryTimes', 2);
      await site.as(OPERATOR).channel.remove({ id: bad.id });
    }
  });

  test('is not retried once content was sent', async () => {
    for (const plan of ['reset-stream:4', 'error-mid-stream:4', 'drop-stream:4']) {
      script(plan);
      const answer = await site.call({ body: STREAM });
      expect([answer.status, requests().slice(1)]).toEqual([200, [0, 0]]);
      expect(eventsIn(answer.text).at(-1)).toBe('[DONE]');
      expect(answer.text).toContain('"error":{');
    }
    await heal();
  });

  test('is not retried for a refusal by the gateway itself', async () => {
    await site.option('ModelPrice', {});
    const model = 'priceless-model';
    await site.addChannel({ models: model });
    const unpriced = await site.call({ body: { ...CHAT, model } });
    expect(refusalIn(unpriced)).toMatchObject({ status: 400, code: 'model_price_error' });
    const poor = await site.addUser({ quota: 1 });
    const token = await site.addToken({ owner: poor });
    const short = await site.call({ key: token.key, body: { ...CHAT, max_tokens: 1_000_000 } });
    expect(refusalIn(short)).toMatchObject({ status: 402, code: 'insufficient_user_quota' });
    expect(requests()).toEqual([0, 0, 0]);
  });

  test('D30 is not retried for a client that disconnected', async () => {
    const owner = await site.addUser();
    const token = await site.addToken({ owner });
    site.upstream.script('hold+status:500');
    const leaving = new AbortController();
    const call = site.call({ key: token.key, body: CHAT, signal: leaving.signal });
    await site.upstream.until((stats) => stats.openCalls === 1);
    leaving.abort();
    await expect(call).rejects.toThrow();
    await site.call({ path: '/health/live' });
    site.upstream.release();
    // The log entry is written when the call has ended.
    const [row] = await eventually('the attempt is logged', async () => {
      const rows = await site.ctx.reads('logs').where({ token_id: token.id });
      return rows.length > 0 && rows;
    });
    expect(JSON.parse(String(row?.other)).admin_info.use_channel).toEqual([
      String(channels[0]?.id),
    ]);
    expect(requests()).toEqual([1, 0, 0]);
    expect((await site.balance(owner.id)).quota).toBe(5_000_000);
  });
});

describe('the status mapping of a channel', () => {
  afterAll(() => edit({ status_code_mapping: '' }));

  test.each([
    ['500 to 400 ends the retries', { 500: '400' }, 'status:500', 400, [1, 0, 0]],
    ['400 to 500 begins them', { 400: '500' }, 'status:400', 200, [1, 1, 0]],
    ['429 to 504 ends them', { 429: '504' }, 'rate-limit:0', 504, [1, 0, 0]],
    ['504 to 503 begins them', { 504: '503' }, 'status:504', 200, [1, 1, 0]],
    ['404 to 408 ends them', { 404: '408' }, 'status:404', 408, [1, 0, 0]],
    [
      'a target that is no status is ignored',
      { 400: 'abc', 404: '4040' },
      'status:400',
      400,
      [1, 0, 0],
    ],
  ])('%s', async (_case, mapping, plan, status, expected) => {
    await edit({ status_code_mapping: JSON.stringify(mapping) });
    script(plan);
    const answer = await site.call({ body: CHAT });
    expect([answer.status, requests()]).toEqual([status, expected]);
    await edit({ status_code_mapping: '' });
    await heal();
  });

  test("changes the status for the client, while the log keeps the upstream's status", async () => {
    await edit({ status_code_mapping: '{"403":"400"}' });
    script('status:403');
    const answer = await site.call({ body: CHAT });
    expect(refusalIn(answer)).toEqual({
      status: 400,
      message: 'You may not use this.',
      type: 'permission_error',
      param: null,
      code: 'permission_denied',
    });
    const [row] = await site.logsOf(answer.requestId);
    expect(JSON.parse(row?.other ?? '')).toMatchObject({ status_code: 403 });
  });
});

describe('the last failure', () => {
  async function failing(plan: string, call: SiteCall = { body: CHAT }): Promise<SiteAnswer> {
    await site.option('RetryTimes', 0);
    for (const upstream of site.upstreams) upstream.setDefault(plan);
    return site.call(call);
  }

  test("is returned with the upstream's message, parameter and code", async () => {
    expect(refusalIn(await failing('context-length'))).toEqual({
      status: 400,
      message: "This model's maximum context length is 128000 tokens.",
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    });
  });

  test('is returned for the last channel, not the first', async () => {
    script('status:500', 'status:503', 'status:418');
    expect(refusalIn(await site.call({ body: CHAT })).status).toBe(418);
    await heal();
  });

  test.each([
    ['rate-limit:7', '7'],
    ['rate-limit-ms:1500', '2'],
    ['rate-limit-ms:1', '1'],
    ['status:429', undefined],
  ])(
    'with a retry time (%s) forwards the time with a different message',
    async (plan, retryAfter) => {
      const model = `patient-${plan}`;
      await site.option('ModelRatio', { 'gpt-4o-mini': 0.075, 'gpt-4o': 1.25, [model]: 1 });
      await site.addChannel({ models: model });
      const answer = await failing(plan, { body: { ...CHAT, model } });
      expect(answer.headers['retry-after']).toBe(retryAfter);
      expect(refusalIn(answer)).toEqual({
        status: 429,
        message: 'The upstream of this group is overloaded. Please try again later.',
        type: 'requests',
        param: null,
        code: 'rate_limit_exceeded',
      });
    },
  );

  test('is hidden where the operator configured it, except for a 429', async () => {
    await site.option('global.hide_upstream_error_enabled', true);
    expect(refusalIn(await failing('context-length'))).toEqual({
      status: 400,
      message: 'Upstream error with status code 400',
      type: 'upstream_error',
      param: null,
      code: 'upstream_error',
    });
    const stream = await failing('error-style:array:400', { body: STREAM });
    expect(refusalIn(stream).message).toBe('Upstream error with status code 400');
    expect(refusalIn(await failing('status:429')).message).toMatch(/overloaded/);
    const headers = { 'accept-language': 'zh-CN,zh;q=0.9' };
    const answerTo = async (plan: string, body: object = CHAT) =>
      refusalIn(await failing(plan, { body, headers })).message;
    expect(await answerTo('context-length')).toBe('上游返回错误，状态码 400');
    expect(await answerTo('error-style:array:400', STREAM)).toBe('上游返回错误，状态码 400');
    expect(await answerTo('status:429')).toBe('当前分组上游负载已饱和，请稍后再试');
    await site.option('global.hide_upstream_error_enabled', false);
  });

  test('without a message is worded in the language of the client', async () => {
    const headers = { 'accept-language': 'zh' };
    expect(refusalIn(await failing('empty-error:404', { body: CHAT, headers }))).toEqual({
      status: 404,
      message: '上游返回状态码 404，未说明原因',
      type: 'upstream_error',
      param: '404',
      code: 'not_found',
    });
  });

  test('keeps its message from the client but not from the log', async () => {
    await site.option('global.hide_upstream_error_enabled', true);
    const answer = await failing('context-length');
    const [row] = await site.logsOf(answer.requestId);
    expect(row?.content).toBe("This model's maximum context length is 128000 tokens.");
    await site.option('global.hide_upstream_error_enabled', false);
  });

  test('never contains the address or the key of the upstream', async () => {
    const { port } = new URL(site.upstream.url);
    for (const plan of ['reset-before-headers', 'reset-mid-body', 'html-error', 'invalid-key']) {
      const { text } = await failing(plan);
      expect(text).not.toContain(port);
      expect(text).not.toMatch(/127\.0\.0\.1|ECONN|sk-fake/);
    }
  });
});
