/** Rate limits of a token and a user, with the counters in memory and in Redis. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { emptyRedis, isRedisReachable } from '../../support/databases.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually, OPERATOR, type SiteAnswer, type SiteToken } from '../../support/site.ts';
import { CHAT, STREAM } from '../../upstream/wire.ts';
import { refusalIn } from '../refusal.ts';

const stores = [
  { kind: 'memory', url: async () => '' },
  { kind: 'redis', url: () => emptyRedis(9) },
];
const reachable = (await isRedisReachable()) ? stores : stores.slice(0, 1);

const MESSAGE = {
  model: 'gpt-4o-mini',
  max_tokens: 20,
  messages: [{ role: 'user', content: 'Hello' }],
};

const LIMITED = {
  status: 429,
  message: 'Key-level rate limit exceed.',
  type: 'gateway_error',
  param: null,
  code: 'rate_limit_exceeded',
} as const;

describe.each(reachable)('rate limits with counters in $kind', async ({ kind, url }) => {
  const site = await sharedSite({ config: { redisUrl: await url() } });
  expect(site.ctx.kv.kind).toBe(kind);

  interface Limits {
    readonly count?: number;
    readonly success?: number;
    readonly periodSec?: number;
  }

  function limitedToken({ count = 0, success = 0, periodSec = 60 }: Limits): Promise<SiteToken> {
    return site.addToken({
      rate_limit_enabled: true,
      rate_limit_period: periodSec,
      rate_limit_count: count,
      rate_limit_success: success,
    });
  }

  function call(token: SiteToken, body: unknown = CHAT, headers = {}): Promise<SiteAnswer> {
    return site.call({ key: token.key, body, headers });
  }

  async function statuses(token: SiteToken, bodies: readonly unknown[]): Promise<number[]> {
    const seen: number[] = [];
    for (const body of bodies) seen.push((await call(token, body)).status);
    return seen;
  }

  function limitsIn({ headers }: SiteAnswer): Readonly<Record<string, string>> {
    const entries = Object.entries(headers).filter(([name]) => name.includes('ratelimit'));
    return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
  }

  function waitOf(answer: SiteAnswer): number {
    return Number(answer.headers['retry-after']);
  }

  describe('a token', () => {
    test('is limited to its total number of calls, then gets the time to wait, at no cost', async () => {
      const token = await limitedToken({ count: 2 });
      expect(await statuses(token, [CHAT, CHAT])).toEqual([200, 200]);
      const before = await site.balance(site.user.id);
      const refused = await call(token);
      expect(refusalIn(refused)).toEqual(LIMITED);
      expect(waitOf(refused)).toBeGreaterThan(50);
      expect(waitOf(refused)).toBeLessThanOrEqual(60);
      expect(await site.balance(site.user.id)).toEqual(before);
      expect(site.upstream.stats.calls).toBe(2);
    });

    test('gets headers with the remaining calls of the tightest limit', async () => {
      const token = await limitedToken({ count: 3, success: 2, periodSec: 90 });
      expect(limitsIn(await call(token))).toEqual({
        'x-ratelimit-limit-requests': '2',
        'x-ratelimit-remaining-requests': '1',
        'x-ratelimit-reset-requests': '1m30s',
      });
      expect(limitsIn(await call(token, STREAM))).toMatchObject({
        'x-ratelimit-remaining-requests': '0',
      });
      const refused = await call(token);
      expect(refused.status).toBe(429);
      expect(limitsIn(refused)).toMatchObject({
        'x-ratelimit-limit-requests': '2',
        'x-ratelimit-remaining-requests': '0',
      });
      expect(limitsIn(refused)['x-ratelimit-reset-requests']).toMatch(/^1m\d+s$/);
    });

    test('gets headers of its dialect, and none when nothing limits it', async () => {
      const token = await limitedToken({ count: 5 });
      const before = Date.now();
      const messages = { key: token.key, path: '/v1/messages', body: MESSAGE };
      const answer = limitsIn(await site.call(messages));
      expect(answer).toMatchObject({
        'anthropic-ratelimit-requests-limit': '5',
        'anthropic-ratelimit-requests-remaining': '4',
      });
      const resetMs = Date.parse(answer['anthropic-ratelimit-requests-reset'] ?? '') - before;
      expect(resetMs).toBeGreaterThan(59_000);
      expect(resetMs).toBeLessThan(75_000);
      // The upstream sends its own limit headers, which must not be forwarded.
      expect(limitsIn(await call(await site.addToken({})))).toEqual({});
    });

    test('gets the same headers in every language', async () => {
      const token = await limitedToken({ count: 1 });
      await call(token);
      for (const language of ['zh-CN', 'en', 'fr'])
        expect(refusalIn(await call(token, CHAT, { 'accept-language': language }))).toEqual(
          LIMITED,
        );
    });

    test('is never limited by a limit of 0, nor when limits are switched off', async () => {
      const unlimited = await limitedToken({});
      expect(await statuses(unlimited, [CHAT, CHAT, CHAT])).toEqual([200, 200, 200]);
      const off = await site.addToken({ rate_limit_enabled: false, rate_limit_count: 1 });
      expect(await statuses(off, [CHAT, CHAT])).toEqual([200, 200]);
    });

    test('uses its total for failed and invalid calls as well', async () => {
      const token = await limitedToken({ count: 2 });
      site.upstream.script('status:500');
      expect(await statuses(token, [CHAT, { model: 7 }, CHAT])).toEqual([500, 400, 429]);
    });

    test('uses nothing for refused calls, so it is allowed as soon as the window slides', async () => {
      const token = await limitedToken({ count: 1, periodSec: 1 });
      expect((await call(token)).status).toBe(200);
      const countedAtMs = Date.now();
      let lastRefusedAtMs = countedAtMs;
      await eventually('the token is let in', async () => {
        const askedAtMs = Date.now();
        const isLetIn = (await call(token)).status === 200;
        if (!isLetIn) lastRefusedAtMs = askedAtMs;
        return isLetIn;
      });
      expect(lastRefusedAtMs - countedAtMs).toBeLessThanOrEqual(1_000);
      expect(site.upstream.stats.calls).toBe(2);
    });

    test('uses its success limit for answered calls only', async () => {
      const token = await limitedToken({ success: 1 });
      site.upstream.script('status:500', 'status:400');
      expect(await statuses(token, [CHAT, CHAT, { model: 7 }, CHAT])).toEqual([500, 400, 400, 200]);
      const refused = await call(token);
      expect(refusalIn(refused)).toEqual(LIMITED);
      expect(waitOf(refused)).toBeGreaterThan(50);
    });

    test('counts a success when a stream ends well, and none when it breaks', async () => {
      const token = await limitedToken({ success: 1 });
      site.upstream.script('reset-stream:3', 'error-mid-stream:2', 'end-stream-early:2');
      for (let broken = 0; broken < 3; broken += 1) {
        const answer = await call(token, STREAM);
        expect(answer.status).toBe(200);
        expect(answer.text).toContain('"error":{');
      }
      expect((await call(token, STREAM)).text).not.toContain('"error":{');
      expect(refusalIn(await call(token, STREAM))).toEqual(LIMITED);
    });

    test('counts no success when its client leaves the stream', async () => {
      const token = await limitedToken({ success: 1 });
      site.upstream.script('hold:2');
      const answer = await site.start({ key: token.key, body: STREAM });
      expect(answer.status).toBe(200);
      await answer.leave();
      // Its response comes after the disconnect was noticed, because it was requested later.
      await site.call({ path: '/health/live' });
      site.upstream.release();
      await eventually(
        'the call is charged, and so at its end',
        async () => (await site.ledgerOf(answer.requestId)).length === 1,
      );
      expect(await statuses(token, [CHAT, CHAT])).toEqual([200, 429]);
    });

    test('does not lose calls to requests from an address it does not allow', async () => {
      const token = await limitedToken({ count: 1 });
      await site.as(OPERATOR).token.edit({ id: token.id, allow_ips: '203.0.113.7' });
      expect(await statuses(token, [CHAT, CHAT])).toEqual([403, 403]);
      await site.as(OPERATOR).token.edit({ id: token.id, allow_ips: '' });
      expect(await statuses(token, [CHAT, CHAT])).toEqual([200, 429]);
    });

    test('is refused by the limit before its address and its body are checked', async () => {
      const token = await limitedToken({ count: 1 });
      await call(token);
      await site.as(OPERATOR).token.edit({ id: token.id, allow_ips: '203.0.113.7' });
      const refused = await site.call({ key: token.key, rawBody: '{"model":' });
      expect(refusalIn(refused)).toEqual(LIMITED);
    });

    test('is allowed at once when an edit raises the limit', async () => {
      const token = await limitedToken({ count: 1 });
      expect(await statuses(token, [CHAT, CHAT])).toEqual([200, 429]);
      await site.as(OPERATOR).token.edit({ id: token.id, rate_limit_count: 2 });
      expect(await statuses(token, [CHAT, CHAT])).toEqual([200, 429]);
    });

    test('may list its models however often it has called', async () => {
      const token = await limitedToken({ count: 1 });
      expect(await statuses(token, [CHAT, CHAT])).toEqual([200, 429]);
      expect((await site.call({ key: token.key, path: '/v1/models' })).status).toBe(200);
    });

    test('is allowed exactly as often when all calls come at once', async () => {
      const token = await limitedToken({ count: 5 });
      const answers = await Promise.all(Array.from({ length: 20 }, () => call(token)));
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(5);
      expect(site.upstream.stats.calls).toBe(5);
    });
  });

  describe('a user', () => {
    beforeEach(async () => {
      await site.option('ModelRequestRateLimitEnabled', true);
      await site.option('ModelRequestRateLimitDurationMinutes', 1);
      await site.option('ModelRequestRateLimitCount', 0);
      await site.option('ModelRequestRateLimitSuccessCount', 1000);
    });
    afterAll(() => site.option('ModelRequestRateLimitEnabled', false));

    async function tokensOf(count: number): Promise<SiteToken[]> {
      const owner = await site.addUser();
      return Promise.all(Array.from({ length: count }, () => site.addToken({ owner })));
    }

    test('is limited over all tokens together, without affecting other users', async () => {
      await site.option('ModelRequestRateLimitCount', 2);
      const [one, two] = await tokensOf(2);
      const [stranger] = await tokensOf(1);
      if (!one || !two || !stranger) throw new Error('no tokens');
      site.upstream.script('status:500');
      expect(await statuses(one, [CHAT])).toEqual([500]);
      expect(await statuses(two, [CHAT])).toEqual([200]);
      const refused = await call(one);
      expect(refusalIn(refused)).toEqual({
        ...LIMITED,
        message: 'Too many requests: at most 2 every 1 min.',
      });
      expect(waitOf(refused)).toBeGreaterThan(50);
      const inChinese = await call(two, CHAT, { 'accept-language': 'zh-CN' });
      expect(refusalIn(inChinese).message).toBe('请求过于频繁：1 分钟内最多 2 次');
      expect((await call(stranger)).status).toBe(200);
    });

    test('is limited in answered calls', async () => {
      await site.option('ModelRequestRateLimitSuccessCount', 1);
      const [token] = await tokensOf(1);
      if (!token) throw new Error('no token');
      site.upstream.script('status:500', 'reset-stream:3');
      expect(await statuses(token, [CHAT, STREAM, CHAT])).toEqual([500, 200, 200]);
      expect(refusalIn(await call(token)).message).toBe(
        'Too many successful requests: at most 1 every 1 min.',
      );
    });

    test("does not use the token's own limit when refused", async () => {
      await site.option('ModelRequestRateLimitCount', 1);
      const owner = await site.addUser();
      const token = await site.addToken({
        owner,
        rate_limit_enabled: true,
        rate_limit_count: 2,
        rate_limit_success: 0,
      });
      expect(await statuses(token, [CHAT, CHAT, CHAT])).toEqual([200, 429, 429]);
      await site.option('ModelRequestRateLimitEnabled', false);
      expect(await statuses(token, [CHAT, CHAT])).toEqual([200, 429]);
    });

    test('of the exempt group has neither limit, neither by user nor by token', async () => {
      await site.option('ModelRequestRateLimitCount', 1);
      await site.option('global.rate_limit_exempt_group', 'vip');
      await site.addChannel({ group: 'vip', models: CHAT.model });
      const limits = { rate_limit_enabled: true, rate_limit_count: 1, rate_limit_success: 1 };
      const owner = await site.addUser({ group: 'vip' });
      const byUser = await site.addToken({ owner, ...limits });
      const byToken = await site.addToken({ owner: await site.addUser(), group: 'vip', ...limits });
      expect(await statuses(byUser, [CHAT, CHAT])).toEqual([200, 429]);
      await site.option('global.rate_limit_exempt_enabled', true);
      for (const token of [byUser, byToken])
        expect(await statuses(token, [CHAT, CHAT, CHAT])).toEqual([200, 200, 200]);
      const away = await site.addToken({ owner, group: 'default', ...limits });
      expect(await statuses(away, [CHAT, CHAT])).toEqual([429, 429]);
      await site.option('global.rate_limit_exempt_enabled', false);
    });
  });
});
