/** Caps on concurrent calls and on tokens, with permits in memory and in Redis. */
import { describe, expect, test } from 'vitest';
import { emptyRedis, isRedisReachable } from '../../support/databases.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { aSite, eventually, OPERATOR, type SiteToken } from '../../support/site.ts';
import { CHAT, STREAM } from '../../upstream/wire.ts';
import { refusalIn } from '../refusal.ts';

const stores = [
  { kind: 'memory', url: async () => '' },
  { kind: 'redis', url: () => emptyRedis(10) },
];
const reachable = (await isRedisReachable()) ? stores : stores.slice(0, 1);

describe.each(reachable)('caps with permits in $kind', async ({ kind, url }) => {
  let made = 0;
  const site = await sharedSite({ config: { redisUrl: await url() }, options: { RetryTimes: 2 } });
  expect(site.ctx.kv.kind).toBe(kind);

  /** A model that only this test's channels serve. */
  async function aModel(...settings: readonly object[]): Promise<string> {
    made += 1;
    const model = `capped-${made}`;
    for (const [at, setting] of settings.entries())
      await site.addChannel({ models: model, priority: 10 - at, setting: JSON.stringify(setting) });
    await site.as(OPERATOR).price.set({ model, ratio: 1 });
    return model;
  }

  /** A stream that stays open until the upstream is released. */
  async function running(key: string, model: string = CHAT.model) {
    const before = site.upstream.stats.calls;
    site.upstream.script('hold:2');
    const answer = await site.start({ key, body: { ...STREAM, model } });
    expect([answer.status, site.upstream.stats.calls]).toEqual([200, before + 1]);
    return async () => {
      site.upstream.release();
      return Buffer.from(await answer.body.arrayBuffer()).toString();
    };
  }

  const called = (token: SiteToken, body: object = CHAT) => site.call({ key: token.key, body });

  describe('concurrent calls', () => {
    test('of a token are capped; a refused call costs nothing and states the reason', async () => {
      const token = await site.addToken({ max_concurrency: 1 });
      const finish = await running(token.key);
      const before = await site.balance(site.user.id);
      const refused = await called(token);
      expect(refusalIn(refused)).toMatchObject({
        status: 429,
        message: 'Too many simultaneous calls: this API token may run at most 1.',
        code: 'rate_limit_exceeded',
      });
      expect(refused.headers['retry-after']).toBe('1');
      expect((await site.balance(site.user.id)).request_count).toBe(before.request_count);
      expect(await site.ledgerOf(refused.requestId)).toEqual([]);
      expect(site.upstream.stats.calls).toBe(1);
      expect(await finish()).toContain('[DONE]');
      expect((await called(token)).status).toBe(200);
    });

    test("are refused in the client's dialect", async () => {
      const token = await site.addToken({ max_concurrency: 1 });
      const finish = await running(token.key);
      const body = { model: CHAT.model, max_tokens: 9, messages: CHAT.messages };
      const answer = await site.call({ key: token.key, path: '/v1/messages', body });
      expect(answer.status).toBe(429);
      expect(JSON.parse(answer.text)).toMatchObject({
        type: 'error',
        error: { type: 'rate_limit_error' },
      });
      await finish();
    });

    test('release their permits however a call ends', async () => {
      const token = await site.addToken({ max_concurrency: 1 });
      site.upstream.script('status:400', 'reset-stream:3', 'error-mid-stream:2');
      expect((await called(token)).status).toBe(400);
      expect((await called(token, STREAM)).text).toContain('"error":{');
      expect((await called(token, STREAM)).text).toContain('"error":{');
      expect((await called(token, { ...CHAT, model: 'unheard-of' })).status).toBe(404);
      expect((await called(token, { model: 7 })).status).toBe(400);
      site.upstream.script('hold:2');
      const left = await site.start({ key: token.key, body: STREAM });
      await left.leave();
      site.upstream.release();
      await eventually('the permit is free', async () => (await called(token)).status === 200);
    });

    test('of a user are counted over all tokens', async () => {
      const owner = await site.addUser();
      const [one, other] = [await site.addToken({ owner }), await site.addToken({ owner })];
      await site.as(OPERATOR).user.edit({ id: owner.id, max_concurrency: 1 });
      const finish = await running(one.key);
      expect(refusalIn(await called(other)).message).toBe(
        'Too many simultaneous calls: this user may run at most 1.',
      );
      expect((await called(await site.addToken())).status).toBe(200);
      await finish();
      expect((await called(other)).status).toBe(200);
    });

    test('of a group are counted over all its users; exempt users skip their own cap only', async () => {
      await site.option('GroupMaxConcurrency', { vip: 2 });
      await site.addChannel({ group: 'vip', models: CHAT.model });
      await site.option('global.rate_limit_exempt_enabled', true);
      await site.option('global.rate_limit_exempt_group', 'vip');
      const tokens: SiteToken[] = [];
      for (let at = 0; at < 2; at += 1)
        tokens.push(
          await site.addToken({
            owner: await site.addUser({ group: 'vip' }),
            max_concurrency: 1,
          }),
        );
      const [one, other] = tokens;
      if (!one || !other) throw new Error('no tokens');
      const finish = await running(one.key);
      expect((await called(one)).status).toBe(200);
      const finishOther = await running(other.key);
      expect(refusalIn(await called(one)).message).toBe(
        'Too many simultaneous calls: the group vip may run at most 2.',
      );
      await finish();
      await finishOther();
      await site.option('global.rate_limit_exempt_enabled', false);
      await site.option('GroupMaxConcurrency', {});
    });

    test('of a full channel go to the next one, and are refused when all are full', async () => {
      const model = await aModel({ max_concurrency: 1 }, { max_concurrency: 1 });
      const first = await running(site.token.key, model);
      const second = await running(site.token.key, model);
      const refused = await site.call({ body: { ...CHAT, model } });
      expect(refusalIn(refused)).toMatchObject({ status: 429, code: 'upstream_saturated' });
      expect(refused.headers['retry-after']).toBe('1');
      expect(site.upstream.stats.calls).toBe(2);
      await first();
      expect((await site.call({ body: { ...CHAT, model } })).status).toBe(200);
      await second();
    });

    test('of a channel do not count failed attempts', async () => {
      const model = await aModel({ max_concurrency: 1 }, {});
      site.upstream.script('status:500');
      const answer = await site.call({ body: { ...CHAT, model } });
      expect(answer.status).toBe(200);
      const { admin_info } = JSON.parse((await site.logOf(answer.requestId))?.other ?? '{}');
      const [first] = admin_info.use_channel;
      const next = await site.call({ body: { ...CHAT, model } });
      expect((await site.logOf(next.requestId))?.channel_id).toBe(Number(first));
    });
  });

  describe('tokens per minute', () => {
    test('count the real usage of finished calls and the estimate of running ones', async () => {
      const token = await site.addToken({ tokens_per_minute: 60 });
      const answer = await called(token);
      const { usage } = JSON.parse(answer.text);
      expect(answer.status).toBe(200);
      const words = 'word '.repeat(60 - usage.total_tokens);
      const long = { ...CHAT, messages: [{ role: 'user', content: words }] };
      const refused = await called(token, long);
      expect(refusalIn(refused)).toMatchObject({
        status: 429,
        message: expect.stringMatching(
          /^Too many tokens: this API token may use at most 60 per minute, and this call needs about \d+\./,
        ),
      });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(40);
      expect(site.upstream.stats.calls).toBe(1);
    });

    test('reserve the maximum output until the usage is known', async () => {
      const token = await site.addToken({ tokens_per_minute: 1_000 });
      const body = { ...CHAT, max_tokens: 400 };
      site.upstream.script('hold', 'hold');
      const calls = Array.from({ length: 10 }, () => called(token, body));
      await eventually('two run', () => site.upstream.stats.calls === 2);
      let refused = 0;
      for (const call of calls)
        call.then(
          ({ status }) => (refused += status === 429 ? 1 : 0),
          () => undefined,
        );
      await eventually('the others are refused', () => refused === 8);
      site.upstream.release();
      const answers = await Promise.all(calls);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(2);
      site.upstream.reset();
      // The unused part is available again.
      for (let time = 0; time < 4; time += 1) expect((await called(token, body)).status).toBe(200);
    });

    test('let a call run alone that may need more than the cap', async () => {
      const token = await site.addToken({ tokens_per_minute: 1_000 });
      const body = { ...CHAT, max_tokens: 5_000 };
      site.upstream.script('hold');
      const first = called(token, body);
      await eventually('it runs', () => site.upstream.stats.calls === 1);
      const small = { ...CHAT, max_tokens: 100 };
      expect((await called(token, small)).status).toBe(429);
      site.upstream.release();
      expect((await first).status).toBe(200);
      expect((await called(token, small)).status).toBe(200);
      expect((await called(token, body)).status).toBe(429);
      // Without a limit the model's maximum output counts.
      expect((await called(token, CHAT)).status).toBe(429);
    });

    test('refuse a prompt above the cap for good', async () => {
      const refused = await called(await site.addToken({ tokens_per_minute: 5 }));
      expect(refusalIn(refused)).toMatchObject({
        status: 413,
        code: 'request_too_large',
        message: expect.stringMatching(
          /^The prompt has about \d+ tokens, but only 5 tokens a minute/,
        ),
      });
      expect(refused.headers['retry-after']).toBeUndefined();
    });

    test('are not used by failed calls', async () => {
      const token = await site.addToken({ tokens_per_minute: 30 });
      site.upstream.script('status:400', 'status:400', 'status:400', 'status:400');
      for (let time = 0; time < 4; time += 1) expect((await called(token)).status).toBe(400);
      expect((await called(token)).status).toBe(200);
    });

    test('of user and group are shared by all tokens', async () => {
      const owner = await site.addUser();
      await site.as(OPERATOR).user.edit({ id: owner.id, tokens_per_minute: 20 });
      expect((await called(await site.addToken({ owner }))).status).toBe(200);
      expect(refusalIn(await called(await site.addToken({ owner }))).message).toMatch(/this user/);
      await site.option('GroupTokensPerMinute', { default: 20 });
      expect((await called(await site.addToken())).status).toBe(200);
      expect(refusalIn(await called(await site.addToken())).message).toMatch(/the group default/);
      await site.option('GroupTokensPerMinute', {});
    });

    test('of a full channel send the call to another channel', async () => {
      const model = await aModel({ tokens_per_minute: 20 }, {});
      expect((await site.call({ body: { ...CHAT, model } })).status).toBe(200);
      const answer = await site.call({ body: { ...CHAT, model } });
      expect(answer.status).toBe(200);
      const { admin_info } = JSON.parse((await site.logOf(answer.requestId))?.other ?? '{}');
      expect(admin_info.use_channel).toHaveLength(1);
    });

    test('of a channel refuse a longer prompt for good, and leave it to another channel', async () => {
      const shortOnly = await aModel({ tokens_per_minute: 5 });
      const refused = await site.call({ body: { ...CHAT, model: shortOnly } });
      expect(refusalIn(refused)).toMatchObject({ status: 400, code: 'context_length_exceeded' });
      const model = await aModel({ tokens_per_minute: 5 }, {});
      expect((await site.call({ body: { ...CHAT, model } })).status).toBe(200);
    });
  });
});

test('refuses an invalid cap by the name of its field', async () => {
  const site = await aSite();
  const wrong = (name: string) => ({ code: 'input_invalid', param: name });
  const api = site.as(OPERATOR);
  const token = { id: site.token.id };
  await expect(api.token.edit({ ...token, max_concurrency: -1 })).rejects.toMatchObject(
    wrong('max_concurrency'),
  );
  await expect(api.user.edit({ id: site.user.id, tokens_per_minute: 1.5 })).rejects.toMatchObject(
    wrong('tokens_per_minute'),
  );
  const setting = JSON.stringify({ tokens_per_minute: 'many' });
  await expect(api.channel.edit({ id: site.channel.id, setting })).rejects.toMatchObject({
    ...wrong('setting'),
    params: { problem: 'its tokens_per_minute must be a whole number from 0 to 1000000000' },
  });
  await site.close();
});
