/** A site without its Redis: it starts, allows sign-in, and later shares its counters again. */
import { afterEach, expect, test } from 'vitest';
import { apiClient } from '../../support/api-client.ts';
import { isRedisReachable, redisUrl } from '../../support/databases.ts';
import { aSite, eventually, OPERATOR, type Site } from '../../support/site.ts';
import { aLineTo, type Line } from '../../support/tcp-proxy.ts';
import { CHAT } from '../../upstream/wire.ts';

const hasRedis = await isRedisReachable();

let site: Site | undefined;
let line: Line | undefined;
afterEach(async () => {
  await site?.close();
  await line?.cut();
  site = undefined;
  line = undefined;
});

const METRICS_TOKEN = 'a-token-for-metrics';

async function aSiteWithout(redisLoss: 'count' | 'refuse') {
  line = await aLineTo(redisUrl(), 6379);
  await line.cut();
  site = await aSite({ config: { redisUrl: line.url, redisLoss, metricsToken: METRICS_TOKEN } });
  return { site, line };
}

async function redisIn(site: Site): Promise<string> {
  const answer = await site.call({ path: '/health/ready?verbose', key: METRICS_TOKEN });
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text).checks.redis;
}

test.skipIf(!hasRedis)(
  'a node starts without Redis, limits locally, and connects to it later',
  async () => {
    const { site, line } = await aSiteWithout('count');
    const token = await site.addToken({ max_concurrency: 1, tokens_per_minute: 100_000 });
    expect(await redisIn(site)).toBe('unreachable');
    expect((await site.call({ key: token.key, body: CHAT })).status).toBe(200);
    await line.repair();
    await eventually('it is found', async () => (await redisIn(site)) === 'ok');
    expect((await site.call({ key: token.key, body: CHAT })).status).toBe(200);
  },
);

test.skipIf(!hasRedis)(
  'sign-ins work with counted attempts while rate-limited calls are refused',
  async () => {
    const { site } = await aSiteWithout('refuse');
    const capped = await site.addToken({ max_concurrency: 1 });
    expect((await site.call({ key: capped.key, body: CHAT })).status).toBe(503);
    expect((await site.call({ body: CHAT })).status).toBe(200);

    const { id, username } = await site.addUser({ role: 100 });
    await site.as(OPERATOR).user.setPassword({ id, password: 'right-password' });
    const signIn = async (password: string) => {
      const browser = apiClient(site);
      const body = { username, password };
      return { browser, reply: await browser.send('POST', '/api/user/login', { body }) };
    };
    const { browser, reply } = await signIn('right-password');
    expect(reply).toMatchObject({ status: 200, body: { success: true } });
    expect((await browser.send('GET', '/api/user/')).body.success).toBe(true);
    for (let time = 0; time < 10; time += 1)
      expect((await signIn('wrong-password')).reply.body.code).toBe('login_failed');
    expect((await signIn('right-password')).reply.body.code).toBe('login_limited');
  },
);
