/** Keys that an upstream refuses permanently are disabled automatically, if configured. */
import { beforeEach, describe, expect, test } from 'vitest';
import { databases } from '../../support/databases.ts';
import { sharedSite } from '../../support/shared-site.ts';
import {
  aSite,
  eventually,
  OPERATOR,
  type OptionGiven,
  type SiteAnswer,
  type SiteChannel,
} from '../../support/site.ts';
import type { Plan } from '../../upstream/plans/plan.ts';
import { CHAT, STREAM } from '../../upstream/wire.ts';
import { refusalIn } from '../refusal.ts';

const site = await sharedSite();
beforeEach(async () => {
  await site.option('AutomaticDisableChannelEnabled', true);
  await site.option('RetryTimes', 0);
});

let made = 0;

interface Subject {
  readonly channel: SiteChannel;
  call(body?: object): Promise<SiteAnswer>;
  now(): Promise<SiteChannel>;
}

/** Creates a channel and a model for this test only. */
async function aSubject(fields: object = {}): Promise<Subject> {
  made += 1;
  const model = `subject-${made}`;
  await site.option('ModelPrice', { ...site.ctx.options().get('ModelPrice'), [model]: 0.001 });
  const channel = await site.addChannel({ models: model, ...fields });
  return {
    channel,
    call: (body = CHAT) => site.call({ body: { ...body, model } }),
    now: () => site.as(OPERATOR).channel.get({ id: channel.id }),
  };
}

/** Waits for the relay's background writes and until its cache has been updated. */
async function followed<T>(what: string, probe: () => Promise<T | false>): Promise<T> {
  const found = await eventually(what, probe);
  await site.ctx.changes.pull();
  return found;
}

function becomes(subject: Subject, status: number): Promise<SiteChannel> {
  return followed(`the channel has status ${status}`, async () => {
    const channel = await subject.now();
    return channel.status === status && channel;
  });
}

/** Waits until all reports are written: a channel that fails later has been disabled. */
async function allReportsWritten(): Promise<void> {
  const last = await aSubject();
  site.upstream.script('invalid-key');
  await last.call();
  await becomes(last, 3);
}

describe('a channel is automatically disabled', () => {
  test.each([
    ['the status 401', 'status:401'],
    [
      'the code invalid_api_key, whatever the status',
      '{"refuse":{"status":400,"code":"invalid_api_key"}}',
    ],
    ['the code account_deactivated', 'key-deactivated'],
    [
      'the code billing_not_active',
      '{"refuse":{"status":403,"code":"billing_not_active","type":"x"}}',
    ],
    ['the type insufficient_quota', 'insufficient-quota'],
    ['the type authentication_error', '{"refuse":{"status":400,"type":"authentication_error"}}'],
    ['the type permission_error', 'status:403'],
    ['the type forbidden', '{"refuse":{"status":403,"type":"forbidden","code":null}}'],
    [
      'a phrase of the list, in any case',
      '{"refuse":{"status":403,"type":"x","message":"sorry: YOUR CREDIT BALANCE IS TOO LOW today"}}',
    ],
    [
      'an error inside a 200',
      '{"refuse":{"status":200,"style":"inband","code":"invalid_api_key"}}',
    ],
  ])('by %s', async (_case, plan) => {
    const subject = await aSubject();
    site.upstream.script(plan);
    const answer = await subject.call();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    const channel = await becomes(subject, 3);
    expect(JSON.parse(channel.other_info)).toEqual({
      status_reason: expect.stringMatching(/^The upstream answered \d{3}: ./),
      status_time: expect.any(Number),
    });
    expect(refusalIn(await subject.call()).code).toBe('upstream_unavailable');
    const { text } = await site.call({ path: '/v1/models' });
    expect(text).not.toContain(`"${channel.models}"`);
  });

  test('by the original upstream error, even if it is mapped or hidden from the client', async () => {
    await site.option('global.hide_upstream_error_enabled', true);
    const subject = await aSubject({ status_code_mapping: '{"401":"500"}' });
    site.upstream.script('invalid-key');
    expect(refusalIn(await subject.call())).toMatchObject({
      status: 500,
      message: 'Upstream error with status code 500',
    });
    const { other_info } = await becomes(subject, 3);
    expect(JSON.parse(other_info).status_reason).toBe(
      'The upstream answered 401: Incorrect API key provided.',
    );
    await site.option('global.hide_upstream_error_enabled', false);
  });

  test('while the call continues on another channel', async () => {
    await site.option('RetryTimes', 1);
    const subject = await aSubject({ priority: 5 });
    await site.addChannel({ models: subject.channel.models });
    site.upstream.script('invalid-key');
    expect((await subject.call(STREAM)).status).toBe(200);
    await becomes(subject, 3);
    expect((await subject.call()).status).toBe(200);
  });

  test('once when many concurrent calls fail', async () => {
    const subject = await aSubject();
    site.upstream.setDefault('invalid-key');
    await Promise.all(Array.from({ length: 10 }, () => subject.call()));
    const { other_info } = await becomes(subject, 3);
    await site.call({ body: CHAT });
    expect((await subject.now()).other_info).toBe(other_info);
    expect((await subject.now()).keys.map((key) => key.status)).toEqual([3]);
  });
});

const TEXT = 'permission denied';

describe('a channel is not automatically disabled', () => {
  const MESSAGES = [{ role: 'user', content: 'hello' }];
  const REPEATED = { refuse: { status: 403, type: 'x', message: `unknown value: ${TEXT}` } };

  test.each<[string, string, object]>([
    ['a field of its own', '/v1/chat/completions', { messages: MESSAGES, [TEXT]: 1 }],
    ['the user', '/v1/chat/completions', { messages: MESSAGES, user: TEXT }],
    [
      'an escaped text of a stream',
      '/v1/chat/completions',
      { messages: [{ role: 'user', content: 'permission\ndenied' }], stream: true },
    ],
    [
      'an image address',
      '/v1/responses',
      {
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_image', image_url: 'https://example.com/permission%20denied' },
            ],
          },
        ],
      },
    ],
    [
      'a tool description',
      '/v1/messages',
      {
        messages: MESSAGES,
        max_tokens: 9,
        tools: [{ name: 't', description: TEXT, input_schema: { type: 'object' } }],
      },
    ],
    ['the text of an embedding', '/v1/embeddings', { input: TEXT }],
  ])('when the upstream repeats %s', async (_case, path, body) => {
    const subject = await aSubject();
    site.upstream.script(REPEATED);
    const { models: model } = subject.channel;
    const answer = await site.call({ path, body: { model, ...body } });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain(TEXT);
    await allReportsWritten();
    expect((await subject.now()).status).toBe(1);
  });

  test('nor its keys paused, when a Gemini call names a file of another account', async () => {
    const subject = await aSubject({ type: 24, key: 'sk-fake-upstream-key\nAIza-2' });
    const message = 'You do not have permission to access the File x1 or it may not exist.';
    site.upstream.setDefault({ refuse: { status: 403, type: 'PERMISSION_DENIED', message } });
    const path = `/v1beta/models/${subject.channel.models}:generateContent`;
    const fileData = { fileUri: 'https://example.com/v1beta/files/x1', mimeType: 'image/png' };
    const body = { contents: [{ role: 'user', parts: [{ fileData }] }] };
    expect((await site.call({ path, body })).status).toBe(403);
    site.upstream.reset();
    await allReportsWritten();
    const { status, keys } = await subject.now();
    expect([status, keys.map((key) => [key.status, key.resting_until])]).toEqual([
      1,
      [
        [1, 0],
        [1, 0],
      ],
    ]);
  });

  test('when the gateway itself refused the call', async () => {
    const subject = await aSubject();
    expect((await subject.call({ ...CHAT, n: 'many' })).status).toBe(400);
    await allReportsWritten();
    expect((await subject.now()).status).toBe(1);
  });

  test.each<[string, Plan | string, object?, Record<string, OptionGiven>?]>([
    ['after a failure of a server', 'status:500'],
    ['after a failure of a limit', 'rate-limit:0'],
    ['after a failure of the request', 'context-length'],
    ['after a failure of a missing model', 'model-not-found'],
    ['after a failure of a broken line', 'reset-before-headers'],
    [
      'when a 400 contains a phrase of the list, although nothing of it was sent',
      { refuse: { status: 400, type: 'x', message: `no image: ${TEXT}` } },
    ],
    ['when its auto-ban setting is off', 'invalid-key', { auto_ban: 0 }],
    ['when the option is off', 'invalid-key', {}, { AutomaticDisableChannelEnabled: false }],
    [
      'when the phrase was removed from the list',
      { refuse: { status: 403, type: 'x', message: 'Your credit balance is too low' } },
      {},
      { AutomaticDisableKeywords: 'quite another phrase' },
    ],
  ])('%s', async (_case, plan, fields = {}, options = {}) => {
    for (const [key, value] of Object.entries(options)) await site.option(key, value);
    const subject = await aSubject(fields);
    site.upstream.script(plan);
    expect((await subject.call()).status).toBeGreaterThanOrEqual(400);
    await site.option('AutomaticDisableChannelEnabled', true);
    await allReportsWritten();
    expect((await subject.now()).status).toBe(1);
  });
});

describe('a channel with several keys', () => {
  const GOOD = 'sk-fake-upstream-key';

  test('loses only the bad key and continues with the others', async () => {
    await site.option('RetryTimes', 1);
    const subject = await aSubject({ key: `sk-bad-1\n${GOOD}\nsk-bad-2` });
    const statusOf = async (index: number) => (await subject.now()).keys[index]?.status;
    expect((await subject.call()).status).toBe(200);
    await followed('the first key has gone', async () => (await statusOf(0)) === 3);
    expect((await subject.now()).status).toBe(1);
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await subject.call()).status);
    await followed('the third key has gone', async () => (await statusOf(2)) === 3);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
    site.upstream.reset();
    for (let call = 0; call < 4; call += 1) expect((await subject.call()).status).toBe(200);
    const used = site.upstream.requests.map((request) => request.headers.authorization);
    expect(new Set(used)).toEqual(new Set([`Bearer ${GOOD}`]));
    const { keys, status } = await subject.now();
    expect([status, keys.map((key) => key.status)]).toEqual([1, [3, 1, 3]]);
    expect(keys[0]).toMatchObject({
      reason: 'The upstream answered 401: Incorrect API key provided.',
      disabled_at: expect.any(Number),
    });
  });

  test('is disabled with its last key, and gets all keys back when enabled manually', async () => {
    const subject = await aSubject({ key: 'sk-bad-1\nsk-bad-2' });
    for (let call = 0; call < 2; call += 1) expect((await subject.call()).status).toBe(401);
    await becomes(subject, 3);
    expect((await subject.call()).status).toBe(503);
    await site.as(OPERATOR).channel.setStatus({ id: subject.channel.id, status: 1 });
    const { status, keys } = await subject.now();
    expect([status, keys.map((key) => key.status)]).toEqual([1, [1, 1]]);
    expect((await subject.call()).status).toBe(401);
  });

  test('stays manually disabled', async () => {
    const subject = await aSubject();
    site.upstream.script('hold+invalid-key');
    const running = subject.call();
    await site.upstream.until((stats) => stats.openCalls === 1);
    await site
      .as(OPERATOR)
      .channel.setStatus({ id: subject.channel.id, status: 2, reason: 'mine' });
    site.upstream.release();
    expect((await running).status).toBe(401);
    await allReportsWritten();
    const { status, other_info } = await subject.now();
    expect([status, JSON.parse(other_info).status_reason]).toEqual([2, 'mine']);
  });

  test('keeps concurrent edits', async () => {
    const subject = await aSubject();
    site.upstream.script('hold+invalid-key');
    const running = subject.call();
    await site.upstream.until((stats) => stats.openCalls === 1);
    await site.as(OPERATOR).channel.edit({ id: subject.channel.id, name: 'renamed', weight: 9 });
    site.upstream.release();
    await running;
    expect(await becomes(subject, 3)).toMatchObject({ name: 'renamed', weight: 9 });
  });
});

describe.each(databases)('automatic disabling on $kind', ({ kind }) => {
  test('works when the upstream error contains characters the database cannot store', async () => {
    const here = await aSite({
      database: kind,
      options: { AutomaticDisableChannelEnabled: true },
    });
    const message = `bad \u0000 key \ud83d ${'🌍'.repeat(400)}`;
    here.upstream.script({ refuse: { status: 401, message } });
    expect((await here.call({ body: CHAT })).status).toBe(401);
    const { other_info, keys } = await eventually('the channel is disabled', async () => {
      const channel = await here.as(OPERATOR).channel.get({ id: here.channel.id });
      return channel.status === 3 && channel;
    });
    expect(JSON.parse(other_info).status_reason).toMatch(/^The upstream answered 401: bad /);
    expect(keys[0]?.reason).toMatch(/^The upstream answered 401: bad /);
    await here.close();
  });
});
